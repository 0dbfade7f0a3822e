"""Figure 3 of Wiegreffe & Pinter 2019: how far attention moves, by how peaked it was."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attnnn.exhibits.drawing.style import PAGE, new_figure
from attnnn.exhibits.drawing.violins import JSD_LIMITS, class_handles, violins, write_counts
from attnnn.exhibits.finished import Results, require_same_documents
from attnnn.exhibits.groups import bin_of
from attnnn.study.runs import seed_runs


def attention_shift(results: Results) -> Figure:
    """One row per corpus: JSD to other seeds, ε-max JSD of the searched and of the exact adversary."""
    corpora = list(results.study.corpora)
    figure = new_figure(PAGE, 1.55 * len(corpora) + 0.5)
    grid = figure.subplots(len(corpora), 3, squeeze=False, sharex=True, sharey=True)
    classes: set[int] = set()
    for row, corpus in zip(grid, corpora, strict=True):
        classes |= _row(results, corpus, row)
    for axis, label in zip(
        grid[-1],
        (
            "JSD to another seed,\nmedian over seeds, nats",
            "ε-max JSD of the\nsearched adversary, nats",
            "ε-max JSD of the\nexact adversary, nats",
        ),
        strict=True,
    ):
        axis.set_xlabel(label)
    handles = class_handles(classes)
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _row(results: Results, corpus: str, axes: Sequence[Axes]) -> set[int]:
    study = results.study
    runs = [results.divergence(run) for run in seed_runs(study, corpus)]
    searched, exact = results.searched(corpus), results.exact(corpus)
    require_same_documents(*runs, searched, exact)
    left, middle, right = axes
    bins = bin_of(runs[0].floats("base_max_attention"))
    predicted = runs[0].ints("base_predicted")
    over_seeds = np.median([run.floats("jsd") for run in runs], axis=0)
    violins(left, over_seeds, bins, predicted, JSD_LIMITS)
    violins(middle, searched.floats("jsd"), bins, predicted, JSD_LIMITS)
    violins(right, exact.floats("jsd"), bins, predicted, JSD_LIMITS)
    write_counts(right, bins, predicted)
    left.set_title(f"{corpus}, {len(runs)} seeds")
    epsilon = study.protocol_of(corpus).epsilon_select
    share = 100 * searched.flags("found").mean()
    middle.set_title(f"ε = {epsilon:g}, found for {share:.1f} %")
    right.set_title(f"ε = {epsilon:g}")
    left.set_ylabel("max attention")
    return {int(k) for k in np.unique(predicted)}
