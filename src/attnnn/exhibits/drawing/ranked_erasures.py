"""How much is erased until the decision changes, by ranking (Serrano & Smith 2019, section 5)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attnnn.exhibits.drawing.erasure_panels import erasure_panels, name_panels, title_of
from attnnn.exhibits.drawing.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    UNIT_TICKS,
    VERMILION,
    YELLOW,
    write_beside,
)
from attnnn.exhibits.drawing.violins import FEWEST
from attnnn.exhibits.drawn_erasures import RANKINGS, drawn_runs, until_flip
from attnnn.exhibits.finished import Floats, Results

_COLOURS = dict(
    zip(RANKINGS, (GREY, BLUE, ORANGE, GREEN, SKY, PURPLE, YELLOW, VERMILION), strict=True)
)
WHISKERS = 5, 95  # percentiles
_SIZE: dict[str, Any] = {"points": 2, "size": 5.5}  # of numbers beside boxes


def fractions_until_flip(results: Results) -> Figure:
    """Fraction of items erased until the decision first changes, by ranking."""
    return _boxes(results, "fraction", "fraction of items erased")


def mass_until_flip(results: Results) -> Figure:
    """Attention erased until the decision first changes, by ranking."""
    return _boxes(results, "mass", "attention erased")


def _boxes(results: Results, column: Literal["fraction", "mass"], name: str) -> Figure:
    found = {
        run: until_flip(results, run, column)
        for corpus in results.study.corpora
        for run in drawn_runs(results.study, corpus)
    }
    # A ranking has its place in every panel, so that panels compare.
    rankings = [name for name in RANKINGS if any(name in of_run for of_run in found.values())]
    figure, panels = erasure_panels(results, 0.45 + 0.13 * len(rankings))
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
        axis.set_title(title_of(run), loc="left", fontsize=7)
    name_panels(panels, name, "")
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
