"""Steps of a climb that leave a prediction of K classes alone, at first order and in several directions.

TVD has a kink wherever a probability is the model's own, so that hardly any step between two or three tokens
leaves it small. A pivot, as in the simplex method, changes one token's weight and makes up for it on a few
tokens of much weight, the basis: r + 1 of them keep the sum of weights and r combinations of the
probabilities, those that attention moves most. Where logits are linear in the attention, r = K − 1 leaves the
prediction exactly as it is, and the pivot may go on until a weight is 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.counterfactual.multiclass.points import MulticlassDocuments, spread

Values = NDArray[np.float64]
Indices = NDArray[np.int64]

# Combinations of probabilities that are kept, at most.
_MOST_KEPT = 8

# Sizes of a pivot, shares of what leaves no weight negative.
_SIZES = np.array([1.0, 0.5, 0.2, 0.05, 0.01])

# Pivots of each size and kind that are tested.
_TESTED = 4

# A pivot that gains less, in nats, is not worth its time.
_LEAST_GAIN = 1e-5


@dataclass
class Pivots:
    """Pivots of documents side by side, of one r.

    The pivot of a token adds `sign` · amount to it, and takes amount · sign · `made_up` from the basis.

    Attributes:
        basis: shape (documents, r + 1): positions.
        made_up: shape (documents, r + 1, tokens).
        amount: shape (documents, tokens, 2): the largest, for a token that gets and for one that gives.
    """

    basis: Indices
    made_up: Values
    amount: Values


def pivots(x: Values, real: NDArray[np.bool_], moves: Values, kept: int) -> Pivots:
    """The pivots that keep `kept` combinations of the probabilities.

    Args:
        x: weights, shape (documents, tokens).
        real: where there is a token, same shape.
        moves: what each token does to the kept combinations, shape (documents, kept, tokens).
        kept: r, at least 1.
    """
    place = np.arange(len(x))[:, None]
    basis = np.argsort(-x, axis=1, kind="stable")[:, : kept + 1]
    rows = np.concatenate([moves, np.ones((len(x), 1, x.shape[1]))], axis=1)
    square = np.take_along_axis(rows, basis[:, None], axis=2)
    with np.errstate(all="ignore"):
        made_up = np.linalg.pinv(square, rcond=1e-10) @ rows
        # Where the basis cannot make up for a token there is no pivot.
        error = np.abs(square @ made_up - rows).max(axis=1)
        able = real & (error < 1e-6 * (1 + np.abs(rows).max(axis=1)))
        able[place, basis] = False
        weight = x[place, basis][..., None]
        room = np.where(made_up > 1e-12, weight / made_up, np.inf).min(axis=1)
        gets = np.where(able, np.minimum(room, 1.0), 0.0)
        room = np.where(made_up < -1e-12, weight / -made_up, np.inf).min(axis=1)
        gives = np.where(able, np.minimum(room, x), 0.0)
    return Pivots(basis, made_up, np.stack([gets, gives], axis=-1))


def pivot(
    documents: MulticlassDocuments,
    rows: Indices,
    *,
    x: Values,
    q: Values,
    projected: Values,
    epsilon: float,
) -> tuple[Values, NDArray[np.bool_]]:
    """Make the best feasible pivot of each document.

    Args:
        documents: those whose numbers are in `rows`.
        rows: shape (documents,).
        x: weights, 0 at padding, shape (documents, tokens).
        q: the model's own, same shape.
        projected: shape (documents, tokens, width).
        epsilon: largest allowed TVD.

    Returns:
        The weights then, and whether any pivot was made.
    """
    context = np.einsum("dt,dtp->dp", x, projected)
    real = np.arange(x.shape[1]) < documents.attention.lengths[rows][:, None]
    moves = documents.moves_at(rows, context, projected)
    # The combinations of probabilities that tokens move most.
    among = moves - np.einsum("dct,dt->dc", moves, x)[..., None]
    among *= real[:, None]
    left, _, _ = np.linalg.svd(among @ among.transpose(0, 2, 1))
    moves = left.transpose(0, 2, 1) @ moves
    best, gain = x, np.full(len(x), _LEAST_GAIN)
    most = min(_MOST_KEPT, documents.classes - 1, x.shape[1] - 1)
    for kept in sorted({1, (most + 1) // 2, most} - {0}):
        found = pivots(x, real, moves[:, :kept], kept)
        other, more = _best(
            documents, rows, found, x=x, q=q, context=context, projected=projected, epsilon=epsilon
        )
        best = np.where((more > gain)[:, None], other, best)
        gain = np.maximum(more, gain)
    return best, gain > _LEAST_GAIN


def _best(
    documents: MulticlassDocuments,
    rows: Indices,
    found: Pivots,
    *,
    x: Values,
    q: Values,
    context: Values,
    projected: Values,
    epsilon: float,
) -> tuple[Values, Values]:
    """The weights after the best feasible pivot of each document, and what it gains."""
    place = np.arange(len(x))[:, None]
    weight, own = x[place, found.basis], q[place, found.basis]
    sign = np.array([1.0, -1.0])
    change = (found.amount * sign)[..., None] * _SIZES  # documents, tokens, signs, sizes
    gains = spread(x[..., None, None] + change, q[..., None, None])
    gains -= spread(x, q)[..., None, None]
    for number in range(found.basis.shape[1]):
        after = (
            weight[:, number, None, None, None] - found.made_up[:, number, :, None, None] * change
        )
        gains += spread(np.maximum(after, 0.0), own[:, number, None, None, None])
        gains -= spread(weight[:, number], own[:, number])[:, None, None, None]
    gains = np.where(found.amount[..., None] > 1e-9, gains, -np.inf)
    # Of every sign and size some.
    gains = gains.transpose(0, 2, 3, 1)
    number = min(_TESTED, gains.shape[-1])
    token = np.argpartition(-gains, number - 1, axis=-1)[..., :number]
    gain = np.take_along_axis(gains, token, axis=-1).reshape(len(x), -1)
    amount = np.take_along_axis(change.transpose(0, 2, 3, 1), token, axis=-1).reshape(len(x), -1)
    token = token.reshape(len(x), -1)
    document, step = np.nonzero(gain > _LEAST_GAIN)
    chosen, by = token[document, step], amount[document, step][:, None]
    taken = found.made_up[document, :, chosen]
    given = projected[document, chosen] - np.einsum(
        "sb,sbp->sp", taken, projected[document[:, None], found.basis[document]]
    )
    distance = documents.distance_at(rows[document], context[document] + by * given)
    value = np.full(gain.shape, -np.inf)
    value[document, step] = np.where(distance <= epsilon, gain[document, step], -np.inf)
    best = value.argmax(axis=1)
    first = np.arange(len(x))
    after = x.copy()
    by = np.where(np.isfinite(value[first, best]), amount[first, best], 0.0)
    after[first, token[first, best]] += by
    after[place, found.basis] -= by[:, None] * found.made_up[first, :, token[first, best]]
    return np.maximum(after, 0.0), value[first, best]
