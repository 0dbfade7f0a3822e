"""The look of every figure: column widths, type, colours and how files are written.

Colours are Okabe & Ito's, which colour-blind readers tell apart; every series also has a marker, hatch or
line style of its own, so that a figure survives a grey print.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from attnnn.tables import store

COLUMN, PAGE = 3.3, 6.9  # inches
_TALLEST = 10.0  # inches that a page has for a figure

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY, PALE = "#6E6E6E", "#E4E4E4"

# Ticks with their labels.
UNIT_TICKS = [0, 0.5, 1], ["0", ".5", "1"]
JSD_TICKS = [0, 0.2, 0.4, 0.6], ["0", ".2", ".4", ".6"]

CLASS_COLOURS = (VERMILION, SKY, GREEN)

_RC: Any = {  # matplotlib's own type lists every key
    "font.family": "DejaVu Sans",
    "font.size": 7.5,
    "axes.labelsize": 7.5,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 1.0,
    "hatch.linewidth": 0.5,
    "pdf.fonttype": 42,
    "text.usetex": False,
}

_METADATA = {"pdf": {"CreationDate": None}, "png": {"Software": None}}


def colour_of(class_: int | None) -> str:
    """The colour of a predicted class; None: of all classes together."""
    return PURPLE if class_ is None else CLASS_COLOURS[class_]


@contextmanager
def house_style() -> Iterator[None]:
    """Draw everything inside with the house's settings, whatever the user's matplotlibrc says."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of a size in inches that no interactive backend knows of."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    figure.get_layout_engine().set(w_pad=0.05, h_pad=0.03)  # type: ignore[union-attr, call-arg]
    return figure


def panel_grid(panels: int, widest: int = 3) -> tuple[int, int]:
    """Rows and columns for a number of panels: 1×1, 1×2, 1×3, 2×2, then up to `widest` per row."""
    if panels == 4:
        return 2, 2
    columns = min(panels, widest)
    return math.ceil(panels / columns), columns


def single_panels(corpora: int, height: float) -> tuple[Figure, list[Axes]]:
    """A figure of one panel per corpus in the places of `panel_grid`, as wide as a column for one alone.

    Args:
        corpora: how many.
        height: of a panel with its title, inches.
    """
    rows, columns = panel_grid(corpora)
    figure = new_figure(COLUMN if columns == 1 else PAGE, height * rows + 0.55)
    axes = list(figure.subplots(rows, columns, squeeze=False).ravel())
    hide_unused(axes[corpora:])
    return figure, axes[:corpora]


def paired_panels(corpora: int, height: float) -> tuple[Figure, list[tuple[Axes, Axes]]]:
    """A page-wide figure of two panels per corpus, side by side; with more than three, two per row.

    Args:
        corpora: how many.
        height: of a panel without its title and labels, inches; less where a page has no room.
    """
    across = 1 if corpora <= 3 else 2
    rows = math.ceil(corpora / across)
    figure = new_figure(PAGE, min((height + 0.3) * rows + 0.5, _TALLEST))
    axes = list(figure.subplots(rows, 2 * across, squeeze=False).ravel())
    hide_unused(axes[2 * corpora :])
    return figure, [(axes[2 * i], axes[2 * i + 1]) for i in range(corpora)]


def name_axes(x: Mapping[Axes, str], y: str) -> None:
    """Name x under every panel that has none beneath, and y beside the first panel of every row.

    Args:
        x: its name by panel, upper ones before those beneath.
        y: its name.
    """
    lowest: dict[int, tuple[Axes, str]] = {}
    for axis, name in x.items():
        place = axis.get_subplotspec()
        assert place is not None
        if place.is_first_col():
            axis.set_ylabel(y)
        lowest[place.colspan.start] = axis, name
    for axis, name in lowest.values():
        axis.set_xlabel(name)


def write_beside(
    axis: Axes,
    y: float,
    text: str,
    *,
    points: float = 4,
    align: Literal["left", "right"] = "left",
    size: float = 7,
) -> None:
    """Write text to the right of a panel, at a height in data units and in points from its edge.

    The layout then knows how much room it takes.
    """
    axis.annotate(
        text,
        (1, y),
        xycoords=("axes fraction", "data"),
        xytext=(points, 0),
        textcoords="offset points",
        ha=align,
        va="center",
        fontsize=size,
    )


def settle(figure: Figure) -> None:
    """Lay the figure out once and for all, so that every format gets the same places."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def save(figure: Figure, path: str, form: str) -> None:
    """Write a settled figure whole or not at all; the same figure gives the same bytes."""
    with store.written_aside(path) as aside:
        figure.savefig(aside, format=form, dpi=300, metadata=_METADATA[form])


def hide_unused(axes: Iterable[Axes]) -> None:
    """Blank the panels of a grid that no corpus fills."""
    for axis in axes:
        axis.set_axis_off()
