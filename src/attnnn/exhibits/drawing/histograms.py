"""Figures 2, 5 and 7 of Jain & Wallace 2019: how τ and ε-max JSD are distributed over documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from attnnn.exhibits.correlations import GRADIENT, LEAVE_ONE_OUT, correlations
from attnnn.exhibits.drawing.style import (
    BLACK,
    BLUE,
    COLUMN,
    GREY,
    JSD_TICKS,
    colour_of,
    name_axes,
    paired_panels,
    single_panels,
)
from attnnn.exhibits.finished import Floats, Ints, Results, Table
from attnnn.exhibits.groups import in_order, name_of, series_of
from attnnn.study.model import Run
from attnnn.study.runs import average_run, base_run

TAU_EDGES: NDArray[np.float64] = np.linspace(-1, 1, 31)
JSD_EDGES: NDArray[np.float64] = np.linspace(0, 0.7, 41)
_LINES: dict[int | None, Literal["-", "--", "-."]] = {0: "-", 1: "--", 2: "-.", None: "-"}
_WHICH_N = {0: " (first n)", 1: " (second n)", 2: " (third n)", None: ""}
# Other numbers of a panel, each with its colour and its name in the legend.
_DOTTED = {"chance": (GREY, "importance shuffled"), "bound": (BLUE, "bound of best known")}
_PANEL = 1.3  # inches of height


@dataclass(frozen=True)
class Series:
    """One panel: one number per document, NaN where it is undefined.

    Attributes:
        values: shape (documents,).
        predicted: predicted class of each document.
        chance: the same number where there is nothing to find; None where that has no meaning.
        bound: what the number cannot exceed where it is not known for certain; None where it is.
    """

    values: Floats
    predicted: Ints
    chance: Floats | None = None
    bound: Floats | None = None

    @property
    def by_class(self) -> dict[int | None, NDArray[np.bool_]]:
        """The documents of each predicted class, or None and all documents: see `series_of`."""
        return series_of(self.predicted)

    @property
    def sizes(self) -> str:
        """How many documents there are of each class."""
        return f"n = {' / '.join(str(int(of.sum())) for of in self.by_class.values())}"


def fractions(values: Floats, edges: NDArray[np.float64]) -> Floats:
    """The share of values in every bin, NaN being no value; zeros where there is none."""
    defined = values[~np.isnan(values)]
    counts, _ = np.histogram(defined, edges)
    return np.asarray(counts / max(len(defined), 1))


def gradient_correlations(results: Results) -> Figure:
    """Figure 2: τ between attention and gradients, BiLSTM and average encoder."""
    study = results.study
    figure, pairs = paired_panels(len(study.corpora), _PANEL)
    drawn: dict[Axes, Series] = {}
    for pair, corpus in zip(pairs, study.corpora, strict=True):
        runs = base_run(study, corpus), average_run(study, corpus)
        for axis, run in zip(pair, runs, strict=True):
            drawn[axis] = _taus(results, run, GRADIENT)
            _tau_panel(axis, drawn[axis], f"{corpus}, {_encoder(run)}")
    _finish(figure, drawn, "τ, attention – gradient")
    return figure


def leave_one_out_correlations(results: Results) -> Figure:
    """Figure 5: τ between attention and leave-one-out, BiLSTM."""
    study = results.study
    figure, axes = single_panels(len(study.corpora), _PANEL + 0.25)
    drawn: dict[Axes, Series] = {}
    for axis, corpus in zip(axes, study.corpora, strict=True):
        drawn[axis] = _taus(results, base_run(study, corpus), LEAVE_ONE_OUT)
        _tau_panel(axis, drawn[axis], corpus)
    _finish(figure, drawn, "τ, attention – leave-one-out")
    return figure


def adversaries(results: Results) -> Figure:
    """Figure 7: ε-max JSD of the base model's searched and exact adversary.

    For more than two classes the best known adversary stands for the exact one, and beside it the bound.
    """
    study = results.study
    figure, pairs = paired_panels(len(study.corpora), _PANEL)
    drawn: dict[Axes, Series] = {}
    for (left, right), corpus in zip(pairs, study.corpora, strict=True):
        base, searched, exact = results.adversaries(corpus)
        drawn[left] = Series(searched.floats("jsd"), base.predicted)
        epsilon = study.protocol_of(corpus).epsilon_select
        share = 100 * searched.flags("found").mean()
        _jsd_panel(left, drawn[left], f"{corpus}, searched\nε = {epsilon:g}, found {share:.1f} %")
        several = results.multiclass(corpus)
        bound = exact.floats("bound") if several else None
        drawn[right] = Series(exact.floats("jsd"), base.predicted, bound=bound)
        name = f"{corpus}, {known_as(exact) if several else 'exact'}"
        _jsd_panel(right, drawn[right], f"{name}\nε = {epsilon:g}, {drawn[right].sizes}")
    _finish(figure, drawn, "ε-max JSD, nats")
    return figure


def known_as(table: Table) -> str:
    """What the exact adversary for more than two classes is called."""
    return f"best known, exact for {100 * table.flags('exact').mean():.1f} %"


def _encoder(run: Run) -> str:
    return {"bilstm": "BiLSTM"}.get(run.model.encoder, run.model.encoder)


def _taus(results: Results, run: Run, pair: str) -> Series:
    found = correlations(results, run, pair)
    return Series(found.tau, found.predicted, found.shuffled)


def _tau_panel(axis: Axes, series: Series, name: str) -> None:
    _draw(axis, series, TAU_EDGES)
    axis.axvline(0, color=GREY, linewidth=0.4, zorder=0)
    axis.set_xticks([-1, -0.5, 0, 0.5, 1], ["−1", "−.5", "0", ".5", "1"])
    text = series.sizes
    undefined = int(np.isnan(series.values).sum())
    if undefined:
        text += f", {undefined} undefined"
    axis.set_title(f"{name}\n{text}", loc="left", fontsize=7)


def _jsd_panel(axis: Axes, series: Series, title: str) -> None:
    _draw(axis, series, JSD_EDGES)
    axis.set_title(title, loc="left", fontsize=7)
    axis.set_xticks(*JSD_TICKS)


def _draw(axis: Axes, series: Series, edges: NDArray[np.float64]) -> None:
    # Three fills over one another would hide the first.
    alpha = 0.45 if len(series.by_class) < 3 else 0.25
    for k, of_class in series.by_class.items():
        heights = fractions(series.values[of_class], edges)
        axis.stairs(heights, edges, fill=True, color=colour_of(k), alpha=alpha, linewidth=0)
        axis.stairs(heights, edges, color=BLACK, linewidth=0.7, linestyle=_LINES[k])
    for name, (colour, _) in _DOTTED.items():
        values = getattr(series, name)
        if values is not None:
            heights = fractions(values, edges)
            axis.stairs(heights, edges, color=colour, linewidth=1.1, linestyle=":")
    axis.set_xlim(edges[0], edges[-1])
    axis.set_ylim(bottom=0)
    axis.yaxis.set_major_locator(MaxNLocator(3))
    if not np.isfinite(series.values).any():
        axis.text(0.5, 0.5, "no document", transform=axis.transAxes, ha="center", va="center")


def _finish(figure: Figure, drawn: Mapping[Axes, Series], x: str) -> None:
    """Name the axes, and write the legend."""
    name_axes(dict.fromkeys(drawn, x), "fraction")
    handles: list[Patch | Line2D] = [
        Patch(
            facecolor=to_rgba(colour_of(k), 0.45),
            edgecolor=BLACK,
            linewidth=0.7,
            linestyle=_LINES[k],
            label=name_of(k) + _WHICH_N[k],
        )
        for k in in_order(k for series in drawn.values() for k in series.by_class)
    ]
    for name, (colour, label) in _DOTTED.items():
        if any(getattr(series, name) is not None for series in drawn.values()):
            dotted = Line2D([], [], color=colour, linewidth=1.1, linestyle=":", label=label)
            handles.append(dotted)
    columns = min(len(handles), 4) if figure.get_figwidth() > COLUMN else 2
    figure.legend(handles=handles, loc="outside lower center", ncols=columns)
