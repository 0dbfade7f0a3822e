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

from attnnn.exhibits.drawing.lambda_labels import label_lambdas
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
from attnnn.exhibits.finished import Divergence, Floats, Results, Table
from attnnn.exhibits.sweeps import headline_tvd, lambda_of
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
_BOUND: dict[str, Any] = {
    "fontsize": 7,
    "color": GREY,
    "ha": "center",
    "va": "bottom",
}


@dataclass(frozen=True)
class Points:
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


def points_of(results: Results, corpus: str, predicted: int | None = None) -> Points:
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

    def mean(table: Table | Divergence, tvd: Floats) -> Floats:
        rows = np.isin(table.ints("document"), kept)
        if not rows.any():
            return np.full(2, np.nan)
        return np.array([table.floats("jsd")[rows].mean(), tvd[rows].mean()])

    def point(table: Table | Divergence, tvd: str, factor: float = 1.0) -> Floats:
        return mean(table, factor * table.floats(tvd))

    exact = results.exact(corpus)

    sweeps = {}
    for seed in adversary_seeds(study, corpus):
        runs = adversary_runs(study, corpus, seed)
        sweeps[seed == study.base_seed] = np.array(
            [point(results.divergence(run), metric) for run in runs]
        )
    return Points(
        sweeps=sweeps,
        lambdas=[lambda_of(run) for run in runs],
        seeds=np.array(
            [point(results.divergence(run), metric) for run in seed_runs(study, corpus)]
        ),
        uniform=point(results.divergence(uniform_run(study, corpus)), metric),
        searched=point(results.searched(corpus), "change", scale),
        exact=mean(exact, scale * (exact.floats("epsilon") - exact.floats("slack"))),
        candidates=point(results.candidates(corpus), "change", scale),
        documents=len(kept),
    )


def prediction_against_attention(results: Results) -> Figure:
    """Figure 5: one panel per corpus."""
    corpora = list(results.study.corpora)
    rows, columns = panel_grid(len(corpora))
    width = COLUMN if columns == 1 else PAGE
    figure = new_figure(width, rows * (2.5 if columns < 3 else 2.2) + 0.75)
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel()
    shown = []
    for axis, corpus in zip(axes, corpora, strict=False):
        axis.set_title(corpus)
        shown.append((axis, points_of(results, corpus)))
        _panel(*shown[-1])
    _label_axes(results, list(axes[: len(corpora)]), corpora, columns)
    hide_unused(list(axes[len(corpora) :]))
    _legend(results, figure, narrow=columns == 1)
    _label_panels(figure, shown)
    return figure


def prediction_against_attention_by_class(results: Results) -> Figure:
    """Figure 6: the same by the class that the base model predicts, class 0 on top."""
    corpora = list(results.study.corpora)
    _, columns = panel_grid(len(corpora))
    bands = -(-len(corpora) // columns)
    width = COLUMN if columns == 1 else PAGE
    figure = new_figure(width, bands * 2 * (2.1 if columns < 3 else 1.95) + 0.75)
    grid = figure.subplots(2 * bands, columns, squeeze=False, sharex=True)
    panels = []
    for place in range(bands * columns):
        pair = grid[2 * (place // columns) : 2 * (place // columns) + 2, place % columns]
        if place >= len(corpora):
            hide_unused(list(pair))
            continue
        for class_, axis in enumerate(pair):
            points = points_of(results, corpora[place], class_)
            axis.set_title(f"{corpora[place]}, predicted class {class_} (n = {points.documents})")
            _panel(axis, points)
            panels.append((axis, points))
    for band in range(bands):
        names = corpora[band * columns : (band + 1) * columns]
        for row in (2 * band, 2 * band + 1):
            _label_axes(results, list(grid[row, : len(names)]), names, columns)
    _legend(results, figure, narrow=columns == 1)
    _label_panels(figure, panels)
    return figure


def _panel(axis: Axes, points: Points) -> None:
    axis.axvline(LN2, color=GREY, linewidth=0.5, linestyle=(0, (1, 2)), zorder=0)
    for same, sweep in points.sweeps.items():
        axis.plot(*sweep.T, **_sweep_style(same), linewidth=1.0, zorder=3)
    for name, place in (
        ("seeds", points.seeds.T),
        ("uniform", points.uniform),
        ("searched", points.searched),
        ("exact", points.exact),
        ("candidates", points.candidates),
    ):
        # A mark on an axis stays whole.
        axis.plot(*place, **_MARKS[name], linestyle="none", zorder=4, clip_on=False)
    axis.set_xlim(-0.02, 0.72)
    axis.set_xticks([0, 0.2, 0.4, 0.6])
    axis.yaxis.set_major_locator(MaxNLocator(5))
    axis.margins(y=0.1)
    axis.set_ylim(bottom=0)
    axis.text(LN2, 1.0, "ln 2", transform=axis.get_xaxis_transform(), **_BOUND)


def _sweep_style(same: bool) -> dict[str, Any]:
    return _SAME_SEED if same else _OTHER_SEED


def _label_axes(
    results: Results, axes: Sequence[Axes], corpora: Sequence[str], columns: int
) -> None:
    """Name x under every panel that has none of the same column beneath, y wherever it changes."""
    words = {"tvd": "mean TVD, |Δp|", "tvd_half": "mean TVD, ½|Δp|"}
    previous = ""
    for place, (axis, corpus) in enumerate(zip(axes, corpora, strict=True)):
        label = words[headline_tvd(results.study, corpus)]
        if place % columns == 0 or label != previous:
            axis.set_ylabel(label)
        previous = label
        axis.tick_params(labelbottom=True)
        if place >= len(corpora) - columns:
            axis.set_xlabel("mean JSD, nats")


def _label_panels(figure: Figure, panels: Sequence[tuple[Axes, Points]]) -> None:
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
    words_of = {
        "seeds": "another seed of the base model",
        "uniform": "uniform attention",
        "searched": "searched adversary, ε-max",
        "exact": "exact adversary, ε-max",
        "candidates": "searched, mean of all candidates",
    }
    handles += [
        Line2D([], [], **_MARKS[name], linestyle="none", label=label)
        for name, label in words_of.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=1 if narrow else 3)
