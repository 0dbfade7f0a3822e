"""How many attention weights must be erased before the decision changes.

Erasing sets weights to zero and divides the others by their sum; the readout then runs again on the same
states. It depends on Σ attention·projected alone. What remains after the first k weights of an order are
erased is therefore a pair of sums from the end of that order, and one pass gives them for every k.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged

# How many numbers are held at a time, which bounds memory.
_HELD = 1 << 20


@dataclass(frozen=True)
class Flips:
    """How much was erased before each document's decision changed.

    Attributes:
        count: shape (documents,): how many weights; -1 if the decision never changed.
        mass: shape (documents,): the sum of these weights; NaN if it never changed.
    """

    count: NDArray[np.int64]
    mass: NDArray[np.float64]

    @classmethod
    def none(cls, documents: int) -> Flips:
        """No decision has changed yet."""
        return cls(np.full(documents, -1), np.full(documents, np.nan))


def erased_probabilities(
    attention: Ragged, readout: Readout, position: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The probabilities after one weight of each document is erased.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.
        position: shape (documents,): the erased token.

    Returns:
        Shape (documents, outputs). If a document has no weight left, the bias alone decides.

    Source: Serrano & Smith 2019, section 4.
    """
    left = attention.values.astype(np.float64)
    left[attention.offsets[:-1] + position] = 0.0
    remaining = attention.with_values(left)
    sums = readout.context(remaining)
    return readout.decide(_renormalised(sums, remaining.sums()))


def first_flips(
    attention: Ragged,
    readout: Readout,
    order: Ragged,
    *,
    erase_all: bool = False,
) -> Flips:
    """Erase weights one after another until the decision changes.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.
        order: positions of each document's tokens, in order of erasure.
        erase_all: whether the last weight may be erased too, as in the released code, so that the bias
            decides; otherwise one token is kept.

    Source: Serrano & Smith 2019, section 5.
    """
    found = Flips.none(len(attention))
    width = max(readout.projected.values.shape[1], readout.outputs)
    for rows in _alike(attention.lengths, _HELD // width):
        tokens = order.take(rows)
        first = attention.offsets[:-1][rows]
        here = first[tokens.documents] + tokens.values.astype(np.int64)
        weight = tokens.with_values(attention.values[here]).padded().astype(np.float64)
        projected = tokens.with_values(readout.projected.values[here]).padded().astype(np.float64)
        # Column k holds what is left once k weights are erased.
        mass = _sums_from(weight)
        sums = _sums_from(weight[..., None] * projected)
        decided = readout.predicted(readout.take(rows).decide(_renormalised(sums, mass)))
        erased = np.arange(decided.shape[1])
        possible = erased <= (tokens.lengths - (not erase_all))[:, None]
        _note(found, rows, (decided != decided[:, :1]) & possible, weight)
    return found


def smallest_flips(attention: Ragged, readout: Readout) -> Flips:
    """The fewest weights whose erasure changes the decision, over all sets of tokens; one token is kept.

    The remaining tokens prefer class j to the predicted class y if Σ α_t m_t < 0, where m_t is the logit of
    y minus that of j with all attention on token t; dividing by the remaining weight does not change the
    sign. So for each j, the smallest set is the first tokens in descending order of α_t m_t.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents, linear in the attention.

    Raises:
        ValueError: the readout of a corpus of pairs, which is not linear.
    """
    if not readout.linear:
        raise ValueError(
            "expected a readout that is linear in the attention, found one of a corpus of pairs"
        )
    logit = _logits_alone(readout)
    predicted = readout.predicted(readout.probabilities(attention))
    own = logit[np.arange(len(logit)), predicted[attention.documents]]
    weight = attention.with_values(attention.values.astype(np.float64))
    found = Flips.none(len(attention))
    for rival in range(readout.classes):
        push = attention.with_values(weight.values.astype(np.float64) * (own - logit[:, rival]))
        others = np.flatnonzero(predicted != rival)
        for rows in _alike(attention.lengths[others], _HELD):
            some = others[rows]
            # Of two equal classes, the first is predicted.
            wins_ties = rival < predicted[some]
            candidate = _towards(push.take(some), weight.take(some), wins_ties)
            _keep_fewer(found, candidate, some)
    return found


def _towards(push: Ragged, weight: Ragged, wins_ties: NDArray[np.bool_]) -> Flips:
    """The fewest weights without which the pushes towards the predicted class sum to less than 0."""
    # Padding is last, whatever the sign.
    order = np.argsort(-push.padded(-np.inf).astype(np.float64), axis=1, kind="stable")
    pushes = np.take_along_axis(push.padded().astype(np.float64), order, axis=1)
    weights = np.take_along_axis(weight.padded().astype(np.float64), order, axis=1)
    left = _sums_from(pushes)
    beaten = (left < 0) | ((left == 0) & wins_ties[:, None])
    erased = np.arange(left.shape[1])
    possible = (erased > 0) & (erased < push.lengths[:, None]) & (_sums_from(weights) > 0)
    found = Flips.none(len(push))
    _note(found, np.arange(len(push)), beaten & possible, weights)
    return found


def _logits_alone(readout: Readout) -> NDArray[np.float64]:
    """Logits with all attention on one token, shape (tokens, classes); 0 and the logit for two classes."""
    logits = readout.projected.values.astype(np.float64) + readout.bias
    if readout.outputs == 1:
        return np.concatenate([np.zeros_like(logits), logits], axis=1)
    return np.asarray(logits)


def _renormalised(sums: NDArray[np.float64], mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums of projected states divided by the weight that is left; 0 if none is."""
    left = mass > 0
    return np.asarray(sums / np.where(left, mass, 1.0)[..., None] * left[..., None])


def _sums_from(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Σ over columns k, k + 1, …, for k up to the number of columns: shape (rows, columns + 1, ...).

    The sums start from the end, so that small remainders are not differences of large sums.
    """
    sums = np.zeros((len(values), values.shape[1] + 1, *values.shape[2:]))
    sums[:, :-1] = np.flip(np.cumsum(np.flip(values, axis=1), axis=1), axis=1)
    return sums


def _note(
    found: Flips, rows: NDArray[np.int64], flipped: NDArray[np.bool_], weight: NDArray[np.float64]
) -> None:
    """Record the first change of each row; weights are padded and in order of erasure."""
    some = flipped.any(axis=1)
    first = flipped.argmax(axis=1)
    gone = np.arange(weight.shape[1]) < first[:, None]
    found.count[rows[some]] = first[some]
    found.mass[rows[some]] = (weight * gone).sum(axis=1)[some]


def _keep_fewer(found: Flips, candidate: Flips, rows: NDArray[np.int64]) -> None:
    """Record a candidate for those of some documents where it needs fewer weights."""
    before = found.count[rows]
    fewer = (candidate.count >= 0) & ((before < 0) | (candidate.count < before))
    found.count[rows[fewer]] = candidate.count[fewer]
    found.mass[rows[fewer]] = candidate.mass[fewer]


def _alike(lengths: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    """Groups of documents of similar length, each of at most `size` padded tokens or of one document."""
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    start = 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and (stop + 1 - start) * lengths[order[stop]] <= size:
            stop += 1
        yield order[start:stop]
        start = stop
