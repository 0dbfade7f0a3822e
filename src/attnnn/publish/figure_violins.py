"""Figure 3 of Wiegreffe & Pinter 2019: how far attention moves, by how peaked it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from attnnn import design
from attnnn.publish.bins import MAX_ATTENTION_BINS, bin_of
from attnnn.publish.results import Floats, Ints, Results, require_same_documents
from attnnn.publish.style import BLACK, CLASS_COLOURS, GREY, PAGE, new_figure

X_LIMITS = (-0.05, 0.7)
_HATCHES = ("", "////", "....", "xxxx", "++++", "\\\\\\\\")
_HALF = 0.42  # height of one half of a violin, in bins
_FEWEST = 5  # documents; fewer are drawn one by one, since a density of them would be invention
_DOT: dict[str, Any] = {"markersize": 3, "markeredgewidth": 0.4, "markeredgecolor": BLACK}
_FINEST = 0.003  # nats: a narrower kernel would be thinner than its outline
_CUT = 0.02  # how far a density reaches beyond its data, nats


def attention_shift(results: Results) -> Figure:
    """One row a corpus: JSD to other seeds, ε-max JSD of the searched and of the exact adversary."""
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
    handles = [
        Patch(
            facecolor=CLASS_COLOURS[k],
            edgecolor=BLACK,
            linewidth=0.5,
            hatch=_HATCHES[k],
            label=f"predicted class {k}",
        )
        for k in sorted(classes)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _row(results: Results, corpus: str, axes: Sequence[Axes]) -> set[int]:
    study = results.study
    runs = [results.divergence(run) for run in design.seed_runs(study, corpus)]
    searched, exact = results.searched(corpus), results.exact(corpus)
    require_same_documents(*runs, searched, exact)
    left, middle, right = axes
    bins = bin_of(runs[0].floats("base_max_attention"))
    predicted = runs[0].ints("base_predicted")
    over_seeds = np.median([run.floats("jsd") for run in runs], axis=0)
    _panel(left, over_seeds, bins, predicted)
    _panel(middle, searched.floats("jsd"), bins, predicted)
    _panel(right, exact.floats("jsd"), bins, predicted)
    _write_counts(right, bins, predicted)
    left.set_title(f"{corpus}, {len(runs)} seeds")
    epsilon = study.protocol_of(corpus).epsilon_select
    share = 100 * searched.flags("found").mean()
    middle.set_title(f"ε = {epsilon:g}, found for {share:.1f} %")
    right.set_title(f"ε = {epsilon:g}")
    left.set_ylabel("max attention")
    return {int(k) for k in np.unique(predicted)}


def _panel(axis: Axes, jsd: Floats, bins: Ints, predicted: Ints) -> None:
    places = range(len(MAX_ATTENTION_BINS))
    for place in places:
        axis.axhline(place, color=GREY, linewidth=0.3, zorder=0)
        for class_ in np.unique(predicted):
            _half_violin(axis, jsd[(bins == place) & (predicted == class_)], place, int(class_))
    axis.set_xlim(X_LIMITS)
    axis.set_ylim(-0.6, len(MAX_ATTENTION_BINS) - 0.4)
    axis.set_yticks(list(places), MAX_ATTENTION_BINS)


def _write_counts(axis: Axes, bins: Ints, predicted: Ints) -> None:
    """How many documents of each class every violin stands for, beside the last panel of a row."""
    for place in range(len(MAX_ATTENTION_BINS)):
        for class_ in np.unique(predicted):
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


def _half_violin(axis: Axes, values: Floats, place: int, class_: int) -> None:
    """Class 0 above its bin's line, class 1 below, as in Jain & Wallace's figures; dots for a few."""
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
