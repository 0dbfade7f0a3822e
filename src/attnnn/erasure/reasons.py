"""Why a document has no number: documents are counted by reason, and none is dropped."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged

Reasons = NDArray[np.int8]


class Reason(IntEnum):
    """Why a document has no number. Where several hold, the first of this list is given."""

    NONE = 0
    NO_TOKEN = 1
    INVALID_ATTENTION = 2
    """A weight is NaN, infinite or negative, or all are zero."""
    INVALID_STATES = 3
    """A projected state is NaN or infinite."""
    ONE_TOKEN = 4
    ONE_WEIGHT = 5
    """One token has all the weight, so no weight is left once it is erased."""
    INVALID_SCORE = 6
    """A token's score is NaN, so the tokens have no ranking."""
    NOT_LINEAR = 7
    """The smallest set is known for decoders that are linear in the attention, not for this one."""
    NEVER = 8
    """The decision never changes."""

    @property
    def words(self) -> str:
        """As tables have it; empty for none."""
        return "" if self is Reason.NONE else self.name.lower().replace("_", " ")


def untestable(attention: Ragged, readout: Readout, *, erase_all: bool) -> Reasons:
    """Why documents cannot be tested by erasing weights, whatever the ranking.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.
        erase_all: whether all weight may be erased, which leaves the bias to decide; then a document
            whose weight is all on one of several tokens can be tested.

    Returns:
        Shape (documents,): `Reason.NONE` where nothing is in the way.
    """
    weight = attention.values.astype(np.float64)
    # NaN compares false.
    valid = (weight >= 0) & np.isfinite(weight)
    states = np.isfinite(readout.projected.values).all(axis=1)
    positive = attention.with_values(valid & (weight > 0)).sums()
    reason = np.zeros(len(attention), dtype=np.int8)
    # The last entry wins, so the first reasons of the list come last.
    if not erase_all:
        reason[positive == 1] = Reason.ONE_WEIGHT
    reason[attention.lengths == 1] = Reason.ONE_TOKEN
    reason[attention.with_values(~states).sums() > 0] = Reason.INVALID_STATES
    reason[(positive == 0) | (attention.with_values(~valid).sums() > 0)] = Reason.INVALID_ATTENTION
    reason[attention.lengths == 0] = Reason.NO_TOKEN
    return reason


def tally(reason: Reasons, classes_of: NDArray[np.int64], classes: int) -> NDArray[np.int64]:
    """Documents by class and reason.

    Args:
        reason: shape (documents,).
        classes_of: shape (documents,): for instance the predicted class of each.
        classes: number of classes; one that no document has is a row of zeros.

    Returns:
        Shape (classes, reasons): column `Reason.NONE` counts documents that have a number.
    """
    counts = np.zeros((classes, len(Reason)), dtype=np.int64)
    np.add.at(counts, (classes_of, reason), 1)
    return counts
