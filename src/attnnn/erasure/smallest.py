"""The fewest weights whose erasure changes the decision, over all sets of tokens.

With a linear decoder the logits of what is left are Σ_{t∉E} α_t (s_t + b) / Σ_{t∉E} α_t. Let y be the
predicted class and d_t = α_t ((s_t^y + b_y) − (s_t^k + b_k)): how much token t speaks for y rather than for
a rival k. Erasing E lets k win over y exactly if Σ_{t∉E} d_t < 0 (or = 0, if k is the one that ties go
to): what is left has positive weight, and dividing by it changes no sign.

Of all sets of m tokens, the m largest d leave the smallest sum. So the smallest set for k is the shortest
prefix of the tokens, sorted downwards by d, that leaves such a sum, found by adding up the sorted d from
their small end; the smallest set of all is the smallest over the K − 1 rivals. A set exists exactly if some
token with weight would be decided otherwise if it had all the attention. docs/erasure.md has the proof.

For two classes d_t is α_t s_t + α_t b, up to one sign for all tokens, so that attention × gradient is the
best order but for the bias. For more classes the gradient mixes all rivals, where the smallest set has one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnnn.erasure.blocks import Block, Floats, Ints, blocks_of
from attnnn.erasure.flips import Flips
from attnnn.erasure.reasons import Reason, untestable
from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged


def smallest_flips(attention: Ragged, readout: Readout, *, erase_all: bool = False) -> Flips:
    """The fewest weights whose erasure changes the decision, over all sets of tokens.

    In O(K n log n) per document, where the paper holds the search to be exponential. A token of weight zero
    is in no smallest set. Of several sets of that size the mass is that of one: of the first rival that is
    reached with so few, the earlier of two equal tokens.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.
        erase_all: whether all weight may be erased, which leaves the bias to decide.

    Returns:
        For a readout that is not linear in the attention, that of a corpus of pairs, the reason alone.

    Source: the module's docstring; Serrano & Smith 2019, section 5, ask for this set and call its search
    intractable.
    """
    reason = untestable(attention, readout, erase_all=erase_all)
    if not readout.linear:
        given = np.where(reason == Reason.NONE, Reason.NOT_LINEAR, reason)
        return Flips.none(given.astype(np.int8))
    found = Flips.none(reason)
    for block in blocks_of(attention, readout, np.flatnonzero(reason == Reason.NONE)):
        count, rival = _fewest(block, readout.classes)
        order = np.argsort(-_push(block, rival), axis=1, kind="stable")
        gone = np.take_along_axis(block.weight, order, axis=1).cumsum(axis=1)
        mass = gone[np.arange(len(count)), np.maximum(count, 1) - 1]
        if erase_all:
            # A set that leaves a weight is the smaller one.
            weights = (block.weight > 0).sum(axis=1)
            all_of_them = (count < 0) & (block.without_any != block.own)
            count = np.where(all_of_them, weights, count)
            mass = np.where(all_of_them, block.weight.sum(axis=1), mass)
        found.enter(block, count > 0, count, mass)
    return found


def _fewest(block: Block, classes: int) -> tuple[Ints, Ints]:
    """Fewest erasures, -1 where there are none, and the rival that they let win; shape (rows,)."""
    fewest, chosen = np.full(len(block.rows), -1), np.zeros(len(block.rows), dtype=np.int64)
    for rival in range(classes):
        count = _towards(block, np.full(len(block.rows), rival))
        better = (count > 0) & ((fewest < 0) | (count < fewest))
        fewest[better], chosen[better] = count[better], rival
    return fewest, chosen


def _towards(block: Block, rival: Ints) -> Ints:
    """Fewest erasures that let a rival win over the predicted class, shape (rows,); -1 where none do."""
    push = _push(block, rival)
    ties = (rival < block.own)[:, None]
    possible = (rival != block.own) & _may_win(block, rival)
    # Otherwise sums of exact zeros, over tokens without weight, would pass for ties.
    possible &= (((push < 0) | (ties & (push == 0))) & (block.weight > 0)).any(axis=1)
    # Padding sorts before the smallest, and is left with them.
    ordered = np.sort(push, axis=1)
    left = np.where(np.isneginf(ordered), 0.0, ordered).cumsum(axis=1)
    beaten = ((left < 0) | (ties & (left == 0)))[:, ::-1]
    beaten[:, 0] = False  # nothing erased; below 0 by rounding at most
    return np.where(possible & beaten.any(axis=1), beaten.argmax(axis=1), -1)


def _push(block: Block, rival: Ints) -> Floats:
    """d_t for the given rivals, shape (rows, n); −∞ for padding."""
    if len(block.terms) == 1:
        push = np.where((block.own == 1)[:, None], block.terms[0], -block.terms[0])
    else:
        rows = np.arange(len(rival))
        push = block.terms[block.own, rows] - block.terms[rival, rows]
    return np.where(block.real, push, -np.inf)


def _may_win(block: Block, rival: Ints) -> NDArray[np.bool_]:
    allowed = block.readout.allowed
    if allowed is None:
        return np.ones(len(rival), dtype=np.bool_)
    return np.asarray(allowed[np.arange(len(rival)), rival])
