"""Labels beside points that keep clear of each other, of lines and marks, and of the frame."""

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

_Array = NDArray[np.float64]

_NEAR = 4.0  # points between a mark and its label's nearest edge, without a line between them
_DISTANCES = (_NEAR, 7.0, 10.0, 14.0, 19.0, 25.0, 32.0, 40.0)
_DIRECTIONS = np.radians([90, 270, 135, 315, 45, 225, 0, 180, 112, 292, 67, 247, 157, 337, 22, 202])
_MARK, _LINE = 2.8, 1.2  # points: half the width that counts as taken around a mark, along a line
_SAMPLES = 24  # boxes that stand for one straight piece of line


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
