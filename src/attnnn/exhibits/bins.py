"""Bins of the largest attention weight of a document, as in Jain & Wallace's violin figures."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

MAX_ATTENTION_BINS = ("[0,.25)", "[.25,.5)", "[.5,.75)", "[.75,1]")


def bin_of(max_attention: ArrayLike) -> NDArray[np.int64]:
    """Index of the bin of each weight, 0 … 3; a weight of exactly 1 belongs to the last."""
    bins = np.floor(np.asarray(max_attention, dtype=np.float64) * 4).astype(np.int64)
    return np.clip(bins, 0, len(MAX_ATTENTION_BINS) - 1)
