"""Figures 6 and 8 of Jain & Wallace 2019: permuted and adversarial attention, by how peaked it was."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attnnn.exhibits.drawing.histograms import known_as
from attnnn.exhibits.drawing.style import (
    COLUMN,
    PAGE,
    hide_unused,
    new_figure,
    paired_panels,
    panel_grid,
)
from attnnn.exhibits.drawing.violins import class_handles, violins, write_counts
from attnnn.exhibits.finished import Results, require_same_documents
from attnnn.exhibits.groups import bin_of, series_of
from attnnn.study.runs import base_run

CHANGE_LIMITS = (-0.05, 1.05)
JSD_LIMITS = (-0.05, 0.72)
_PANEL = 1.5  # inches of height


def permuted(results: Results) -> Figure:
    """Figure 6: median |Δp| under permutation, by the largest weight and predicted class."""
    study = results.study
    corpora = list(study.corpora)
    rows, columns = panel_grid(len(corpora))
    figure = new_figure(COLUMN if columns == 1 else PAGE, (_PANEL + 0.2) * rows + 0.55)
    axes = list(figure.subplots(rows, columns, squeeze=False).ravel())
    classes: set[int | None] = set()
    for place, (axis, corpus) in enumerate(zip(axes, corpora, strict=False)):
        table = results.permutation(corpus)
        bins, predicted = bin_of(table.floats("max_attention")), table.ints("predicted")
        violins(axis, table.floats("median_change"), bins, predicted, CHANGE_LIMITS)
        write_counts(axis, bins, predicted)
        classes |= set(series_of(predicted))
        axis.set_title(corpus)
        axis.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
        if place % columns == 0:
            axis.set_ylabel("max attention")
        if place >= len(corpora) - columns:
            several = {results.multiclass(name) for name in corpora}
            measure = " or ".join("TVD" if many else "|Δp|" for many in sorted(several))
            axis.set_xlabel(f"{measure}, median of\n{study.permutations} permutations")
    hide_unused(axes[len(corpora) :])
    handles = class_handles(classes)
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def adversaries(results: Results) -> Figure:
    """Figure 8: ε-max JSD of the searched and of the exact adversary, by the largest weight and class.

    For more than two classes the best known adversary stands for the exact one.
    """
    study = results.study
    corpora = list(study.corpora)
    figure, panels = paired_panels(len(corpora), _PANEL)
    classes: set[int | None] = set()
    for (left, right), corpus in zip(panels, corpora, strict=True):
        base = results.predictions(base_run(study, corpus))
        searched, exact = results.searched(corpus), results.exact(corpus)
        require_same_documents(base, searched, exact)
        bins, predicted = bin_of(base.ragged("attention").maxima()), base.predicted
        for axis, table in ((left, searched), (right, exact)):
            violins(axis, table.floats("jsd"), bins, predicted, JSD_LIMITS)
        right.tick_params(labelleft=False)
        write_counts(right, bins, predicted)
        classes |= set(series_of(predicted))
        epsilon = study.protocol_of(corpus).epsilon_select
        share = 100 * searched.flags("found").mean()
        left.set_title(f"{corpus}, ε = {epsilon:g}, found for {share:.1f} %", loc="left")
        if results.multiclass(corpus):
            right.set_title(known_as(exact), loc="left")
    kinds = {results.multiclass(name) for name in corpora}
    words = " or ".join("best known" if several else "exact" for several in sorted(kinds))
    _name_axes(panels, words)
    handles = class_handles(classes)
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _name_axes(panels: Sequence[tuple[Axes, Axes]], words: str) -> None:
    """Name y in the first column and x under every column of the searched and of the exact adversary."""
    names = {0: "ε-max JSD,\nsearched, nats", 1: f"ε-max JSD,\n{words}, nats"}
    lowest: dict[int, tuple[Axes, str]] = {}
    for pair in panels:
        for which, axis in enumerate(pair):
            axis.set_xticks([0, 0.2, 0.4, 0.6], ["0", ".2", ".4", ".6"])
            place = axis.get_subplotspec()
            assert place is not None
            if place.is_first_col():
                axis.set_ylabel("max attention")
            lowest[place.colspan.start] = axis, names[which]
    for axis, name in lowest.values():
        axis.set_xlabel(name)
