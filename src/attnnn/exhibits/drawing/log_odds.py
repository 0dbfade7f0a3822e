"""Log-odds attention at test: how far it is from the model's own, and how far it moves the prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attnnn.exhibits.drawing.class_violins import CHANGE_LIMITS, JSD_LIMITS
from attnnn.exhibits.drawing.style import BLACK, colour_of, paired_panels
from attnnn.exhibits.drawing.violins import class_handles, violins, write_counts
from attnnn.exhibits.finished import Floats, Ints, Results
from attnnn.exhibits.groups import bin_of, in_order, name_of, series_of
from attnnn.measures import predicted_class

_PANEL = 1.6  # inches of height
_MARKERS = {0: "o", 1: "D"}


def log_odds(results: Results) -> Figure:
    """|Δp| against JSD of every test document, as points and as violins by JSD and predicted class."""
    corpora = list(results.study.corpora)
    figure, panels = paired_panels(len(corpora), _PANEL)
    classes: set[int | None] = set()
    for (left, right), corpus in zip(panels, corpora, strict=True):
        table = results.replacement(corpus)
        jsd, change = table.floats("jsd"), table.floats("imposed_change")
        predicted = table.ints("predicted")
        _points(left, jsd, change, predicted)
        bins = bin_of(jsd / np.log(2))
        violins(right, change, bins, predicted, CHANGE_LIMITS)
        write_counts(right, bins, predicted)
        flips = predicted_class(table.floats("imposed_probability")) != predicted
        left.set_title(f"{corpus}, {100 * flips.mean():.1f} % flip", loc="left")
        classes |= set(series_of(predicted))
    _name_axes(panels)
    shown: Any = [
        (bar, _mark(class_))
        for bar, class_ in zip(class_handles(classes), in_order(classes), strict=True)
    ]
    names = [name_of(class_) for class_ in in_order(classes)]
    figure.legend(shown, names, loc="outside lower center", ncols=len(shown))
    return figure


def _points(axis: Axes, jsd: Floats, change: Floats, predicted: Ints) -> None:
    """One point per document, drawn as pixels, since there may be very many."""
    for class_, members in series_of(predicted).items():
        look: dict[str, Any] = {"markersize": 2.4, "alpha": 0.6, "rasterized": True}
        axis.plot(jsd[members], change[members], **_mark_style(class_), **look)
    axis.set_xlim(JSD_LIMITS)
    axis.set_ylim(CHANGE_LIMITS)
    axis.set_xticks([0, 0.2, 0.4, 0.6], ["0", ".2", ".4", ".6"])
    axis.set_yticks([0, 0.5, 1], ["0", ".5", "1"])


def _mark_style(class_: int | None) -> dict[str, Any]:
    return {
        "linestyle": "",
        "marker": _MARKERS[class_ or 0],
        "markerfacecolor": colour_of(class_),
        "markeredgecolor": BLACK,
        "markeredgewidth": 0.3,
    }


def _mark(class_: int | None) -> Line2D:
    return Line2D([], [], markersize=4, **_mark_style(class_))


def _name_axes(panels: Sequence[tuple[Axes, Axes]]) -> None:
    """Name y of every panel, as no two neighbours share it, and x under every column."""
    lowest: dict[int, tuple[Axes, str]] = {}
    for left, right in panels:
        left.set_ylabel("|Δp|")
        right.set_ylabel("JSD / ln 2")
        right.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
        for axis, name in ((left, "JSD, nats"), (right, "|Δp|")):
            place = axis.get_subplotspec()
            assert place is not None
            lowest[place.colspan.start] = axis, name
    for axis, name in lowest.values():
        axis.set_xlabel(name)
