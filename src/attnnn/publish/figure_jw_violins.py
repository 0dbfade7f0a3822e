"""Figures 6 and 8 of Jain & Wallace 2019: permuted and adversarial attention, by how peaked it was."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from attnnn import design
from attnnn.publish.bins import bin_of
from attnnn.publish.results import Ints, Results, require_same_documents
from attnnn.publish.style import (
    COLUMN,
    PAGE,
    hide_unused,
    new_figure,
    paired_panels,
    pairs_across,
    panel_grid,
)
from attnnn.publish.violins import class_handles, violins, write_counts

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
    classes: set[int] = {0, 1}
    for place, (axis, corpus) in enumerate(zip(axes, corpora, strict=False)):
        table = results.permutation(corpus)
        bins, predicted = bin_of(table.floats("max_attention")), table.ints("predicted")
        violins(axis, table.floats("median_change"), bins, predicted, CHANGE_LIMITS)
        write_counts(axis, bins, predicted)
        classes |= _classes(predicted)
        axis.set_title(corpus)
        axis.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
        if place % columns == 0:
            axis.set_ylabel("max attention")
        if place >= len(corpora) - columns:
            axis.set_xlabel(f"|Δp|, median of {study.permutations}\npermutations")
    hide_unused(axes[len(corpora) :])
    handles = class_handles(classes)
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def adversaries(results: Results) -> Figure:
    """Figure 8: ε-max JSD of the searched and of the exact adversary, by the largest weight and class."""
    study = results.study
    corpora = list(study.corpora)
    figure, pairs = paired_panels(len(corpora), _PANEL)
    across = pairs_across(len(corpora))
    classes: set[int] = {0, 1}
    for place, ((left, right), corpus) in enumerate(zip(pairs, corpora, strict=True)):
        base = results.predictions(design.base_run(study, corpus))
        searched, exact = results.searched(corpus), results.exact(corpus)
        require_same_documents(base, searched, exact)
        bins, predicted = bin_of(base.ragged("attention").maxima()), base.predicted
        violins(left, searched.floats("jsd"), bins, predicted, JSD_LIMITS)
        violins(right, exact.floats("jsd"), bins, predicted, JSD_LIMITS)
        for axis in (left, right):
            axis.set_xticks([0, 0.2, 0.4, 0.6], ["0", ".2", ".4", ".6"])
        right.tick_params(labelleft=False)
        write_counts(right, bins, predicted)
        classes |= _classes(predicted)
        epsilon = study.protocol_of(corpus).epsilon_select
        share = 100 * searched.flags("found").mean()
        # There is room above the right panel, too.
        left.set_title(f"{corpus}, ε = {epsilon:g}, found for {share:.1f} %", loc="left")
        if place % across == 0:
            left.set_ylabel("max attention")
        if place >= len(corpora) - across:
            left.set_xlabel("ε-max JSD,\nsearched, nats")
            right.set_xlabel("ε-max JSD,\nexact, nats")
    handles = class_handles(classes)
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _classes(predicted: Ints) -> set[int]:
    return {int(k) for k in np.unique(predicted)}
