"""How soon a ranking changes decisions: against another ranking, and against the smallest set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.erasure.flips import Flips
from attnnn.erasure.reasons import Reason


@dataclass(frozen=True)
class Comparison:
    """Documents by which of two rankings changes the decision with fewer erasures.

    Attributes:
        fewer: the first ranking takes fewer, or it alone changes the decision.
        more: the other way round.
        equal: both take as many.
        neither: neither changes the decision.
        untested: a ranking has a reason other than that the decision never changes.
    """

    fewer: int
    more: int
    equal: int
    neither: int
    untested: int


def compare(first: Flips, second: Flips) -> Comparison:
    """Count documents by which of two rankings is more efficient.

    `measures.mcnemar_test` of `fewer` and `more` is the sign test of the two.

    Args:
        first: of some documents.
        second: of the same documents.

    Source: Serrano & Smith 2019, released code (``process_test_outputs.py``).
    """
    known = (Reason.NONE, Reason.NEVER)
    tested = np.isin(first.reason, known) & np.isin(second.reason, known)
    never = np.iinfo(np.int64).max
    one, other = (np.where(flips.count > 0, flips.count, never) for flips in (first, second))
    neither = (one == never) & (other == never)
    return Comparison(
        fewer=int((tested & (one < other)).sum()),
        more=int((tested & (one > other)).sum()),
        equal=int((tested & (one == other) & ~neither).sum()),
        neither=int((tested & neither).sum()),
        untested=int((~tested).sum()),
    )


def times_smallest(flips: Flips, smallest: Flips) -> NDArray[np.float64]:
    """How many times as many erasures as needed a ranking takes, at least 1, which is optimal.

    Args:
        flips: of a ranking.
        smallest: of the same documents, with the same `erase_all`.

    Returns:
        Shape (documents,): NaN where the ranking never changes the decision, or a reason stands in its way.
    """
    both = (flips.count > 0) & (smallest.count > 0)
    return np.where(both, flips.count / np.where(both, smallest.count, 1), np.nan)
