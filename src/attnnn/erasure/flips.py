"""How many attention weights must be erased before the decision changes, in the order of a score.

Erasing sets weights to zero and divides the others by their sum; the readout runs again on the same states.
All that remains after the first k weights are gone is a pair of sums from the end of the order, so one pass
finds every k at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.erasure.blocks import Block, blocks_of
from attnnn.erasure.reasons import Reason, Reasons, untestable
from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged


@dataclass(frozen=True)
class Flips:
    """What it took to change each document's decision.

    Attributes:
        count: shape (documents,): tokens erased; -1 where there is a reason.
        fraction: shape (documents,): of the document's tokens, from 0 to 1; NaN where there is a reason.
        mass: shape (documents,): the attention that these had; NaN where there is a reason.
        reason: shape (documents,): `Reason.NONE` exactly where the decision changed.
    """

    count: NDArray[np.int64]
    fraction: NDArray[np.float64]
    mass: NDArray[np.float64]
    reason: Reasons

    @classmethod
    def none(cls, reason: Reasons) -> Flips:
        """No decision has changed yet: that is the reason where there is no other."""
        nan = np.full(len(reason), np.nan)
        given = np.where(reason == Reason.NONE, Reason.NEVER, reason).astype(np.int8)
        return cls(np.full(len(reason), -1), nan, nan.copy(), given)

    def enter(
        self,
        block: Block,
        some: NDArray[np.bool_],
        count: NDArray[np.int64],
        mass: NDArray[np.float64],
    ) -> None:
        """Enter counts and masses, shape (rows,), of some rows of a block."""
        rows = block.rows[some]
        self.count[rows] = count[some]
        self.fraction[rows] = (count / block.real.sum(axis=1))[some]
        self.mass[rows] = mass[some]
        self.reason[rows] = Reason.NONE


def first_flips(
    attention: Ragged,
    readout: Readout,
    scores: Mapping[str, Ragged],
    *,
    erase_all: bool = False,
) -> dict[str, Flips]:
    """Erase weights by descending score, one after the other, until the decision changes for the first time.

    Of two tokens of equal score the earlier is erased first. A token of weight zero counts like any other
    when its turn comes, although its erasure changes nothing: a score that ranks unread tokens high is
    charged for them.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.
        scores: one number for every token, by name.
        erase_all: whether the last weight may be erased too, which leaves the bias to decide, as the
            released code has it; otherwise a token with weight stays. Documents of one token are not tested
            in either case.

    Returns:
        By name of the score. A decision between classes whose logits differ by less than rounding, about
        1e-15 of the largest term, may fall either way.

    Source: Serrano & Smith 2019, section 5.
    """
    reason = untestable(attention, readout, erase_all=erase_all)
    found = {name: Flips.none(_with_score(reason, score)) for name, score in scores.items()}
    for block in blocks_of(attention, readout, np.flatnonzero(reason == Reason.NONE)):
        for name, score in scores.items():
            _flip(found[name], block, score, erase_all=erase_all)
    return found


def _with_score(reason: Reasons, score: Ragged) -> Reasons:
    missing = score.with_values(np.isnan(score.values)).sums() > 0
    return np.where(missing & (reason == Reason.NONE), Reason.INVALID_SCORE, reason).astype(np.int8)


def _flip(found: Flips, block: Block, score: Ragged, *, erase_all: bool) -> None:
    # Padding is last to be erased, after real tokens of score −∞ too: the sort is stable.
    erased_first = np.argsort(-block.padded(score.values, -np.inf), axis=1, kind="stable")
    # Column j has the sums over the last j + 1 to be erased, added up from the last, so that small remainders
    # are not differences of large sums.
    order = erased_first[:, ::-1]
    weight = np.take_along_axis(block.weight, order, axis=1)
    left = weight.cumsum(axis=1)
    sums = np.take_along_axis(block.terms, order[None], axis=2).cumsum(axis=2)
    flipped = (block.decided(sums, left) != block.own[:, None]) & (left > 0)
    flipped[:, -1] = False  # nothing erased
    # From here on column k has k erased.
    flipped = flipped[:, ::-1]
    gone = weight[:, ::-1].cumsum(axis=1)
    count, some = flipped.argmax(axis=1), flipped.any(axis=1)
    if erase_all:
        last = weight.shape[1] - (weight > 0).argmax(axis=1)
        count = np.where(some, count, last)
        some = some | (block.without_any != block.own)
    some = some & (found.reason[block.rows] != Reason.INVALID_SCORE)
    rows = np.arange(len(count))
    found.enter(block, some, count, gone[rows, np.maximum(count, 1) - 1])
