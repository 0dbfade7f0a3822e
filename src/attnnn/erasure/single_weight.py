"""One weight erased: does the highest matter more than another?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attnnn.erasure.blocks import HELD, Block, Floats, Ints, alike, blocks_of
from attnnn.erasure.class_scores import two_columns
from attnnn.erasure.reasons import Reason, Reasons, untestable
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
    attention: Ragged, readout: Readout, positions: Mapping[str, Ints], *, erase_all: bool = False
) -> dict[str, Erased]:
    """Erase one weight of each document and decide again; several, each by itself.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.
        positions: by any names, shape (documents, m): which; negative where a score ranks no token, which
            is a reason.
        erase_all: test documents that have all their weight on one of several tokens too: without it, the
            bias decides. Documents of one token are not tested in either case.

    Returns:
        By the same names.

    Source: Serrano & Smith 2019, section 4.
    """
    reason = untestable(attention, readout, erase_all=erase_all)
    found = {name: _untested(position, reason) for name, position in positions.items()}
    for block in blocks_of(attention, readout, np.flatnonzero(reason == Reason.NONE)):
        terms, mass = _Sums(block.terms), _Sums(block.weight[None])
        before = _distribution(block, terms.all, mass.all[0])
        for erased in found.values():
            tested = erased.reason[block.rows] == Reason.NONE
            here = np.where(tested[:, None], erased.position[block.rows], 0)
            sums, left = terms.without(here), mass.without(here)[0]
            decided = np.where(left > 0, block.decided(sums, left), block.without_any[:, None])
            js = jensen_shannon_of_predictions(before, _distribution(block, sums, left))
            rows = block.rows[tested]
            erased.weight[rows] = np.take_along_axis(block.weight, here, axis=1)[tested]
            erased.js[rows] = js[tested]
            erased.flips[rows] = (decided != block.own[:, None])[tested]
    return found


def _untested(position: Ints, reason: Reasons) -> Erased:
    nan = np.full(position.shape, np.nan)
    unranked = (reason == Reason.NONE) & (position < 0).any(axis=1)
    return Erased(
        np.where((reason == Reason.NO_TOKEN)[:, None], -1, position),
        nan,
        nan.copy(),
        np.zeros(position.shape, dtype=np.bool_),
        np.where(unranked, Reason.INVALID_SCORE, reason).astype(np.int8),
    )


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


class _Sums:
    """Sums over all tokens of a document but one, for values of shape (width, rows, n).

    Added up from both sides of that token, not subtracted from the whole: without a weight near 1, the
    difference would be nothing but rounding.
    """

    def __init__(self, values: Floats) -> None:
        none = np.zeros((*values.shape[:2], 1))
        self._before = np.concatenate([none, values[..., :-1].cumsum(axis=-1)], axis=-1)
        back = values[..., :0:-1].cumsum(axis=-1)[..., ::-1]
        self._after = np.concatenate([back, none], axis=-1)
        self.all = values.sum(axis=-1)[..., None]

    def without(self, position: Ints) -> Floats:
        """Shape (width, rows, m), given positions of shape (rows, m)."""
        place = position[None]
        before = np.take_along_axis(self._before, place, axis=-1)
        return np.asarray(before + np.take_along_axis(self._after, place, axis=-1))


def _distribution(block: Block, sums: Floats, mass: Floats) -> Floats:
    """Probabilities of every class, both of two, so that a small one is not 1 minus a large one."""
    return probabilities_of(two_columns(block.logits(sums, mass)))
