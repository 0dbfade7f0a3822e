"""How many attention weights must be erased before the decision changes.

Erasing sets weights to zero and divides the others by their sum; the readout runs again on the same
states. It sees Σ attention·projected alone, so all that remains after the first k weights of an order
are gone is a pair of sums from the end of the order, and one pass finds every k at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged

# Numbers held at a time, which bounds memory.
_HELD = 1 << 20


@dataclass(frozen=True)
class Flips:
    """What it took to change each document's decision.

    Attributes:
        count: shape (documents,): weights erased; -1 where the decision never changed.
        mass: shape (documents,): the attention that these had; NaN where it never changed.
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
    """Probabilities after one weight of each document is erased.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.
        position: shape (documents,): the erased token.

    Returns:
        Shape (documents, outputs). Of a document that has no weight left, those of the bias alone.

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
    """Erase weights one after the other until the decision changes.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.
        order: positions of each document's tokens, the first to be erased first.
        erase_all: whether the last weight may be erased too, which leaves the bias to decide, as the
            released code has it; otherwise one token stays.

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
        # Column k has what is left when k weights are gone.
        mass = _sums_from(weight)
        sums = _sums_from(weight[..., None] * projected)
        decided = readout.predicted(readout.take(rows).decide(_renormalised(sums, mass)))
        erased = np.arange(decided.shape[1])
        possible = erased <= (tokens.lengths - (not erase_all))[:, None]
        _note(found, rows, (decided != decided[:, :1]) & possible, weight)
    return found


def smallest_flips(attention: Ragged, readout: Readout) -> Flips:
    """The fewest weights whose erasure changes the decision, over all sets of tokens; one token stays.

    What remains prefers class j to the predicted class y where Σ α_t (m_t) < 0, m_t being how far token t
    alone would prefer y; dividing by the remaining weight does not change the sign. So for each j the
    smallest set is the first tokens in descending order of α_t m_t.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents, linear in the attention.

    Raises:
        ValueError: the readout is that of a corpus of pairs, which is not linear.
    """
    if not readout.linear:
        raise ValueError("the smallest set is known for decoders that are linear in the attention")
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
            # Of two equal classes the first is predicted.
            wins_ties = rival < predicted[some]
            candidate = _towards(push.take(some), weight.take(some), wins_ties)
            _keep_fewer(found, candidate, some)
    return found


def _towards(push: Ragged, weight: Ragged, wins_ties: NDArray[np.bool_]) -> Flips:
    """The fewest weights without which the pushes for the predicted class sum to less than nothing."""
    # Padding comes last, whatever the sign.
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
    """Logits if all attention were on one token, shape (tokens, classes); for two classes 0 and the logit."""
    logits = readout.projected.values.astype(np.float64) + readout.bias
    if readout.outputs == 1:
        return np.concatenate([np.zeros_like(logits), logits], axis=1)
    return np.asarray(logits)


def _renormalised(sums: NDArray[np.float64], mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of projected states over the weight that is left; 0 where none is."""
    left = mass > 0
    return np.asarray(sums / np.where(left, mass, 1.0)[..., None] * left[..., None])


def _sums_from(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Σ over columns k, k + 1, …, for k up to the number of columns: shape (rows, columns + 1, ...).

    Added from the end, so that small remainders are not differences of large sums.
    """
    sums = np.zeros((len(values), values.shape[1] + 1, *values.shape[2:]))
    sums[:, :-1] = np.flip(np.cumsum(np.flip(values, axis=1), axis=1), axis=1)
    return sums


def _note(
    found: Flips, rows: NDArray[np.int64], flipped: NDArray[np.bool_], weight: NDArray[np.float64]
) -> None:
    """Enter the first change of each row: weights are padded and in order of erasure."""
    some = flipped.any(axis=1)
    first = flipped.argmax(axis=1)
    gone = np.arange(weight.shape[1]) < first[:, None]
    found.count[rows[some]] = first[some]
    found.mass[rows[some]] = (weight * gone).sum(axis=1)[some]


def _keep_fewer(found: Flips, candidate: Flips, rows: NDArray[np.int64]) -> None:
    """Enter a candidate for some documents where it needs fewer weights."""
    before = found.count[rows]
    fewer = (candidate.count >= 0) & ((before < 0) | (candidate.count < before))
    found.count[rows[fewer]] = candidate.count[fewer]
    found.mass[rows[fewer]] = candidate.mass[fewer]


def _alike(lengths: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    """Groups of documents of about one length, each of at most `size` padded tokens, or of one document."""
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    start = 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and (stop + 1 - start) * lengths[order[stop]] <= size:
            stop += 1
        yield order[start:stop]
        start = stop
