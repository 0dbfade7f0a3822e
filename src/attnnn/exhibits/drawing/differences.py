"""Figures 3 and 4 of Jain & Wallace 2019: do two measures of importance agree more than attention with one?

The paper draws its error bars from synthetic samples of the stored mean and deviation; here the
intervals come from the documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attnnn.exhibits.correlations import GRADIENT, LEAVE_ONE_OUT, MEASURES, correlations
from attnnn.exhibits.drawing.style import BLACK, CLASS_COLOURS, GREY, PAGE, new_figure, write_beside
from attnnn.exhibits.estimates import Interval, interval, mean, of_mean_of_corpora
from attnnn.exhibits.finished import Floats, Ints, Results
from attnnn.exhibits.groups import in_order, name_of, series_of
from attnnn.study.papers.published import published
from attnnn.study.runs import base_run

_MARKERS = ("^", "v", "s")
_DOTTED: dict[str, Any] = {"color": GREY, "linewidth": 0.9, "linestyle": ":"}
_APART, _SPREAD = 0.24, 0.72  # rows between the marks of one corpus, and most of all of them


@dataclass(frozen=True)
class Difference:
    """τ between gradients and leave-one-out minus τ between attention and one of them.

    Attributes:
        values: of the documents in which both are defined.
        predicted: their predicted classes.
        left_out: how many documents have one of them undefined.
    """

    values: Floats
    predicted: Ints
    left_out: int


def difference(results: Results, corpus: str, pair: str) -> Difference:
    """The difference of `MEASURES` and a pair with attention, in each document of the base model."""
    base = base_run(results.study, corpus)
    agreed, attended = (correlations(results, base, name) for name in (MEASURES, pair))
    values = agreed.tau - attended.tau
    defined = ~np.isnan(values)
    return Difference(values[defined], agreed.predicted[defined], int((~defined).sum()))


def beside_leave_one_out(results: Results) -> Figure:
    """Figure 3: τ(gradient, leave-one-out) − τ(attention, leave-one-out)."""
    return _figure(
        results, LEAVE_ONE_OUT, "3", "τ(gradient, leave-one-out) − τ(attention, leave-one-out)"
    )


def beside_gradients(results: Results) -> Figure:
    """Figure 4: τ(gradient, leave-one-out) − τ(attention, gradient)."""
    return _figure(results, GRADIENT, "4", "τ(gradient, leave-one-out) − τ(attention, gradient)")


def _figure(results: Results, pair: str, number: str, label: str) -> Figure:
    study = results.study
    corpora = list(study.corpora)
    found = {corpus: difference(results, corpus, pair) for corpus in corpora}
    rows = len(corpora) + (len(corpora) > 1)
    figure = new_figure(0.75 * PAGE, 0.42 * rows + 1.0)
    axis = figure.subplots()
    for row, (corpus, one) in enumerate(found.items()):
        _corpus(axis, results, corpus, one, row)
    names = list(corpora)
    if len(corpora) > 1:
        names.append("mean of corpora")
        _mean(axis, results, found, len(corpora))
        axis.axhline(len(corpora) - 0.5, color=GREY, linewidth=0.4)
    axis.axvline(0, color=BLACK, linewidth=0.6, zorder=0)
    axis.axvline(_printed(number), **_DOTTED, zorder=0)
    axis.set_yticks(range(rows), names)
    axis.set_ylim(rows - 0.4, -0.6)
    axis.margins(x=0.08)
    axis.set_xlabel(f"mean difference: {label}")
    _legend(figure, found, number)
    return figure


def _corpus(axis: Axes, results: Results, corpus: str, one: Difference, row: int) -> None:
    series = [(one.values, _style(None))]
    series += [
        (one.values[members], _style(k))
        for k, members in series_of(one.predicted).items()
        if k is not None and members.any()
    ]
    for place, (values, style) in enumerate(series):
        apart = min(_APART, _SPREAD / len(series))
        height = row + apart * (place - (len(series) - 1) / 2)
        if len(values):
            ends = interval(results.study, corpus, mean, values)
            _point(axis, float(values.mean()), ends, height, style)
    text = f"n = {len(one.values)}" + (f", {one.left_out} undefined" if one.left_out else "")
    write_beside(axis, row, text)


def _mean(axis: Axes, results: Results, found: dict[str, Difference], row: int) -> None:
    values = {corpus: one.values for corpus, one in found.items() if len(one.values)}
    if not values:
        return
    middle = float(np.mean([of_corpus.mean() for of_corpus in values.values()]))
    _point(axis, middle, of_mean_of_corpora(results.study, values), row, _style(None))


def _point(
    axis: Axes,
    value: float,
    ends: Interval,
    height: float,
    style: dict[str, Any],
) -> None:
    low, high = ends
    if low is not None and high is not None:
        axis.plot([low, high], [height, height], color=style["color"], linewidth=1.3)
    axis.plot([value], [height], **style)


def _style(class_: int | None) -> dict[str, Any]:
    style = {
        "markersize": 4.5,
        "markeredgecolor": BLACK,
        "markeredgewidth": 0.5,
        "linestyle": "none",
    }
    if class_ is None:
        return {"marker": "o", "color": BLACK, **style}
    return {"marker": _MARKERS[class_], "color": CLASS_COLOURS[class_], **style}


# What the captions of the paper's figures say of the mean over its corpora.
_CAPTIONS = {
    "3": ("more than", "mean_tau(loo,grad)-tau(attn,loo) (more than)"),
    "4": ("about", "mean_tau(loo,grad)-tau(attn,grad) (about)"),
}


def _printed(number: str) -> float:
    value = published(
        "all",
        paper="jain_wallace_2019",
        table=f"Fig{number}-caption",
        setting="bilstm+tanh",
        metric=_CAPTIONS[number][1],
    )
    assert value is not None
    return value


def _legend(figure: Figure, found: dict[str, Difference], number: str) -> None:
    shown = {k for one in found.values() for k in series_of(one.predicted)}
    classes = [k for k in in_order(shown) if k is not None]
    handles = [Line2D([], [], **_style(None), label="all documents")]
    handles += [Line2D([], [], **_style(k), label=name_of(k)) for k in classes]
    words = f"J&W, mean of corpora: {_CAPTIONS[number][0]} {_printed(number):g}"
    handles.append(Line2D([], [], **_DOTTED, label=words))
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
