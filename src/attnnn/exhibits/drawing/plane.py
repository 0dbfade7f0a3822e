"""Figures 5 and 6 of Wiegreffe & Pinter 2019: predictions' TVD against attention's JSD to the base model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from attnnn.exhibits.drawing.labels import label_lambdas
from attnnn.exhibits.drawing.style import (
    BLACK,
    BLUE,
    COLUMN,
    GREEN,
    GREY,
    ORANGE,
    PAGE,
    PURPLE,
    VERMILION,
    YELLOW,
    hide_unused,
    new_figure,
    panel_grid,
    settle,
)
from attnnn.exhibits.finished import Floats, Results, Table
from attnnn.exhibits.sweeps import headline_tvd, lambda_of
from attnnn.study.model import Run
from attnnn.study.runs import adversary_runs, adversary_seeds, base_run, seed_runs, uniform_run

LN2 = float(np.log(2))
_SAME_SEED: dict[str, Any] = {"color": BLUE, "linestyle": "-", "marker": "o", "markersize": 3.2}
_OTHER_SEED: dict[str, Any] = {
    "color": PURPLE,
    "linestyle": ":",
    "marker": "o",
    "markersize": 3.2,
    "markerfacecolor": "white",
}
_EDGE = {"markeredgecolor": BLACK, "markeredgewidth": 0.5}
_MARKS: dict[str, dict[str, Any]] = {
    "seeds": {"marker": "^", "color": ORANGE, "markersize": 4.5, **_EDGE},
    "uniform": {"marker": "s", "color": GREEN, "markersize": 4.5, **_EDGE},
    "searched": {"marker": "P", "color": VERMILION, "markersize": 6, **_EDGE},
    "exact": {"marker": "*", "color": YELLOW, "markersize": 8, **_EDGE},
    "candidates": {"marker": "x", "color": VERMILION, "markersize": 4},
}
_NAMES = {
    "seeds": "another seed of the base model",
    "uniform": "uniform attention",
    "searched": "searched adversary, ε-max",
    "exact": "exact adversary, ε-max",
    "candidates": "searched, mean of all candidates",
}
_BOUND: dict[str, Any] = {"fontsize": 7, "color": GREY, "ha": "center", "va": "bottom"}
_TVD_LABELS = {"tvd": "mean TVD, |Δp|", "tvd_half": "mean TVD, ½|Δp|"}


@dataclass(frozen=True)
class PlanePoints:
    """Mean JSD and mean TVD to the base model of everything that figure 5 shows of one corpus.

    Attributes:
        sweeps: JSD and TVD of each λ, shape (lambdas, 2), by whether the sweep has the base model's
            seed; the headline sweep comes first.
        lambdas: ascending.
        seeds: shape (seeds, 2).
        uniform: shape (2,).
        searched: the ε-max candidate of each document, shape (2,).
        exact: the exact adversary of each document, shape (2,).
        candidates: mean over all K candidates, shape (2,).
        documents: how many documents every point is a mean over.
    """

    sweeps: dict[bool, Floats]
    lambdas: list[float]
    seeds: Floats
    uniform: Floats
    searched: Floats
    exact: Floats
    candidates: Floats
    documents: int


def points_of(results: Results, corpus: str, predicted: int | None = None) -> PlanePoints:
    """The points of one corpus on the test split.

    Args:
        results: the study's tables.
        corpus: the corpus.
        predicted: only documents that the base model puts into this class; None: all.
    """
    study = results.study
    base = results.predictions(base_run(study, corpus))
    chosen = np.ones(len(base), bool) if predicted is None else base.predicted == predicted
    kept = base.ints("document")[chosen]
    metric = headline_tvd(study, corpus)
    scale = 1.0 if metric == "tvd" else 0.5

    def means(table: Table, tvd: Floats) -> Floats:
        rows = np.isin(table.ints("document"), kept)
        if not rows.any():
            return np.full(2, np.nan)
        return np.array([table.floats("jsd")[rows].mean(), tvd[rows].mean()])

    def of_runs(runs: list[Run]) -> Floats:
        tables = [results.divergence(run) for run in runs]
        return np.array([means(table, table.floats(metric)) for table in tables])

    seeds = adversary_seeds(study, corpus)
    searched, candidates = results.searched(corpus), results.candidates(corpus)
    exact = results.exact(corpus)
    return PlanePoints(
        sweeps={
            seed == study.base_seed: of_runs(adversary_runs(study, corpus, seed)) for seed in seeds
        },
        lambdas=[lambda_of(run) for run in adversary_runs(study, corpus, seeds[0])],
        seeds=of_runs(seed_runs(study, corpus)),
        uniform=of_runs([uniform_run(study, corpus)])[0],
        searched=means(searched, scale * searched.floats("change")),
        exact=means(exact, scale * (exact.floats("epsilon") - exact.floats("slack"))),
        candidates=means(candidates, scale * candidates.floats("change")),
        documents=len(kept),
    )


def prediction_against_attention(results: Results) -> Figure:
    """Figure 5: one panel per corpus."""
    return _figure(results, [None], narrow=2.5, wide=2.2)


def prediction_against_attention_by_class(results: Results) -> Figure:
    """Figure 6: the same by the class that the base model predicts, class 0 on top."""
    return _figure(results, [0, 1], narrow=2.1, wide=1.95)


def _figure(
    results: Results, classes: Sequence[int | None], *, narrow: float, wide: float
) -> Figure:
    """Panels of all corpora, those of one corpus's classes one above the other.

    TVD is named beside the first panel of a row and wherever its scale changes; JSD under every panel
    where classes are told apart, and otherwise under those that have none beneath.

    Args:
        results: the study's tables.
        classes: predicted classes, or None for all documents.
        narrow: height of a panel where at most two stand side by side, inches.
        wide: where more do.
    """
    corpora, deep = list(results.study.corpora), len(classes)
    bands, columns = panel_grid(len(corpora))
    height = bands * deep * (narrow if columns < 3 else wide) + 0.75
    figure = new_figure(COLUMN if columns == 1 else PAGE, height)
    grid = figure.subplots(deep * bands, columns, squeeze=False, sharex=True)
    labels = [_TVD_LABELS[headline_tvd(results.study, corpus)] for corpus in corpora]
    panels = []
    for place in range(bands * columns):
        band, column = divmod(place, columns)
        axes = grid[deep * band : deep * (band + 1), column]
        if place >= len(corpora):
            hide_unused(axes)
            continue
        for class_, axis in zip(classes, axes, strict=True):
            points = points_of(results, corpora[place], class_)
            of_class = f", predicted class {class_} (n = {points.documents})"
            axis.set_title(corpora[place] + ("" if class_ is None else of_class))
            _panel(axis, points)
            if column == 0 or labels[place] != labels[place - 1]:
                axis.set_ylabel(labels[place])
            if deep > 1 or place >= len(corpora) - columns:
                axis.set_xlabel("mean JSD, nats")
            panels.append((axis, points))
    _legend(results, figure, narrow=columns == 1)
    _label_panels(figure, panels)
    return figure


def _panel(axis: Axes, points: PlanePoints) -> None:
    axis.axvline(LN2, color=GREY, linewidth=0.5, linestyle=(0, (1, 2)), zorder=0)
    for same, sweep in points.sweeps.items():
        axis.plot(*sweep.T, **_sweep_style(same), linewidth=1.0, zorder=3)
    for name, style in _MARKS.items():
        # A mark on an axis stays whole.
        axis.plot(*getattr(points, name).T, **style, linestyle="none", zorder=4, clip_on=False)
    axis.set_xlim(-0.02, 0.72)
    axis.set_xticks([0, 0.2, 0.4, 0.6])
    axis.yaxis.set_major_locator(MaxNLocator(5))
    axis.margins(y=0.1)
    axis.set_ylim(bottom=0)
    axis.tick_params(labelbottom=True)
    axis.text(LN2, 1.0, "ln 2", transform=axis.get_xaxis_transform(), **_BOUND)


def _sweep_style(same: bool) -> dict[str, Any]:
    return _SAME_SEED if same else _OTHER_SEED


def _label_panels(figure: Figure, panels: Sequence[tuple[Axes, PlanePoints]]) -> None:
    """Write λ beside the points of the first sweep of every panel, once the layout is final."""
    settle(figure)
    for axis, points in panels:
        if not points.documents:
            axis.text(0.5, 0.5, "no document", transform=axis.transAxes, ha="center", va="center")
            continue
        same, sweep = next(iter(points.sweeps.items()))
        single = np.stack([points.uniform, points.searched, points.exact, points.candidates])
        label_lambdas(
            axis,
            sweep,
            points.lambdas,
            marks=np.concatenate([*points.sweeps.values(), points.seeds, single]),
            lines=list(points.sweeps.values()),
            colour=_sweep_style(same)["color"],
        )


def _legend(results: Results, figure: Figure, *, narrow: bool) -> None:
    study = results.study
    seeds = {seed for name in study.corpora for seed in adversary_seeds(study, name)}
    words = {True: "the base model's seed", False: "another seed"}
    handles = [
        Line2D([], [], **_sweep_style(same), label=f"trained adversaries (λ), {words[same]}")
        for same in sorted({seed == study.base_seed for seed in seeds}, reverse=True)
    ]
    handles += [
        Line2D([], [], **style, linestyle="none", label=_NAMES[name])
        for name, style in _MARKS.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=1 if narrow else 3)
