"""How convex a curve is, in one number."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnnn.measures.classification import plain


def convexity_index(x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """Area between a curve and its chord, as a share of the chord's bounding box.

    The curve is the polyline through the points in order of x (then y). With the chord from its first
    to its last point, the index is (∫ chord dx − ∫ curve dx) / (Δx · |Δy|), where Δx and Δy are the sides
    of the chord's bounding box. Positive: the curve runs below its chord, as a convex one does;
    negative: above; 0 on the whole for a straight line. A curve that stays inside the box has an index
    between −½ and ½; ½ is the corner: all of the divergence is had before the prediction moves at all.

    Wiegreffe & Pinter judge by eye how convex mean TVD (y) is as a function of mean JSD (x); a convex
    curve speaks for attention weights that are hard to replace.

    Args:
        x: shape (..., points), for instance mean JSD.
        y: same shape, for instance mean TVD.

    Returns:
        Shape (...); a plain number for one curve. NaN where undefined: fewer than three points, a chord
        that is vertical or level (Δx = 0 or Δy = 0), or a NaN among the points.

    Source: own statistic, for Wiegreffe & Pinter 2019, Figure 5.
    """
    points = np.stack(np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64)))
    if points.shape[-1] < 3:
        return plain(np.full(points.shape[1:-1], np.nan))
    order = np.lexsort((points[1], points[0]), axis=-1)
    x_in_order, y_in_order = np.take_along_axis(points, order[None], axis=-1)
    width, height = (side[..., -1] - side[..., 0] for side in (x_in_order, y_in_order))
    heights = (y_in_order[..., 1:] + y_in_order[..., :-1]) / 2
    under_curve = (heights * np.diff(x_in_order, axis=-1)).sum(axis=-1)
    under_chord = width * (y_in_order[..., -1] + y_in_order[..., 0]) / 2
    box = width * np.abs(height)
    defined = np.isfinite(points).all(axis=(0, -1)) & (box > 0)
    index = np.full(np.shape(box), np.nan)
    np.divide(under_chord - under_curve, box, out=index, where=defined)
    return plain(index)
