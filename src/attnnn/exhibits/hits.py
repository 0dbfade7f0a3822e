"""Whether a score finds the tokens that are known to matter."""

from __future__ import annotations

import numpy as np

from attnnn.exhibits.results import Floats
from attnnn.tables.ragged import Ragged


def hits(scores: Ragged, truth: Ragged) -> Floats:
    """Whether the highest-scoring token of each document decides its label, shape (documents,).

    Where several tokens share the highest score: the share of deciding ones among them, which is the
    chance of a hit when the tie is broken at random.
    """
    highest = scores.values >= np.repeat(scores.maxima(), scores.lengths)
    deciding = scores.with_values(highest & (truth.values == 1))
    return deciding.sums() / scores.with_values(highest).sums()
