"""λ beside the points of a sweep, in labels that keep clear of each other, of lines, marks and the frame."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from numpy.typing import NDArray

from attnnn.study.model import format_lambda

_Array = NDArray[np.float64]

_NEAR = 4.0  # points between a mark and its label's nearest edge, without a line between them
_DISTANCES = (_NEAR, 7.0, 10.0, 14.0, 19.0, 25.0, 32.0, 40.0)
_DIRECTIONS = np.radians([90, 270, 135, 315, 45, 225, 0, 180, 112, 292, 67, 247, 157, 337, 22, 202])
_MARK, _LINE = 2.8, 1.2  # points: half the width that counts as taken around a mark, along a line
_SAMPLES = 24  # boxes that stand for one straight piece of line
_ONE_SPOT = 1.5  # points: marks this close cannot be told apart
_CORNERS = ((0.02, 0.98), (0.3, 0.98), (0.55, 0.98), (0.55, 0.5))  # in shares of the panel


def label_lambdas(
    axis: Axes,
    sweep: _Array,
    lambdas: Sequence[float],
    *,
    marks: _Array,
    lines: Sequence[_Array],
    colour: str,
) -> None:
    """Label the points of a sweep; those that print on one spot share a label.

    Args:
        axis: the panel, its layout final.
        sweep: shape (lambdas, 2), in data units.
        lambdas: ascending.
        marks: what labels must not cover, shape (marks, 2).
        lines: polylines that labels must not cover.
        colour: of the labels.
    """
    groups = coinciding(axis, sweep)
    texts = [_joint(lambdas[first : last + 1]) for first, last in groups]
    # The ends first: they are what a reader looks for.
    order = list(dict.fromkeys([0, len(groups) - 1, *range(len(groups))]))
    left_out = place_labels(
        axis,
        sweep[[groups[i][0] for i in order]],
        [texts[i] for i in order],
        marks=marks,
        lines=lines,
        colour=colour,
    )
    if left_out:
        _say_left_out(axis, [text for text in texts if text in left_out], marks)


def short(lambda_: float) -> str:
    """λ in few characters: 0, .001, 5e-4."""
    text = format_lambda(lambda_)
    if lambda_ and lambda_ < 1e-3:
        mantissa, _, exponent = f"{lambda_:e}".partition("e")
        text = f"{float(mantissa):g}e{int(exponent)}"
    return text.removeprefix("0") or "0"


def coinciding(axis: Axes, sweep: _Array) -> list[tuple[int, int]]:
    """First and last index of each run of points that print on one spot."""
    figure = axis.figure
    assert isinstance(figure, Figure)
    steps = np.diff(axis.transData.transform(sweep), axis=0)
    apart = np.hypot(*steps.T) > _ONE_SPOT * figure.dpi / 72
    starts = [0, *(int(i) + 1 for i in np.flatnonzero(apart))]
    return list(zip(starts, [*(start - 1 for start in starts[1:]), len(sweep) - 1], strict=True))


def _joint(lambdas: Sequence[float]) -> str:
    return "–".join(dict.fromkeys(short(value) for value in (lambdas[0], lambdas[-1])))


def _say_left_out(axis: Axes, texts: Sequence[str], marks: _Array) -> None:
    """Name the λ that found no room, far from all marks; table 5 has their numbers."""
    places = axis.transAxes.inverted().transform(axis.transData.transform(marks))
    centres = np.array(_CORNERS) + np.array([0.2, -0.08])
    distances = np.linalg.norm(places[None] - centres[:, None], axis=-1).min(axis=1)
    x, y = _CORNERS[int(np.argmax(distances))]
    note = f"no room to label\nλ = {', '.join(texts)}"
    axis.text(x, y, note, transform=axis.transAxes, fontsize=7, ha="left", va="top")


def place_labels(
    axis: Axes,
    points: _Array,
    texts: Sequence[str],
    *,
    marks: _Array,
    lines: Sequence[_Array],
    size: float = 7,
    colour: str = "black",
) -> list[str]:
    """Write each text near its point, at the first free place of a fixed list, near ones first.

    A label further away gets a thin line to its point. The figure must have its final layout, since
    room is measured in print.

    Args:
        axis: the panel.
        points: shape (labels, 2), in data units.
        texts: one per point.
        marks: what labels must not cover, shape (marks, 2), in data units.
        lines: polylines that labels must not cover, each of shape (corners, 2), in data units.
        size: type size, points.
        colour: of the text.

    Returns:
        The texts for which there was no room, so that the caller can say so.
    """
    figure = axis.figure
    assert isinstance(figure, Figure)
    canvas = figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
    pixels = figure.dpi / 72
    to_pixels = axis.transData.transform
    solid = [_around(to_pixels(marks), _MARK * pixels)]
    thin = [np.empty((0, 4))]
    thin += [_around(_along(to_pixels(line)), _LINE * pixels) for line in lines]
    frame = np.array(axis.get_window_extent(renderer).extents)
    left_out = []
    for point, text in zip(points, texts, strict=True):
        extent = Text(0, 0, text, fontsize=size, figure=figure).get_window_extent(renderer)
        origin, half = to_pixels(point), np.array([extent.width, extent.height]) / 2
        centre = _first_free(
            origin,
            half,
            solid=np.concatenate(solid),
            thin=np.concatenate(thin),
            frame=frame,
            pixels=pixels,
        )
        if centre is None:
            left_out.append(text)
            continue
        apart = half + 1.2 * pixels
        solid.append(np.concatenate([centre - apart, centre + apart])[None])
        thin.append(_around(_along(np.stack([origin, centre])), 0.5 * pixels))
        _write(axis, point, text, centre, size=size, colour=colour)
    return left_out


def _write(
    axis: Axes, point: _Array, text: str, centre: _Array, *, size: float, colour: str
) -> None:
    label = axis.annotate(
        text,
        tuple(point),
        xytext=tuple(axis.transData.inverted().transform(centre)),
        fontsize=size,
        color=colour,
        ha="center",
        va="center",
        zorder=6,
        arrowprops={
            "arrowstyle": "-",
            "linewidth": 0.4,
            "color": colour,
            "shrinkA": 1,
            "shrinkB": 2,
        },
    )
    label.set_path_effects([withStroke(linewidth=1.2, foreground="white")])


def _first_free(
    origin: _Array, half: _Array, *, solid: _Array, thin: _Array, frame: _Array, pixels: float
) -> _Array | None:
    """The centre of the first free box whose leader line runs through no other mark or label."""
    others = solid[~_overlap(np.concatenate([origin, origin])[None], solid)]
    taken = np.concatenate([solid, thin])
    for distance in _DISTANCES:
        for angle in _DIRECTIONS:
            outward = np.array([np.cos(angle), np.sin(angle)])
            # From the mark's centre to the nearest edge of a box of this size in this direction.
            reach = np.min(half / np.maximum(np.abs(outward), 1e-9))
            centre = origin + outward * (distance * pixels + reach)
            box = np.concatenate([centre - half, centre + half])
            if (box[:2] < frame[:2]).any() or (box[2:] > frame[2:]).any():
                continue
            leader = _around(_along(np.stack([origin, centre])), 0)
            crossed = any(_overlap(part[None], others).any() for part in leader)
            if not crossed and not _overlap(box[None], taken).any():
                return np.asarray(centre)
    return None


def _overlap(box: _Array, boxes: _Array) -> NDArray[np.bool_]:
    return np.asarray(((box[:, :2] < boxes[:, 2:]) & (boxes[:, :2] < box[:, 2:])).all(axis=1))


def _around(points: _Array, half: float) -> _Array:
    return np.concatenate([points - half, points + half], axis=1)


def _along(corners: _Array) -> _Array:
    """Points along a polyline."""
    steps = np.linspace(0, 1, _SAMPLES)[:, None]
    parts = [a + steps * (b - a) for a, b in pairwise(corners)]
    return np.concatenate(parts) if parts else corners
