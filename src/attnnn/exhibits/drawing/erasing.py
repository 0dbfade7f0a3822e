"""Figures of Serrano & Smith 2019: what erasing one attention weight does, or all in a given order."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from attnnn.exhibits.drawing.style import (
    BLACK,
    BLUE,
    COLUMN,
    GREEN,
    GREY,
    ORANGE,
    PAGE,
    PALE,
    PURPLE,
    SKY,
    UNIT_TICKS,
    VERMILION,
    YELLOW,
    hide_unused,
    name_axes,
    new_figure,
    panel_grid,
    write_beside,
)
from attnnn.exhibits.drawing.violins import FEWEST
from attnnn.exhibits.drawn_erasures import (
    RANKINGS,
    Contrasts,
    contrasts,
    drawn_runs,
    label_of,
    until_flip,
)
from attnnn.exhibits.finished import Floats, Results
from attnnn.study.config import Study
from attnnn.study.model import Run

WEIGHT_EDGES = np.linspace(0, 1, 21)  # Δα, in the paper's bins of .05
_JS_BINS = 30
_CELLS = 32  # hexagons in an inch
_ACROSS = 4  # panels in a row, at most
_LONGEST = 28  # characters of a title in one line
_TALLEST = 10.0  # inches that a figure tries to fit in
_LOWEST = 1.0  # inches of a row of panels, at least
# From a blue that one document is seen in.
_SHADES = LinearSegmentedColormap.from_list("documents", ["#A9CCE8", BLUE, "#00233F"])
_NOTE: dict[str, Any] = {"fontsize": 6.5, "va": "top", "linespacing": 1.15}
_FLIPS: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {
    "only i*": ((1, 0), {"facecolor": BLUE}),
    "both": ((1, 1), {"facecolor": SKY, "hatch": "...."}),
    "only r": ((0, 1), {"facecolor": ORANGE, "hatch": "////"}),
    "neither": ((0, 0), {"facecolor": PALE}),
}
_COLOURS = dict(
    zip(RANKINGS, (GREY, BLUE, ORANGE, GREEN, SKY, PURPLE, YELLOW, VERMILION), strict=True)
)
WHISKERS = 5, 95  # percentiles
_SIZE: dict[str, Any] = {"points": 2, "size": 5.5}  # of numbers beside boxes


def single_weights(results: Results) -> Figure:
    """ΔJS over Δα of the highest weight against a random other: a panel per corpus and model."""
    figure, panels = _panels(results, 1.55, below=0.8)
    drawn = {axis: contrasts(results, run) for axis, run in panels.items()}
    limits = {
        corpus: _js_limits([drawn[axis].js for axis, run in panels.items() if run.corpus == corpus])
        for corpus in results.study.corpora
    }
    cells = _hexagons(figure, next(iter(panels)))
    clouds = [_cloud(axis, drawn[axis], limits[run.corpus], cells) for axis, run in panels.items()]
    for axis, run in panels.items():
        top = _marginals(axis, drawn[axis], limits[run.corpus])
        top.set_title(_title(run), loc="left", fontsize=7, pad=11)
        top.annotate(
            _share_of_negative(drawn[axis]),
            (0, 1),
            xycoords="axes fraction",
            xytext=(0, 2),
            textcoords="offset points",
            fontsize=6,
        )
    _shade(figure, list(panels), clouds)
    _name(panels, "Δα", "ΔJS, nats")
    for (_, before), (axis, run) in pairwise(panels.items()):
        if before.corpus != run.corpus:
            axis.tick_params(labelleft=True)
    return figure


def negative_contrasts(results: Results) -> Figure:
    """Δα of the documents with negative ΔJS, and of all: a panel per corpus and model."""
    figure, panels = _panels(results, 1.15)
    highest = 0.0
    for axis, run in panels.items():
        one = contrasts(results, run)
        negative, of_all = shares(one.weight[one.negative]), shares(one.weight)
        axis.stairs(negative, WEIGHT_EDGES, fill=True, color=ORANGE, linewidth=0)
        axis.stairs(of_all, WEIGHT_EDGES, color=BLACK, linewidth=0.8)
        highest = max(highest, *negative, *of_all)
        axis.set_xlim(-0.02, 1.02)
        axis.set_xticks(*UNIT_TICKS)
        text = f"n = {one.negative.sum()}\nof {len(one.js)}"
        axis.text(0.97, 0.97, text, transform=axis.transAxes, ha="right", **_NOTE)
        axis.set_title(_title(run), loc="left", fontsize=7)
    for axis in panels:
        axis.set_ylim(0, 1.03 * (highest or 1))
        axis.yaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    _name(panels, "Δα", "fraction")
    handles: list[Any] = [
        Patch(color=ORANGE, linewidth=0, label="documents with ΔJS < 0"),
        Line2D([], [], color=BLACK, linewidth=0.8, label="all documents"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=_legend_columns(figure, 2))
    return figure


def shares(values: Floats) -> Floats:
    """The share of Δα in every bin; zeros where there is none."""
    counts, _ = np.histogram(values, WEIGHT_EDGES)
    return np.asarray(counts / max(len(values), 1))


def decision_flips(results: Results) -> Figure:
    """Whose erasure changes the decision, that of i* or that of r: a panel per corpus, a bar per model."""
    study = results.study
    runs = [drawn_runs(study, corpus) for corpus in study.corpora]
    heights = [len(some) for some in runs]
    figure = new_figure(PAGE, 0.19 * sum(heights) + 0.27 * len(runs) + 0.8)
    axes = figure.subplots(len(runs), 1, squeeze=False, height_ratios=heights).ravel()
    for axis, corpus, some in zip(axes, study.corpora, runs, strict=True):
        axis.set_title(corpus, loc="left")
        _bars(axis, [contrasts(results, run) for run in some])
        axis.set_yticks(range(len(some)), [label_of(run.model) for run in some])
        axis.set_xlim(0, 100)
        axis.set_xticks([0, 25, 50, 75, 100])
        axis.tick_params(labelbottom=axis is axes[-1])
    axes[-1].set_xlabel("% of documents")
    handles = [
        Patch(**look, edgecolor=BLACK, linewidth=0.5, label=f"{name} changes the decision")
        for name, (_, look) in _FLIPS.items()
    ]
    handles[1].set_label("both do")
    handles[3].set_label("neither does")
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


def _bars(axis: Axes, of_models: list[Contrasts]) -> None:
    """A bar per model, the first on top, its numbers beside it."""
    axis.set_ylim(len(of_models) - 0.45, -0.55)
    axis.tick_params(axis="y", length=0)
    axis.spines["left"].set_visible(False)
    for column, name in enumerate([*_FLIPS, "n"]):
        axis.annotate(
            name,
            (1, 1),
            xycoords="axes fraction",
            xytext=(_place(column), 7),
            textcoords="offset points",
            ha="right",
            fontsize=6.5,
        )
    for row, one in enumerate(of_models):
        n, left = int(one.flips.sum()), 0.0
        cells = []
        for cell, look in _FLIPS.values():
            share = 100 * float(one.flips[cell]) / n if n else 0.0
            axis.barh(row, share, 0.72, left, edgecolor=BLACK, linewidth=0.5, **look)
            cells.append(f"{share:.1f}" if n else "–")
            left += share
        for column, text in enumerate([*cells, str(n)]):
            write_beside(axis, row, text, points=_place(column), align="right", size=6.5)


def _place(column: int) -> float:
    return 34 + 30 * column


def fractions_until_flip(results: Results) -> Figure:
    """Fraction of items erased until the decision first changes, by ranking."""
    return _boxes(results, "fraction", "fraction of items erased")


def mass_until_flip(results: Results) -> Figure:
    """Attention erased until the decision first changes, by ranking."""
    return _boxes(results, "mass", "attention erased")


def _boxes(results: Results, column: str, name: str) -> Figure:
    found = {
        run: until_flip(results, run, column)
        for corpus in results.study.corpora
        for run in drawn_runs(results.study, corpus)
    }
    # A ranking has its place in every panel, so that panels compare.
    rankings = [name for name in RANKINGS if any(name in of_run for of_run in found.values())]
    figure, panels = _panels(results, 0.45 + 0.13 * len(rankings))
    for axis, run in panels.items():
        for place, ranking in enumerate(rankings):
            if ranking in found[run]:
                _box(axis, found[run][ranking], place, _COLOURS[ranking])
            else:
                write_beside(axis, place, "–", **_SIZE)
        if not any(map(len, found[run].values())):
            axis.text(0.5, 0.5, "no document", transform=axis.transAxes, ha="center", va="center")
        axis.set_xlim(-0.02, 1.02)
        axis.set_xticks(*UNIT_TICKS)
        axis.set_ylim(len(rankings) - 0.4, -0.6)
        axis.set_yticks(range(len(rankings)), [RANKINGS[ranking] for ranking in rankings])
        axis.tick_params(axis="y", length=0)
        axis.set_title(_title(run), loc="left", fontsize=7)
    _name(panels, name, "")
    return figure


def _box(axis: Axes, values: Floats, place: int, colour: str) -> None:
    """One box with its number of documents; dots for a few, which have no quartiles."""
    write_beside(axis, place, str(len(values)), **_SIZE)
    if not len(values):
        return
    if len(values) < FEWEST:
        look: dict[str, Any] = {"markersize": 3, "markeredgewidth": 0.4, "markeredgecolor": BLACK}
        axis.plot(values, np.full(len(values), place), "o", color=colour, clip_on=False, **look)
        return
    axis.boxplot(
        [values],
        positions=[place],
        orientation="horizontal",
        whis=WHISKERS,
        widths=0.62,
        showfliers=False,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": colour, "linewidth": 0.5},
        medianprops={"color": BLACK, "linewidth": 1.4},
        whiskerprops={"linewidth": 0.6},
        capprops={"linewidth": 0.6},
    )


def _panels(results: Results, height: float, below: float = 0.55) -> tuple[Figure, dict[Axes, Run]]:
    """A panel per corpus and model in the rows of `rows_of_runs`.

    Args:
        results: the study's tables.
        height: of a panel with its title, inches; less where a page has no room.
        below: inches under the panels.
    """
    rows = rows_of_runs(results.study)
    columns = max(len(row) for row in rows)
    height = max(_LOWEST, min(height, (_TALLEST - below) / len(rows)))
    figure = new_figure(COLUMN if columns == 1 else PAGE, height * len(rows) + below)
    grid = figure.subplots(len(rows), columns, squeeze=False)
    panels: dict[Axes, Run] = {}
    for axes, row in zip(grid, rows, strict=True):
        hide_unused(axes[len(row) :])
        panels |= dict(zip(axes, row, strict=False))
    return figure, panels


def rows_of_runs(study: Study) -> list[list[Run]]:
    """The drawn runs of all corpora as rows of panels.

    Where a corpus has more models than a row holds, those that attend to sentences and those that attend
    to tokens stand in rows of their own. Two corpora share no row, unless there is one model of each.
    """
    of_corpora = [drawn_runs(study, corpus) for corpus in study.corpora]
    most = _ACROSS
    if all(len(runs) == 1 for runs in of_corpora):
        rows = [[run for (run,) in of_corpora]]
        _, most = panel_grid(len(of_corpora))
    else:
        rows = [row for runs in of_corpora for row in _rows_of_one(runs)]
    return [row[start : start + most] for row in rows for start in range(0, len(row), most)]


def _rows_of_one(runs: list[Run]) -> list[list[Run]]:
    if len(runs) <= _ACROSS:
        return [runs]
    return [list(row) for _, row in groupby(sorted(runs, key=_to_tokens), key=_to_tokens)]


def _to_tokens(run: Run) -> bool:
    return not run.model.kind.hierarchical


def _name(panels: dict[Axes, Run], x: str, y: str) -> None:
    """Name the axes, and give numbers to those that are named."""
    name_axes(dict.fromkeys(panels, x), y)
    for axis in panels:
        place = axis.get_subplotspec()
        assert place is not None
        axis.tick_params(labelbottom=bool(axis.get_xlabel()), labelleft=place.is_first_col())


def _title(run: Run) -> str:
    names = run.corpus, label_of(run.model)
    text = ", ".join(names)
    return text if len(text) <= _LONGEST else "\n".join(names)


def _legend_columns(figure: Figure, entries: int) -> int:
    return entries if figure.get_figwidth() > COLUMN else 1


def _js_limits(values: list[Floats]) -> tuple[float, float]:
    """Of ΔJS in the panels of a corpus, with some room above and below."""
    together = np.concatenate([*values, np.zeros(1)])
    low, high = float(together.min()), float(together.max())
    room = 0.04 * max(high - low, 0.05)
    return low - room, high + room


def _hexagons(figure: Figure, panel: Axes) -> tuple[int, int]:
    """How many hexagons across and up a panel are about regular."""
    place = panel.get_subplotspec()
    assert place is not None
    rows, columns = place.get_gridspec().get_geometry()
    width, height = figure.get_size_inches()
    across = _CELLS * 0.78 * width / columns
    return round(across), round(_CELLS * 0.6 * height / rows / np.sqrt(3))


def _cloud(
    axis: Axes, one: Contrasts, limits: tuple[float, float], cells: tuple[int, int]
) -> PolyCollection:
    """All documents, in hexagons."""
    cloud = axis.hexbin(
        one.weight,
        one.js,
        gridsize=cells,
        extent=(0, 1, *limits),
        mincnt=1,
        cmap=_SHADES,
        linewidths=0.1,
    )
    axis.axhline(0, color=VERMILION, linewidth=0.6, zorder=0.5)
    axis.set_xlim(-0.02, 1.02)
    axis.set_ylim(limits)
    axis.set_xticks(*UNIT_TICKS)
    axis.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    return cloud


def _share_of_negative(one: Contrasts) -> str:
    n = len(one.js)
    of_all = f" of {n + one.untested}" if one.untested else ""
    return f"n = {n}{of_all}" + (f", {100 * one.negative.mean():.1f} % < 0" if n else "")


def _marginals(axis: Axes, one: Contrasts, limits: tuple[float, float]) -> Axes:
    """How Δα and ΔJS are distributed, above and beside a panel; the one above."""
    top = axis.inset_axes((0, 1.03, 1, 0.16), sharex=axis)
    right = axis.inset_axes((1.03, 0, 0.12, 1), sharey=axis)
    counts, _ = np.histogram(one.weight, WEIGHT_EDGES)
    top.stairs(counts, WEIGHT_EDGES, fill=True, color=GREY)
    step = (limits[1] - limits[0]) / _JS_BINS
    # Zero is an edge, so that no bar stands on both sides of it.
    edges = step * np.arange(np.floor(limits[0] / step), np.ceil(limits[1] / step) + 1)
    counts, _ = np.histogram(one.js, edges)
    right.stairs(counts, edges, orientation="horizontal", fill=True, color=GREY)
    for strip in (top, right):
        strip.set_axis_off()
    top.set_ylim(bottom=0)
    right.set_xlim(left=0)
    return top


def _shade(figure: Figure, axes: list[Axes], clouds: list[PolyCollection]) -> None:
    """Give all clouds one scale of documents, and say it."""
    counts = [np.asarray(cloud.get_array(), dtype=np.float64) for cloud in clouds]
    most = max((float(some.max()) for some in counts if len(some)), default=1.0)
    norm = LogNorm(1, max(most, 2.0))
    for cloud in clouds:
        cloud.set_norm(norm)
    pad = 0.15 / figure.get_figheight()
    bar = figure.colorbar(clouds[0], ax=axes, location="bottom", shrink=0.35, aspect=30, pad=pad)
    bar.set_label("documents in a hexagon")
    bar.ax.minorticks_off()
    bar.ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
