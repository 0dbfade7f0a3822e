"""Replaces the most attended words of a document by those that speak most for the other class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attnnn.tables.ragged import Ragged


def substitute(
    tokens: Ragged,
    attention: Ragged,
    predicted: NDArray[np.int64],
    strongest: Sequence[NDArray[np.int64]],
) -> tuple[Ragged, NDArray[np.int64]]:
    """Replace the most attended tokens of each document by the strongest words of the class not predicted.

    The most attended token becomes the strongest word, and so on, as long as there are words and tokens. Of
    tokens of equal weight, the earlier one is replaced first.

    Args:
        tokens: vocabulary ids of the n tokens of each document.
        attention: their weights.
        predicted: shape (documents,): predicted class, 0 or 1.
        strongest: for each class, the ids of its strongest words, strongest first.

    Returns:
        The documents with those words, and how many tokens of each were replaced, shape (documents,).

    Source: Jain & Wallace 2019, released code (substitution).
    """
    documents = tokens.documents
    order = np.lexsort((tokens.positions, -attention.values.astype(np.float64), documents))
    # The order keeps documents together, so a position within a document is a rank.
    rank = np.empty_like(order)
    rank[order] = tokens.positions
    replaced = tokens.values.astype(np.int64)
    for class_, words in enumerate(strongest):
        here = (predicted[documents] == 1 - class_) & (rank < len(words))
        replaced[here] = words[rank[here]]
    available = np.array([len(words) for words in strongest])
    return tokens.with_values(replaced), np.minimum(tokens.lengths, available[1 - predicted])
