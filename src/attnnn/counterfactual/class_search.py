"""Feasible attention of large JSD for K classes: mixtures with the model's own, and points on edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnnn.counterfactual.class_points import Documents, Points
from attnnn.counterfactual.class_slabs import class_slabs, softmax
from attnnn.counterfactual.exact import portions

Values = NDArray[np.float64]

# Halvings of an interval in which TVD crosses ε; what is left is far below rounding of a TVD.
_HALVINGS = 45

# Slabs are drawn in by this much, so that rounding never puts the end of an edge outside of ε.
_ROUNDING = 1e-12

# Points of an edge that are tried for feasibility before the ends of its feasible part are bisected.
_GRID = 9

# Padded numbers (tokens × slabs) of a portion of documents, which bounds memory.
_PORTION = 1 << 18


def improve_by_mixtures(
    documents: Documents, best: Points, bound: Points, epsilon: float
) -> Points:
    """The better of `best` and the farthest feasible mixtures of α̂ with single tokens and with `bound`.

    From α̂, where TVD is 0, TVD is bisected towards each token (and the point `bound`); JSD grows all
    along the way, being convex and 0 at α̂.
    """
    tokens = documents.attention
    zero, none = np.zeros(len(tokens.values)), np.full(len(tokens.values), -1)
    single = Points(tokens.documents, zero, tokens.positions, zero + 1, none, zero)
    ends = Points.concatenate([single, bound])
    feasible, infeasible = np.zeros(len(ends)), np.ones(len(ends))
    inside = documents.distance(ends) <= epsilon
    feasible[inside] = 1.0
    for _ in range(_HALVINGS):
        middle = (feasible + infeasible) / 2
        inside = documents.distance(ends.mixed(middle)) <= epsilon
        feasible = np.where(inside, np.maximum(middle, feasible), feasible)
        infeasible = np.where(inside, infeasible, np.minimum(middle, infeasible))
    return _better(documents, best, ends.mixed(feasible))


def improve_by_edges(documents: Documents, best: Points, epsilon: float) -> Points:
    """The better of `best` and feasible points on edges between two tokens of a document.

    An edge is cut to what every slab allows, and left out if neither end of that is better than `best`.
    With two classes both ends are feasible. With more, the part between is searched on a grid and the
    ends of what is feasible there are bisected; a feasible part between two points of the grid is missed.
    """
    weights, bounds = class_slabs(softmax(documents.own), epsilon - _ROUNDING)
    lengths, slabs = documents.attention.lengths, weights.shape[1]
    scores = np.stack(
        [documents.scores(weights[:, slab]).values for slab in range(slabs)], axis=1
    ).astype(np.float64)
    for rows in portions(lengths, max(1, _PORTION // slabs)):
        order, padded = _by_attention(documents, scores, rows)
        for rank in range(order.shape[1] - 1):
            edges, low, high = _edges(order, padded, bounds[rows], rank)
            edges = Points(rows[edges.row], *list(vars(edges).values())[1:])
            ends = [documents.divergence(_on(edges, share)) for share in (low, high)]
            hopeful = np.maximum(*ends) > documents.divergence(best)[edges.row]
            edges, low, high = edges.take(hopeful), low[hopeful], high[hopeful]
            if len(edges):
                best = _better(documents, best, _feasible_on(documents, edges, low, high, epsilon))
    return best


def _by_attention(
    documents: Documents, scores: Values, rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Values]:
    """Tokens in ascending order of α̂ (−1 at padding), and their scores, shape (…, longest, slabs)."""
    attention = documents.attention.take(rows)
    weight = np.asarray(attention.padded(np.inf), np.float64)
    order = np.argsort(weight, axis=1, kind="stable")
    ragged = documents.attention.with_values(scores).take(rows)
    padded = np.take_along_axis(
        np.asarray(ragged.padded(0.0), np.float64), order[..., None], axis=1
    )
    return np.where(np.arange(order.shape[1]) < attention.lengths[:, None], order, -1), padded


def _edges(
    order: NDArray[np.int64], scores: Values, bounds: Values, rank: int
) -> tuple[Points, Values, Values]:
    """Edges from the token of this rank to later ones, and the range of its weight that slabs allow."""
    one, others = scores[:, rank, None], scores[:, rank + 1 :]
    slope, lowest, highest = one - others, bounds[:, None, :, 0], bounds[:, None, :, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        cuts = np.stack([(lowest - others) / slope, (highest - others) / slope])
    flat, held = slope == 0, (others >= lowest) & (others <= highest)
    low = np.where(flat, np.where(held, 0.0, np.inf), cuts.min(axis=0)).max(axis=-1)
    high = np.where(flat, np.where(held, 1.0, -np.inf), cuts.max(axis=0)).min(axis=-1)
    low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
    row, partner = np.nonzero((low <= high) & (order[:, rank + 1 :] >= 0))
    zero = np.zeros(len(row))
    edges = Points(row, zero, order[row, rank], zero, order[row, partner + rank + 1], zero)
    return edges, low[row, partner], high[row, partner]


def _on(edges: Points, share: Values) -> Points:
    return Points(edges.row, edges.own_weight, edges.a, share, edges.b, 1 - share)


def _feasible_on(
    documents: Documents, edges: Points, low: Values, high: Values, epsilon: float
) -> Points:
    """The first and the last feasible point of each edge, as far as the grid shows one."""
    steps = np.linspace(0, 1, _GRID)
    share = low + steps[:, None] * (high - low)
    inside = np.array([documents.distance(_on(edges, at)) <= epsilon for at in share])
    some = np.flatnonzero(inside.any(axis=0))
    edges, share, inside = edges.take(some), share[:, some], inside[:, some]
    found = []
    for along, good in ((share, inside), (share[::-1], inside[::-1])):
        first, place = good.argmax(axis=0), np.arange(len(edges))
        feasible, infeasible = along[first, place], along[np.maximum(first - 1, 0), place]
        for _ in range(_HALVINGS if (first > 0).any() else 0):
            middle = (feasible + infeasible) / 2
            within = documents.distance(_on(edges, middle)) <= epsilon
            feasible = np.where(within, middle, feasible)
            infeasible = np.where(within, infeasible, middle)
        found.append(_on(edges, feasible))
    return Points.concatenate(found)


def _better(documents: Documents, best: Points, others: Points) -> Points:
    """For every document the point of largest JSD; `best` has one for each, in order."""
    everything = Points.concatenate([best, others])
    jsd = documents.divergence(everything)
    order = np.lexsort((-jsd, everything.row))
    rows = everything.row[order]
    first = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]])) if len(rows) else order
    return everything.take(order[first])
