"""One weight erased: does the highest matter more than another?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attnnn.erasure.blocks import HELD, Block, Floats, Ints, alike, blocks_of
from attnnn.erasure.reasons import Reason, Reasons, untestable
from attnnn.erasure.scores import two_columns
from attnnn.measures import jensen_shannon_of_predictions
from attnnn.readout.readout import Readout, probabilities_of
from attnnn.tables.ragged import Ragged

Among = Literal["others", "positions"]


@dataclass(frozen=True)
class Erased:
    """What erasing one weight at a time does, m of them for every document.

    Attributes:
        position: shape (documents, m): the erased token; -1 where the document has none.
        weight: shape (documents, m): its attention; NaN where there is a reason.
        js: shape (documents, m): Jensen–Shannon divergence between the class distributions before and
            after, nats, from 0 to ln 2; NaN where there is a reason.
        flips: shape (documents, m): whether the decision changes; False where there is a reason.
        reason: shape (documents,).
    """

    position: Ints
    weight: Floats
    js: Floats
    flips: NDArray[np.bool_]
    reason: Reasons


@dataclass(frozen=True)
class Contrast:
    """A chosen weight against others, one pair for each draw, shape (documents, draws).

    Attributes:
        weight: Δα, the chosen weight minus the other; NaN where there is a reason.
        js: ΔJS, the effect of erasing the chosen one minus that of the other; NaN where there is a reason.
    """

    weight: Floats
    js: Floats


def erase_each(
    attention: Ragged, readout: Readout, position: Ints, *, erase_all: bool = False
) -> Erased:
    """Erase one weight of each document and decide again; several, each by itself.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.
        position: shape (documents, m): which; negative where a score ranks no token, which is a reason.
        erase_all: test documents that have all their weight on one of several tokens too: without it, the
            bias decides. Documents of one token are not tested in either case.

    Source: Serrano & Smith 2019, section 4.
    """
    reason = untestable(attention, readout, erase_all=erase_all)
    reason[(reason == Reason.NONE) & (position < 0).any(axis=1)] = Reason.INVALID_SCORE
    shape = position.shape
    found = Erased(
        np.where((attention.lengths == 0)[:, None], -1, position),
        np.full(shape, np.nan),
        np.full(shape, np.nan),
        np.zeros(shape, dtype=np.bool_),
        reason,
    )
    for block in blocks_of(attention, readout, np.flatnonzero(reason == Reason.NONE)):
        here = position[block.rows]
        before, _ = _without(block, here[:, :0])
        after, decided = _without(block, here)
        found.weight[block.rows] = np.take_along_axis(block.weight, here, axis=1)
        found.js[block.rows] = jensen_shannon_of_predictions(before, after)
        found.flips[block.rows] = decided != block.own[:, None]
    return found


def contrast(chosen: Erased, others: Erased) -> Contrast:
    """Compare a chosen weight of each document with others of it.

    Args:
        chosen: one per document.
        others: of the same documents, one per draw.
    """
    return Contrast(chosen.weight - others.weight, chosen.js - others.js)


def flip_table(chosen: Erased, others: Erased, *, draw: int = 0) -> Ints:
    """How many decisions change when the chosen weight is erased, and when another is.

    Args:
        chosen: one per document.
        others: of the same documents.
        draw: which of the others.

    Returns:
        Shape (2, 2), over documents without a reason: rows whether the chosen one changes the decision (no,
        yes), columns whether the other one does. `measures.mcnemar_test(table[1, 0], table[0, 1])` tests it.

    Source: Serrano & Smith 2019, section 4.2.
    """
    tested = chosen.reason == Reason.NONE
    table = np.zeros((2, 2), dtype=np.int64)
    pair = chosen.flips[tested, 0].astype(int), others.flips[tested, draw].astype(int)
    np.add.at(table, pair, 1)
    return table


def ranked(score: Ragged, place: int) -> Ints:
    """Position of the token at a place of the descending order; the earlier one of two equals is first.

    Args:
        score: attention for the highest weight, its negative for the lowest, a gradient, …
        place: 0 for the first, 1 for the second.

    Returns:
        Shape (documents, 1): -1 for a document that has no such place, or a NaN among its scores.
    """
    found = np.full((len(score), 1), -1, dtype=np.int64)
    missing = score.with_values(np.isnan(score.values)).sums() > 0
    rows = np.flatnonzero((score.lengths > place) & ~missing)
    for group in alike(score.lengths[rows], HELD):
        some = rows[group]
        falling = -score.take(some).padded(-np.inf).astype(np.float64)
        found[some, 0] = np.argsort(falling, axis=1, kind="stable")[:, place]
    return found


def random_others(
    position: Ints,
    lengths: Ints,
    generator: np.random.Generator,
    *,
    draws: int = 1,
    among: Among = "others",
) -> Ints:
    """Random positions to compare the chosen one with.

    Args:
        position: shape (documents, 1): the chosen one.
        lengths: shape (documents,): n.
        generator: source of randomness, `draws` draws for every document of two or more tokens.
        draws: how many for each document, independent of each other.
        among: ``others``: uniform over the n − 1 other positions; ``positions``: uniform over 1 … n − 1,
            whatever was chosen, as in the released code: it can be the chosen one and is never the first.

    Returns:
        Shape (documents, draws): -1 for a document of fewer than two tokens.

    Source: Serrano & Smith 2019, section 4.1; released code.
    """
    found = np.full((len(lengths), draws), -1, dtype=np.int64)
    some = lengths > 1
    drawn = generator.integers(0, lengths[some, None] - 1, size=(int(some.sum()), draws))
    found[some] = drawn + (1 if among == "positions" else drawn >= position[some])
    return found


def _without(block: Block, position: Ints) -> tuple[Floats, Ints]:
    """Class distributions, shape (rows, m, classes), and decisions, (rows, m), without one token each.

    With nothing to erase, m is 1 and the token none. What is left is added up from both sides of the erased
    token, not subtracted from the whole: a weight near 1 would leave nothing but rounding.
    """
    if position.shape[1] == 0:
        sums, mass = block.terms.sum(axis=2)[..., None], block.weight.sum(axis=1)[:, None]
    else:
        sums = _around(block.terms, np.broadcast_to(position, (len(block.terms), *position.shape)))
        mass = _around(block.weight, position)
    logits = block.logits(sums, mass)
    decided = np.where(mass > 0, block.decided(sums, mass), block.without_any[:, None])
    # Both of two classes, so that a small probability is not 1 minus a large one.
    return probabilities_of(two_columns(logits)), decided


def _around(values: Floats, position: Ints) -> Floats:
    """Sums along the last axis of all but one value."""
    up_to = np.cumsum(values, axis=-1)
    from_there = np.cumsum(values[..., ::-1], axis=-1)[..., ::-1]
    before = np.where(
        position > 0, np.take_along_axis(up_to, np.maximum(position - 1, 0), axis=-1), 0.0
    )
    last = values.shape[-1] - 1
    after = np.take_along_axis(from_there, np.minimum(position + 1, last), axis=-1)
    return np.asarray(before + np.where(position < last, after, 0.0))
