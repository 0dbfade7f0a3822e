"""Figures 1 and 4 of Wiegreffe & Pinter 2019, drawn by code: what each experiment touches, the guided MLP."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

from attnnn.exhibits.drawing.style import (
    BLACK,
    COLUMN,
    GREEN,
    GREY,
    ORANGE,
    PAGE,
    PALE,
    SKY,
    new_figure,
)
from attnnn.exhibits.finished import Results

_COMPONENTS = (
    "token\nembedding",
    "encoder",
    "attention\nparameters",
    "attention\nweights α",
    "prediction\nlayer",
)

# How a component is come by, and how its cell is filled.
_KINDS: dict[str, dict[str, Any]] = {
    "kept from the base model": {"facecolor": "white", "edgecolor": BLACK},
    "trained anew on the labels": {"facecolor": SKY + "70", "edgecolor": BLACK},
    "trained to imitate the base model": {"facecolor": GREEN + "60", "edgecolor": BLACK},
    "manipulated": {"facecolor": ORANGE, "edgecolor": BLACK, "linewidth": 1.4},
    "follows from the others": {"facecolor": PALE, "edgecolor": GREY},
    "not used": {"facecolor": "none", "edgecolor": GREY, "linestyle": ":"},
}
_KEPT, _TRAINED, _IMITATING, _MANIPULATED, _FOLLOWS, _UNUSED = _KINDS

_Cell = tuple[str, str]
_K, _T, _I, _U = ("kept", _KEPT), ("trained", _TRAINED), ("imitating", _IMITATING), ("–", _UNUSED)
_NEW: _Cell = ("new seed", _MANIPULATED)

_EXPERIMENTS: dict[tuple[str, str], tuple[_Cell, ...]] = {
    ("permuted attention", "J&W §4.2.1"): (_K, _K, _U, ("permuted", _MANIPULATED), _K),
    ("searched adversary", "J&W §4.2.2"): (_K, _K, _U, ("searched", _MANIPULATED), _K),
    ("uniform attention", "W&P §3.2"): (_T, _T, _U, ("set to 1/n", _MANIPULATED), _T),
    ("other random seeds", "W&P §3.3"): (_NEW, _NEW, _NEW, ("computed", _FOLLOWS), _NEW),
    ("guided MLP", "W&P §3.4"): (
        _T,
        ("MLP", _MANIPULATED),
        _U,
        ("a guide's", _MANIPULATED),
        _T,
    ),
    ("trained adversary", "W&P §4"): (
        _I,
        _I,
        ("diverging", _MANIPULATED),
        ("computed", _FOLLOWS),
        _I,
    ),
}


def experiments(_: Results) -> Figure:
    """Figure 1: which component of the classifier each experiment manipulates, and which it keeps."""
    figure = new_figure(PAGE, 3.45)
    axis = _canvas(figure, width=138, height=67)
    centres = [52 + 19.4 * place for place in range(len(_COMPONENTS))]
    for x, name in zip(centres, _COMPONENTS, strict=True):
        _box(axis, x, 56, 15.5, 8, text=name, facecolor="white", edgecolor=BLACK, linewidth=1)
    for left, right in pairwise(centres):
        _arrow(axis, (left + 7.75, 56), (right - 7.75, 56))
    # The states reach the prediction past the attention, which only weighs them.
    axis.plot([centres[1], centres[1], centres[4]], [60, 63, 63], color=BLACK, linewidth=0.8)
    _arrow(axis, (centres[4], 63), (centres[4], 60))
    axis.text(centres[2] + 9.7, 63.6, "states h", ha="center", va="bottom")
    for row, ((name, section), cells) in enumerate(_EXPERIMENTS.items()):
        y = 47.5 - 6.6 * row
        axis.text(0, y, name, va="center")
        axis.text(40.5, y, section, va="center", ha="right", color=GREY, fontsize=7)
        for x, (text, kind) in zip(centres, cells, strict=True):
            _box(axis, x, y, 15.5, 5.4, text=text, **_KINDS[kind])
    _kinds_legend(axis)
    return figure


def _kinds_legend(axis: Axes) -> None:
    for place, (name, style) in enumerate(_KINDS.items()):
        x, y = 2 + 46 * (place % 3), 6 - 4.8 * (place // 3)
        _box(axis, x, y, 4, 3.4, **style)
        axis.text(x + 3.5, y, name, va="center", fontsize=7)


def guided_mlp(_: Results) -> Figure:
    """Figure 4: an MLP without context, its tokens weighed by the attention of another model."""
    figure = new_figure(COLUMN, 2.8)
    axis = _canvas(figure, width=66, height=58)
    middle = 41.0
    for x, index in {24.0: "1", 40.0: "2", 58.0: "n"}.items():
        _token_column(axis, x, index)
        _arrow(axis, (x, 34.7), (middle, 41.5), shrinkB=7)
    for y in (3, 12, 22):
        axis.text(49, y, "…", ha="center", va="center")
    axis.add_patch(Circle((middle, 41.5), 2.2, facecolor="white", edgecolor=BLACK, linewidth=0.8))
    axis.text(middle, 41.4, "Σ", ha="center", va="center", fontsize=8)
    _box(axis, middle, 49, 24, 5, text="linear, sigmoid", **_KINDS[_TRAINED])
    _arrow(axis, (middle, 43.7), (middle, 46.5))
    _arrow(axis, (middle, 51.5), (middle, 55.5))
    axis.text(middle, 57.2, "$p$", ha="center", va="center", fontsize=8)
    _box(axis, 7, 33, 14, 13, text="attention\nof a guide,\nfrozen", **_KINDS[_MANIPULATED])
    axis.plot([14, 56.3], [33, 33], color=BLACK, linewidth=0.8, linestyle=":", zorder=0)
    for y, kind, text in ((12, _TRAINED, "trained"), (6, _MANIPULATED, "imposed")):
        _box(axis, 2, y, 4, 3.4, **_KINDS[kind])
        axis.text(5, y, text, va="center", fontsize=7)
    return figure


def _token_column(axis: Axes, x: float, index: str) -> None:
    """One token: word, embedding, its state by itself, and the imposed weight."""
    _box(axis, x, 3, 11, 5, text=f"$x_{index}$", facecolor="white", edgecolor=BLACK)
    _box(axis, x, 12, 11, 5, text=f"$e_{index}$", **_KINDS[_TRAINED])
    _box(axis, x, 22, 15.4, 6, text=f"tanh($We_{index}$+$b$)", **_KINDS[_TRAINED], fontsize=7)
    for bottom, top in ((5.5, 9.5), (14.5, 19), (25, 31.3)):
        _arrow(axis, (x, bottom), (x, top))
    axis.add_patch(Circle((x, 33), 1.8, facecolor=ORANGE, edgecolor=BLACK, linewidth=1.0))
    axis.text(x, 32.9, "×", ha="center", va="center", fontsize=8)
    axis.text(x - 1.6, 30.2, rf"$\alpha_{index}$", ha="right", va="center")


def _canvas(figure: Figure, *, width: float, height: float) -> Axes:
    """An axis without axes whose unit is the same in both directions."""
    axis = figure.subplots()
    axis.set_xlim(-1, width)
    axis.set_ylim(-1, height)
    axis.set_aspect("equal")
    axis.set_axis_off()
    return axis


def _box(
    axis: Axes,
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    text: str = "",
    fontsize: float = 7.5,
    **style: Any,
) -> None:
    """A box around its centre, with text."""
    corner = (x - width / 2, y - height / 2)
    shape = f"round,pad=0,rounding_size={min(width, height) * 0.15}"
    axis.add_patch(
        FancyBboxPatch(corner, width, height, boxstyle=shape, **{"linewidth": 0.7} | style)
    )
    axis.text(x, y, text, ha="center", va="center", fontsize=fontsize, linespacing=1.1)


def _arrow(axis: Axes, start: tuple[float, float], end: tuple[float, float], **style: Any) -> None:
    properties = {"arrowstyle": "-|>,head_width=0.16,head_length=0.3", "linewidth": 0.8}
    properties |= {"shrinkA": 0, "shrinkB": 0, "color": BLACK}
    axis.annotate("", end, start, arrowprops=properties | style)
