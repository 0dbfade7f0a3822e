"""Feasible attention of large JSD for K classes: mixtures with the model's own, and points on edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnnn.counterfactual.exact import portions
from attnnn.counterfactual.multiclass.halfspaces import half_spaces
from attnnn.counterfactual.multiclass.points import MulticlassDocuments, Points

Values = NDArray[np.float64]

# Halvings of an interval in which TVD crosses ε; what is left is far below rounding of a TVD.
_HALVINGS = 45

# Slabs are drawn in by this much, so that rounding never puts the end of an edge outside of ε.
_ROUNDING = 1e-12

# Points of an edge that are tried for feasibility before the ends of its feasible part are bisected.
_GRID = 9

# Padded numbers (tokens × slabs or projected) of a portion of documents, which bounds memory.
_PORTION = 1 << 18

# Tokens of a document whose edges are tried where logits are not linear in the attention.
_MOST_TOKENS = 64


def improve_by_mixtures(documents: MulticlassDocuments, best: Points, epsilon: float) -> Points:
    """The better of `best` and the farthest feasible mixtures of α̂ with single tokens.

    From α̂, where TVD is 0, TVD is bisected towards each token; JSD grows all along the way, being convex
    and 0 at α̂.
    """
    tokens = documents.attention
    zero, none = np.zeros(len(tokens.values)), np.full(len(tokens.values), -1)
    single = Points(tokens.documents, zero, tokens.positions, zero + 1, none, zero)
    feasible = np.where(documents.distance(single) <= epsilon, 1.0, 0.0)
    infeasible = zero + 1
    for _ in range(_HALVINGS):
        middle = (feasible + infeasible) / 2
        inside = documents.distance(single.mixed(middle)) <= epsilon
        feasible = np.where(inside, np.maximum(middle, feasible), feasible)
        infeasible = np.where(inside, infeasible, np.minimum(middle, infeasible))
    return _better(documents, best, single.mixed(feasible))


def improve_by_edges(documents: MulticlassDocuments, best: Points, epsilon: float) -> Points:
    """The better of `best` and feasible points on edges between two tokens of a document.

    Where logits are linear in the attention, an edge is cut to what every slab allows, and left out if
    neither end of that is better than `best`. With two classes both ends are feasible. With more, the part
    between is searched on a grid and the ends of what is feasible there are bisected; a feasible part
    between two points of the grid is missed. Where logits are not linear, all of an edge is searched, of the
    edges between `_MOST_TOKENS` tokens (see `likely_tokens`).
    """
    if documents.linear:
        directions, bounds = half_spaces(documents, epsilon - _ROUNDING)
        spaces = range(directions.shape[1])
        each = [documents.scores(directions[:, space]).values for space in spaces]
        scores = np.stack(each, axis=1).astype(np.float64)
        tried = np.ones(len(documents.attention.values), np.bool_)
    else:
        bounds = np.tile([-np.inf, np.inf], (len(documents), 1, 1))
        scores = np.zeros((len(documents.attention.values), 1))
        tried = likely_tokens(documents, _MOST_TOKENS)
    numbers = max(scores.shape[1], documents.context.shape[1])
    for rows in portions(documents.attention.lengths, max(1, _PORTION // numbers)):
        order, padded = _by_attention(documents, scores, tried, rows)
        for rank in range(order.shape[1] - 1):
            edges, low, high = _edges(order, padded, bounds[rows], rank)
            edges = Points(rows[edges.row], *list(vars(edges).values())[1:])
            ends = [documents.divergence(_on(edges, share)) for share in (low, high)]
            hopeful = np.maximum(*ends) > documents.divergence(best)[edges.row]
            edges, low, high = edges.take(hopeful), low[hopeful], high[hopeful]
            if len(edges):
                best = _better(
                    documents,
                    best,
                    _feasible_on(documents, edges, (low, high), to_beat=best, epsilon=epsilon),
                )
    return best


def likely_tokens(documents: MulticlassDocuments, most: int) -> NDArray[np.bool_]:
    """Up to `most` tokens of each document: half those of least attention, half of least TVD alone.

    Attention that differs much sits on the former, attention that predicts alike on the latter.

    Returns:
        Shape (tokens,), True for the chosen ones; all tokens of documents that have no more.
    """
    tokens = documents.attention
    one, none = np.ones(len(tokens.values)), np.full(len(tokens.values), -1)
    alone = Points(tokens.documents, one - 1, tokens.positions, one, none, one - 1)
    weight = np.asarray(tokens.values, np.float64)
    chosen = np.repeat(tokens.lengths <= most, tokens.lengths)
    for value in (weight, documents.distance(alone)):
        order = np.lexsort((value, tokens.documents))
        rank = np.empty(len(order), np.int64)
        rank[order] = tokens.positions  # sorted by document, so positions count within each
        chosen |= rank < most // 2
    return chosen


def _by_attention(
    documents: MulticlassDocuments,
    scores: Values,
    tried: NDArray[np.bool_],
    rows: NDArray[np.int64],
) -> tuple[NDArray[np.int64], Values]:
    """Tried tokens in ascending order of α̂ (−1 where there are no more), and their scores, padded."""
    attention = documents.attention
    weight = np.where(tried, np.asarray(attention.values, np.float64), np.inf)
    order = np.argsort(
        np.asarray(attention.with_values(weight).take(rows).padded(np.inf), np.float64),
        axis=1,
        kind="stable",
    )
    numbers = np.bincount(attention.documents[tried], minlength=len(documents))[rows]
    order = order[:, : numbers.max()]
    padded = np.asarray(attention.with_values(scores).take(rows).padded(0.0), np.float64)
    padded = np.take_along_axis(padded, order[..., None], axis=1)
    return np.where(np.arange(order.shape[1]) < numbers[:, None], order, -1), padded


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
    row, partner = np.nonzero(
        (low <= high) & (order[:, rank, None] >= 0) & (order[:, rank + 1 :] >= 0)
    )
    zero = np.zeros(len(row))
    edges = Points(row, zero, order[row, rank], zero, order[row, partner + rank + 1], zero)
    return edges, low[row, partner], high[row, partner]


def _on(edges: Points, share: Values) -> Points:
    return Points(edges.row, edges.own_weight, edges.a, share, edges.b, 1 - share)


def _feasible_on(
    documents: MulticlassDocuments,
    edges: Points,
    ends: tuple[Values, Values],
    *,
    to_beat: Points,
    epsilon: float,
) -> Points:
    """The first and the last feasible point of each edge, as far as the grid shows one that may beat it."""
    low, high = ends
    steps = np.linspace(0, 1, _GRID)
    share = low + steps[:, None] * (high - low)
    inside = np.array([documents.distance(_on(edges, at)) <= epsilon for at in share])
    best = documents.divergence(to_beat)
    found = []
    for along, good in ((share, inside), (share[::-1], inside[::-1])):
        first, place = good.argmax(axis=0), np.arange(len(edges))
        feasible, infeasible = along[first, place], along[np.maximum(first - 1, 0), place]
        # JSD is convex along the edge, so what is between the two is no better than both.
        jsd = [documents.divergence(_on(edges, at)) for at in (feasible, infeasible)]
        some = good.any(axis=0) & (np.maximum(*jsd) > best[edges.row])
        part, feasible, infeasible = edges.take(some), feasible[some], infeasible[some]
        for _ in range(_HALVINGS if (first[some] > 0).any() else 0):
            middle = (feasible + infeasible) / 2
            within = documents.distance(_on(part, middle)) <= epsilon
            feasible = np.where(within, middle, feasible)
            infeasible = np.where(within, infeasible, middle)
        found.append(_on(part, feasible))
    return Points.concatenate(found)


def _better(documents: MulticlassDocuments, best: Points, others: Points) -> Points:
    """For every document the point of largest JSD; `best` has one for each, in order."""
    everything = Points.concatenate([best, others])
    jsd = documents.divergence(everything)
    order = np.lexsort((-jsd, everything.row))
    rows = everything.row[order]
    first = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]])) if len(rows) else order
    return everything.take(order[first])
