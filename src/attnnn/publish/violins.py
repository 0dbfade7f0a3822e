"""Violins of a measure by how peaked attention was, one half a predicted class, as in both papers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from attnnn.publish.bins import MAX_ATTENTION_BINS
from attnnn.publish.results import Floats, Ints
from attnnn.publish.style import BLACK, CLASS_COLOURS, GREY

JSD_LIMITS = (-0.05, 0.7)
_HATCHES = ("", "////", "....", "xxxx", "++++", "\\\\\\\\")
_HALF = 0.42  # height of one half of a violin, in bins
_FEWEST = 5  # documents; fewer are drawn one by one, since a density of them would be invention
_DOT: dict[str, Any] = {"markersize": 3, "markeredgewidth": 0.4, "markeredgecolor": BLACK}
_FINEST = (
    0.003  # a kernel narrower than this on the axis of a violin would be thinner than its outline
)
_CUT = 0.02  # how far a density reaches beyond its data


def violins(
    axis: Axes, values: Floats, bins: Ints, predicted: Ints, limits: tuple[float, float]
) -> None:
    """One violin a bin of the largest weight: class 0 above its bin's line, class 1 below.

    Args:
        axis: the panel.
        values: of each document, on the x axis.
        bins: of each document's largest weight, as `bin_of` gives them.
        predicted: predicted class of each document, 0 or 1.
        limits: of the x axis.
    """
    places = range(len(MAX_ATTENTION_BINS))
    for place in places:
        axis.axhline(place, color=GREY, linewidth=0.3, zorder=0)
        for class_ in np.unique(predicted):
            half_violin(axis, values[(bins == place) & (predicted == class_)], place, int(class_))
    axis.set_xlim(limits)
    axis.set_ylim(-0.6, len(MAX_ATTENTION_BINS) - 0.4)
    axis.set_yticks(list(places), MAX_ATTENTION_BINS)


def write_counts(axis: Axes, bins: Ints, predicted: Ints) -> None:
    """How many documents of each class every violin stands for, beside the last panel of a row."""
    for place in range(len(MAX_ATTENTION_BINS)):
        for class_ in range(max(2, int(predicted.max(initial=0)) + 1)):
            count = np.count_nonzero((bins == place) & (predicted == class_))
            height = place + (0.17 if class_ == 0 else -0.17)
            axis.annotate(
                f"n = {count}",
                (1, height),
                xycoords=("axes fraction", "data"),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
            )


def class_handles(classes: Collection[int]) -> list[Patch]:
    """What a legend shows for each predicted class."""
    return [
        Patch(
            facecolor=CLASS_COLOURS[k],
            edgecolor=BLACK,
            linewidth=0.5,
            hatch=_HATCHES[k],
            label=f"predicted class {k}",
        )
        for k in sorted(classes)
    ]


def half_violin(axis: Axes, values: Floats, place: int, class_: int) -> None:
    """One half of a violin on its bin's line, class 0 upwards and class 1 downwards; dots for a few."""
    upward = 1 if class_ == 0 else -1
    colour = CLASS_COLOURS[class_]
    if len(values) < _FEWEST or np.ptp(values) < 1e-6:
        heights = np.full(len(values), place + upward * 0.15)
        axis.plot(values, heights, "D" if class_ else "o", color=colour, **_DOT)
        return
    from scipy.stats import gaussian_kde

    spread = float(np.std(values, ddof=1))
    density = gaussian_kde(values, lambda kde: max(kde.scotts_factor(), _FINEST / spread))
    x = np.linspace(values.min() - _CUT, values.max() + _CUT, 400)
    outline = place + upward * _HALF * density(x) / density(x).max()
    axis.fill_between(
        x, place, outline, facecolor=colour, edgecolor=BLACK, linewidth=0.5, hatch=_HATCHES[class_]
    )
    for quartile, style in zip(
        np.quantile(values, [0.25, 0.5, 0.75]), (":", "-", ":"), strict=True
    ):
        top = np.interp(quartile, x, outline)
        axis.plot([quartile, quartile], [place, top], color=BLACK, linewidth=0.8, linestyle=style)
