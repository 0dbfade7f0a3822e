"""What erasing one attention weight does: scatter, histogram, bars (Serrano & Smith 2019, section 4)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from attnnn.exhibits.drawing.erasure_panels import erasure_panels, name_panels, title_of
from attnnn.exhibits.drawing.style import (
    BLACK,
    BLUE,
    COLUMN,
    GREY,
    ORANGE,
    PAGE,
    PALE,
    SKY,
    UNIT_TICKS,
    VERMILION,
    new_figure,
    write_beside,
)
from attnnn.exhibits.drawn_erasures import Contrasts, contrasts, drawn_runs, label_of
from attnnn.exhibits.finished import Floats, Results

WEIGHT_EDGES = np.linspace(0, 1, 21)  # Δα, in the paper's bins of .05
_JS_BINS = 30
_CELLS = 32  # hexagons in an inch
# From a blue that one document is seen in.
_SHADES = LinearSegmentedColormap.from_list("documents", ["#A9CCE8", BLUE, "#00233F"])
_NOTE: dict[str, Any] = {"fontsize": 6.5, "va": "top", "linespacing": 1.15}
_FLIPS: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {
    "only i*": ((1, 0), {"facecolor": BLUE}),
    "both": ((1, 1), {"facecolor": SKY, "hatch": "...."}),
    "only r": ((0, 1), {"facecolor": ORANGE, "hatch": "////"}),
    "neither": ((0, 0), {"facecolor": PALE}),
}


def single_weights(results: Results) -> Figure:
    """ΔJS over Δα of the highest weight against a random other: a panel per corpus and model."""
    figure, panels = erasure_panels(results, 1.55, below=0.8)
    drawn = {axis: contrasts(results, run) for axis, run in panels.items()}
    limits = {
        corpus: _js_limits([drawn[axis].js for axis, run in panels.items() if run.corpus == corpus])
        for corpus in results.study.corpora
    }
    cells = _hexagons(figure, next(iter(panels)))
    clouds = [_cloud(axis, drawn[axis], limits[run.corpus], cells) for axis, run in panels.items()]
    for axis, run in panels.items():
        top = _marginals(axis, drawn[axis], limits[run.corpus])
        top.set_title(title_of(run), loc="left", fontsize=7, pad=11)
        top.annotate(
            _share_of_negative(drawn[axis]),
            (0, 1),
            xycoords="axes fraction",
            xytext=(0, 2),
            textcoords="offset points",
            fontsize=6,
        )
    _shade(figure, list(panels), clouds)
    name_panels(panels, "Δα", "ΔJS, nats")
    for (_, before), (axis, run) in pairwise(panels.items()):
        if before.corpus != run.corpus:
            axis.tick_params(labelleft=True)
    return figure


def negative_contrasts(results: Results) -> Figure:
    """Δα of the documents with negative ΔJS, and of all: a panel per corpus and model."""
    figure, panels = erasure_panels(results, 1.15)
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
        axis.set_title(title_of(run), loc="left", fontsize=7)
    for axis in panels:
        axis.set_ylim(0, 1.03 * (highest or 1))
        axis.yaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    name_panels(panels, "Δα", "fraction")
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
