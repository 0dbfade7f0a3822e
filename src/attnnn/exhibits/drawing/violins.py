"""Violins of a measure by how peaked attention was, one half per predicted class, as in both papers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from numpy.typing import NDArray

from attnnn.exhibits.drawing.style import BLACK, GREY, colour_of, write_beside
from attnnn.exhibits.finished import Floats, Ints
from attnnn.exhibits.groups import MAX_ATTENTION_BINS, in_order, name_of, series_of

_HATCHES = ("", "////", "....")
# Where the halves of a bin stand and how high they are, in bins, a negative one hanging down; by the number
# of classes. All classes together have both halves of one violin.
_LANES: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0.42),),
    2: ((0, 0.42), (0, -0.42)),
    3: ((0.13, 0.23), (-0.12, 0.23), (-0.37, 0.23)),
}
FEWEST = 5  # documents; fewer are drawn one by one, since a density of them would be invention
_DOT: dict[str, Any] = {"markersize": 3, "markeredgewidth": 0.4, "markeredgecolor": BLACK}
# A kernel narrower than this on the axis of a violin would be thinner than its outline.
_FINEST = 0.003
_CUT = 0.02  # how far a density reaches beyond its data


def violins(
    axis: Axes, values: Floats, bins: Ints, predicted: Ints, limits: tuple[float, float]
) -> None:
    """One violin per bin of the largest weight: with two classes, 0 above its bin's line and 1 below.

    Three classes stand one above the other; more are one violin.

    Args:
        axis: the panel.
        values: of each document, on the x axis.
        bins: of each document's largest weight, as `bin_of` gives them.
        predicted: predicted class of each document.
        limits: of the x axis.
    """
    places = range(len(MAX_ATTENTION_BINS))
    for place in places:
        axis.axhline(place, color=GREY, linewidth=0.3, zorder=0)
    for class_, members, place, offset, height in _halves(bins, predicted):
        shown, base = values[members], place + offset
        half_violin(axis, shown, base, height, class_)
        if class_ is None and _has_density(shown):
            half_violin(axis, shown, base, -height, class_)
    axis.set_xlim(limits)
    axis.set_ylim(-0.6, len(MAX_ATTENTION_BINS) - 0.4)
    axis.set_yticks(list(places), MAX_ATTENTION_BINS)


def write_counts(axis: Axes, bins: Ints, predicted: Ints) -> None:
    """How many documents of each class every violin stands for, beside the last panel of a row."""
    size = 7 if len(series_of(predicted)) < 3 else 5.5
    for class_, members, place, offset, height in _halves(bins, predicted):
        middle = offset if class_ is None else offset + 0.48 * height
        text = f"n = {np.count_nonzero(members)}"
        write_beside(axis, place + middle, text, size=size)


def _halves(
    bins: Ints, predicted: Ints
) -> Iterator[tuple[int | None, NDArray[np.bool_], int, float, float]]:
    """Class, documents, bin, and place in the bin and height of every half violin, as `_LANES` has them."""
    series = series_of(predicted)
    for place in range(len(MAX_ATTENTION_BINS)):
        for (class_, members), lane in zip(series.items(), _LANES[len(series)], strict=True):
            yield class_, (bins == place) & members, place, *lane


def hatch_of(class_: int | None) -> str:
    """The hatch of a predicted class, which tells it apart in a grey print."""
    return "" if class_ is None else _HATCHES[class_]


def class_handles(classes: Iterable[int | None]) -> list[Patch]:
    """What a legend shows for each series of `series_of`."""
    return [
        Patch(
            facecolor=colour_of(k),
            edgecolor=BLACK,
            linewidth=0.5,
            hatch=hatch_of(k),
            label=name_of(k),
        )
        for k in in_order(classes)
    ]


def _has_density(values: Floats) -> bool:
    return len(values) >= FEWEST and bool(np.ptp(values) >= 1e-6)


def half_violin(axis: Axes, values: Floats, base: float, height: float, class_: int | None) -> None:
    """One half of a violin from its base upwards, or down where its height is negative; dots for a few."""
    colour = colour_of(class_)
    if not _has_density(values):
        heights = np.full(len(values), base + (0 if class_ is None else 0.36 * height))
        axis.plot(values, heights, "D" if class_ else "o", color=colour, **_DOT)
        return
    from scipy.stats import gaussian_kde

    spread = float(np.std(values, ddof=1))
    density = gaussian_kde(values, lambda kde: max(kde.scotts_factor(), _FINEST / spread))
    x = np.linspace(values.min() - _CUT, values.max() + _CUT, 400)
    outline = base + height * density(x) / density(x).max()
    look: dict[str, Any] = {"facecolor": colour, "edgecolor": BLACK, "linewidth": 0.5}
    axis.fill_between(x, base, outline, hatch=hatch_of(class_), **look)
    for quartile, style in zip(
        np.quantile(values, [0.25, 0.5, 0.75]), (":", "-", ":"), strict=True
    ):
        top = np.interp(quartile, x, outline)
        axis.plot([quartile, quartile], [base, top], color=BLACK, linewidth=0.8, linestyle=style)
