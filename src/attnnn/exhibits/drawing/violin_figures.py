"""How far attention or predictions move, by how peaked attention was, in both papers' figures of violins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attnnn.exhibits.drawing.histograms import known_as
from attnnn.exhibits.drawing.style import (
    BLACK,
    JSD_TICKS,
    PAGE,
    UNIT_TICKS,
    colour_of,
    name_axes,
    new_figure,
    paired_panels,
    single_panels,
)
from attnnn.exhibits.drawing.violins import class_handles, violins, write_counts
from attnnn.exhibits.finished import Floats, Ints, Results, require_same_documents
from attnnn.exhibits.groups import bin_of, in_order, name_of, series_of
from attnnn.measures import predicted_class
from attnnn.study.runs import seed_runs

CHANGE_LIMITS = (-0.05, 1.05)
JSD_LIMITS = (-0.05, 0.72)
_SHIFT_LIMITS = (-0.05, 0.7)
_PANEL, _LOG_ODDS_PANEL = 1.5, 1.6  # inches of height
_MARKERS = {0: "o", 1: "D"}


def permuted(results: Results) -> Figure:
    """Figure 6 of Jain & Wallace 2019: median |Δp| under permutation, by the largest weight and class."""
    corpora = list(results.study.corpora)
    figure, axes = single_panels(len(corpora), _PANEL + 0.2)
    classes: set[int | None] = set()
    for axis, corpus in zip(axes, corpora, strict=True):
        table = results.permutation(corpus)
        bins, predicted = bin_of(table.floats("max_attention")), table.ints("predicted")
        violins(axis, table.floats("median_change"), bins, predicted, CHANGE_LIMITS)
        write_counts(axis, bins, predicted)
        classes |= set(series_of(predicted))
        axis.set_title(corpus)
        axis.set_xticks(*UNIT_TICKS)
    several = {results.multiclass(name) for name in corpora}
    measure = " or ".join("TVD" if many else "|Δp|" for many in sorted(several))
    x = f"{measure}, median of\n{results.study.permutations} permutations"
    name_axes(dict.fromkeys(axes, x), "max attention")
    _legend(figure, classes)
    return figure


def adversaries(results: Results) -> Figure:
    """Figure 8 of Jain & Wallace 2019: ε-max JSD of the searched and of the exact adversary.

    By the largest weight and predicted class. For more than two classes the best known adversary stands
    for the exact one.
    """
    corpora = list(results.study.corpora)
    figure, panels = paired_panels(len(corpora), _PANEL)
    classes: set[int | None] = set()
    kinds = {results.multiclass(name) for name in corpora}
    words = " or ".join("best known" if several else "exact" for several in sorted(kinds))
    x: dict[Axes, str] = {}
    for (left, right), corpus in zip(panels, corpora, strict=True):
        base, searched, exact = results.adversaries(corpus)
        bins, predicted = bin_of(base.ragged("attention").maxima()), base.predicted
        for axis, table, name in ((left, searched, "searched"), (right, exact, words)):
            violins(axis, table.floats("jsd"), bins, predicted, JSD_LIMITS)
            axis.set_xticks(*JSD_TICKS)
            x[axis] = f"ε-max JSD,\n{name}, nats"
        right.tick_params(labelleft=False)
        write_counts(right, bins, predicted)
        classes |= set(series_of(predicted))
        left.set_title(f"{corpus}, {_search(results, corpus)}", loc="left")
        if results.multiclass(corpus):
            right.set_title(known_as(exact), loc="left")
    name_axes(x, "max attention")
    _legend(figure, classes)
    return figure


def attention_shift(results: Results) -> Figure:
    """Figure 3 of Wiegreffe & Pinter 2019: how far attention moves, by how peaked it was.

    One row per corpus: JSD to other seeds, ε-max JSD of the searched and of the exact adversary.
    """
    corpora = list(results.study.corpora)
    figure = new_figure(PAGE, 1.55 * len(corpora) + 0.5)
    grid = figure.subplots(len(corpora), 3, squeeze=False, sharex=True, sharey=True)
    classes: set[int] = set()
    for row, corpus in zip(grid, corpora, strict=True):
        classes |= _shift_row(results, corpus, row)
    names = (
        "JSD to another seed,\nmedian over seeds, nats",
        "ε-max JSD of the\nsearched adversary, nats",
        "ε-max JSD of the\nexact adversary, nats",
    )
    name_axes(
        {axis: name for row in grid for axis, name in zip(row, names, strict=True)}, "max attention"
    )
    _legend(figure, classes)
    return figure


def _shift_row(results: Results, corpus: str, axes: Sequence[Axes]) -> set[int]:
    runs = [results.divergence(run) for run in seed_runs(results.study, corpus)]
    base, searched, exact = results.adversaries(corpus)
    require_same_documents(base, *runs)
    bins, predicted = bin_of(base.ragged("attention").maxima()), base.predicted
    over_seeds = np.median([run.floats("jsd") for run in runs], axis=0)
    values = over_seeds, searched.floats("jsd"), exact.floats("jsd")
    for axis, jsd in zip(axes, values, strict=True):
        violins(axis, jsd, bins, predicted, _SHIFT_LIMITS)
    left, middle, right = axes
    write_counts(right, bins, predicted)
    left.set_title(f"{corpus}, {len(runs)} seeds")
    middle.set_title(_search(results, corpus))
    right.set_title(f"ε = {results.study.protocol_of(corpus).epsilon_select:g}")
    return {int(k) for k in np.unique(predicted)}


def _search(results: Results, corpus: str) -> str:
    """At which ε the search sought an adversary, and for how many documents it found one."""
    epsilon = results.study.protocol_of(corpus).epsilon_select
    share = 100 * results.searched(corpus).flags("found").mean()
    return f"ε = {epsilon:g}, found for {share:.1f} %"


def log_odds(results: Results) -> Figure:
    """Log-odds attention at test: |Δp| against JSD of every test document, and violins by JSD and class."""
    corpora = list(results.study.corpora)
    figure, panels = paired_panels(len(corpora), _LOG_ODDS_PANEL)
    classes: set[int | None] = set()
    x: dict[Axes, str] = {}
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
        # No two neighbours share y.
        left.set_ylabel("|Δp|")
        right.set_ylabel("JSD / ln 2")
        right.set_xticks(*UNIT_TICKS)
        x |= {left: "JSD, nats", right: "|Δp|"}
    name_axes(x, "|Δp|")
    shown: Any = [
        (bar, Line2D([], [], markersize=4, **_mark_style(class_)))
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
    axis.set_xticks(*JSD_TICKS)
    axis.set_yticks(*UNIT_TICKS)


def _mark_style(class_: int | None) -> dict[str, Any]:
    return {
        "linestyle": "",
        "marker": _MARKERS[class_ or 0],
        "markerfacecolor": colour_of(class_),
        "markeredgecolor": BLACK,
        "markeredgewidth": 0.3,
    }


def _legend(figure: Figure, classes: Iterable[int | None]) -> None:
    handles = class_handles(classes)
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
