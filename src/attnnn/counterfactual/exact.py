"""The exact ε-max JSD: how far attention can move while the prediction stays within ε.

The readout is linear in the attention, so |Δp| ≤ ε confines the logit to an interval, and the feasible
attention vectors are the part of the simplex between two parallel hyperplanes. JSD(·, α̂) is convex, so
its maximum is attained at a vertex of that polytope. A vertex has one token, whose own logit lies within
the interval, or two tokens on either side of a bound, weighted so that the logit meets it.

Exact for one logit (two classes) and a readout that is linear in the attention, given the states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.readout.predictions import Predictions
from attnnn.readout.readout import Readout, probabilities_of
from attnnn.tables.ragged import Ragged

# Padded tokens in a portion of documents of similar length, which bounds memory.
_PORTION = 1 << 18

# The bounds are tightened by this much, so that rounding never puts a vertex outside ε.
_ROUNDING = 1e-12

Values = NDArray[np.float64]


@dataclass(frozen=True)
class ExactAdversary:
    """For each document, the attention of largest JSD among all with |Δp| ≤ ε.

    Attributes:
        jsd: shape (documents,), nats.
        token_a: shape (documents,), position of its first token.
        weight_a: shape (documents,), that token's weight.
        token_b: shape (documents,), position of the second token; −1 if there is none.
        weight_b: shape (documents,), 1 − weight_a.
        probability: shape (documents,), probability of class 1 under it.
        slack: shape (documents,), ε − |Δp|, at least 0.
    """

    jsd: Values
    token_a: NDArray[np.int64]
    weight_a: Values
    token_b: NDArray[np.int64]
    weight_b: Values
    probability: Values
    slack: Values


def exact_adversary(attention: Ragged, readout: Readout, epsilon: float) -> ExactAdversary:
    """The exact ε-max JSD of every document, with the attention that attains it.

    Time is at most quadratic in the length of a document: tokens are tried in ascending order of the
    model's attention, and those that cannot beat the best vertex so far are skipped. Memory is linear.

    Args:
        attention: the model's own weights α̂ of the n tokens.
        readout: of the same documents.
        epsilon: the largest allowed |Δp|.

    Source: the maximum that Jain & Wallace 2019, equation 2, searches for by gradient descent.
    """
    own = readout.probabilities(attention)[:, 0]
    bounds = np.stack(
        [_logit(own - epsilon + _ROUNDING), _logit(own + epsilon - _ROUNDING)], axis=1
    )
    contribution = readout.contribution
    logit = contribution.with_values(contribution.values.astype(np.float64) + readout.bias)
    found = farthest_within(attention, logit, bounds)
    probability = probabilities_of(_logit_of(found, logit)[:, None])[:, 0]
    return ExactAdversary(
        jsd=found.jsd,
        token_a=found.token_a,
        weight_a=found.weight_a,
        token_b=found.token_b,
        weight_b=1 - found.weight_a,
        probability=probability,
        slack=epsilon - np.abs(probability - own),
    )


@dataclass
class Vertices:
    """For each document, attention on at most two tokens; −1 for a token that does not exist.

    Attributes:
        jsd: shape (documents,), nats; −∞ if there is no vertex.
        token_a: shape (documents,), position of the first token.
        weight_a: shape (documents,), its weight; the second has the rest.
        token_b: shape (documents,), position of the second token.
    """

    jsd: Values
    token_a: NDArray[np.int64]
    weight_a: Values
    token_b: NDArray[np.int64]

    @classmethod
    def none(cls, documents: int) -> Vertices:
        """No vertex yet."""
        position = np.full(documents, -1)
        return cls(np.full(documents, -np.inf), position, np.ones(documents), position.copy())

    def take(self, rows: NDArray[np.int64]) -> Vertices:
        """The vertices of some documents."""
        return Vertices(*(values[rows] for values in vars(self).values()))

    def put(self, rows: NDArray[np.int64], other: Vertices) -> None:
        """Replace the vertices of some documents."""
        for name, values in vars(other).items():
            getattr(self, name)[rows] = values


def farthest_within(attention: Ragged, score: Ragged, bounds: Values) -> Vertices:
    """The attention of largest JSD from the model's among all that keep Σ_t α_t · score_t within bounds.

    Args:
        attention: the model's own weights α̂ of the n tokens.
        score: one number per token.
        bounds: lowest and highest allowed sum, shape (documents, 2); may be infinite.
    """
    found = Vertices.none(len(attention))
    for rows in portions(attention.lengths):
        tokens = _Tokens.of(attention.take(rows), score.take(rows), bounds[rows])
        found.put(rows, _best_vertices(tokens))
    return found


def portions(lengths: NDArray[np.int64], tokens: int = _PORTION) -> list[NDArray[np.int64]]:
    """Groups of documents of similar length with about that many tokens; empty documents are left out."""
    order = np.argsort(lengths, kind="stable")
    order = order[np.searchsorted(lengths[order], 1) :]
    octave = np.frexp(lengths[order])[1]
    share = np.cumsum(lengths[order]) // tokens
    cuts = np.flatnonzero(np.diff(octave) | np.diff(share)) + 1
    return [part for part in np.split(order, cuts) if len(part)]


@dataclass(frozen=True)
class _Tokens:
    """Documents of similar length side by side, each with its tokens in ascending order of α̂.

    Attributes:
        q: α̂, shape (documents, longest); infinite at padding.
        logit: w·h + bias, same shape; NaN at padding.
        bounds: lowest and highest feasible logit, shape (documents, 2).
        position: the position of each token in its document, same shape as q.
    """

    q: Values
    logit: Values
    bounds: Values
    position: NDArray[np.int64]

    @classmethod
    def of(cls, attention: Ragged, logit: Ragged, bounds: Values) -> _Tokens:
        weight = np.asarray(attention.padded(np.inf), dtype=np.float64)
        position = np.argsort(weight, axis=1, kind="stable")
        padded = np.asarray(logit.padded(np.nan), dtype=np.float64)
        return cls(
            np.take_along_axis(weight, position, axis=1),
            np.take_along_axis(padded, position, axis=1),
            bounds,
            position,
        )


def _best_vertices(tokens: _Tokens) -> Vertices:
    best = _one_token(tokens)
    active = np.arange(len(tokens.q))
    for rank in range(tokens.q.shape[1] - 1):
        # A pair whose smaller weight is q cannot beat the single token of weight q (convexity).
        active = active[_jsd(1.0, tokens.q[active, rank]) > best.jsd[active]]
        if not len(active):
            break
        for side in (0, 1):
            _two_tokens(best, tokens, active, rank=rank, side=side)
    for chosen in (best.token_a, best.token_b):
        some = np.flatnonzero(chosen >= 0)
        chosen[some] = tokens.position[some, chosen[some]]
    return best


def _one_token(tokens: _Tokens) -> Vertices:
    lowest, highest = tokens.bounds[:, :1], tokens.bounds[:, 1:]
    feasible = (tokens.logit >= lowest) & (tokens.logit <= highest)
    best = Vertices.none(len(feasible))
    first = feasible.argmax(axis=1)
    found = np.flatnonzero(feasible[np.arange(len(first)), first])
    best.token_a[found] = first[found]
    best.jsd[found] = _jsd(1.0, tokens.q[found, first[found]])
    return best


def _two_tokens(
    best: Vertices, tokens: _Tokens, rows: NDArray[np.int64], *, rank: int, side: int
) -> None:
    """Pair the token of this rank with every later one on one bound, and keep better vertices."""
    bound = tokens.bounds[rows, side][:, None]
    one, others = tokens.logit[rows, rank][:, None] - bound, tokens.logit[rows, rank + 1 :] - bound
    with np.errstate(invalid="ignore", divide="ignore"):
        crossing = (one < 0) & (others > 0) | (one > 0) & (others < 0)
        share = np.where(crossing, others / (others - one), 1.0)
    jsd = _jsd(share, tokens.q[rows, rank][:, None]) + gain(1 - share, tokens.q[rows, rank + 1 :])
    jsd = np.where(crossing, jsd, -np.inf)
    partner, place = jsd.argmax(axis=1), np.arange(len(rows))
    better = jsd[place, partner] > best.jsd[rows]
    chosen = rows[better]
    best.jsd[chosen] = jsd[place, partner][better]
    best.token_a[chosen] = rank
    best.token_b[chosen] = partner[better] + rank + 1
    best.weight_a[chosen] = share[place, partner][better]


def gain(weight: Values, q: Values) -> Values:
    """½ [w ln w − (w + q) ln(w + q) + q ln q]: what one token adds to the JSD; 0 for w = 0."""
    from scipy.special import xlogy

    with np.errstate(invalid="ignore"):
        total = weight + q
        gain = xlogy(weight, weight) - xlogy(total, total) + xlogy(q, q)
    return np.asarray(0.5 * np.where(np.isfinite(q), gain, -np.inf))


def _jsd(weight: Values | float, q: Values) -> Values:
    return np.asarray(np.log(2) + gain(np.asarray(weight, dtype=np.float64), q))


def _logit(probability: Values) -> Values:
    with np.errstate(divide="ignore"):
        inside = np.clip(probability, 0.0, 1.0)
        return np.asarray(np.log(inside) - np.log1p(-inside))


def _logit_of(vertices: Vertices, logit: Ragged) -> Values:
    values, start = np.asarray(logit.values, dtype=np.float64), logit.offsets[:-1]
    first = values[start + vertices.token_a]
    second = values[start + np.maximum(vertices.token_b, 0)]
    return np.asarray(vertices.weight_a * first + (1 - vertices.weight_a) * second)


def exact_columns(
    predictions: Predictions, readout: Readout, epsilons: Sequence[float]
) -> dict[str, Any]:
    """The columns of `analyses.EXACT_ADVERSARY`, for every ε."""
    solved = {e: exact_adversary(predictions.attention, readout, e) for e in epsilons}
    return _exact_columns(predictions.document, solved)


def _exact_columns(
    document: NDArray[np.int64], solved: dict[float, ExactAdversary]
) -> dict[str, Any]:
    columns = {
        field.name: np.concatenate([getattr(answer, field.name) for answer in solved.values()])
        for field in fields(ExactAdversary)
    }
    alone = columns["token_b"] < 0
    return {
        "document": np.tile(document, len(solved)),
        "epsilon": np.repeat(list(solved), len(document)),
        **columns,
        "token_b": [
            None if one else int(b) for one, b in zip(alone, columns["token_b"], strict=True)
        ],
    }
