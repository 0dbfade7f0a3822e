"""The vocabulary: four special symbols, and then the words in code point order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.corpora.tokenize import Tokens
from attnnn.tables.ragged import blocks

SPECIAL = ("<0>", "<UNK>", "<SOS>", "<EOS>")
UNKNOWN = 1


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Words and their ids.

    Attributes:
        tokens: by id: padding, unknown, start, end, then words.
        document_frequency: shape (V,), int64: how many of the counted documents hold it; 0 for symbols.
    """

    tokens: list[str]
    document_frequency: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.tokens)

    def ids_of(self, words: list[str]) -> NDArray[np.int32]:
        """The ids of words, or `UNKNOWN`. A word that is spelled like a symbol is unknown too."""
        ids = {word: number for number, word in enumerate(self.tokens) if number >= len(SPECIAL)}
        return np.array([ids.get(word, UNKNOWN) for word in words], dtype=np.int32)


def fit(tokens: Tokens, documents: NDArray[np.bool_], *, min_df: int) -> Vocabulary:
    """The vocabulary of some documents.

    Args:
        tokens: a tokenised corpus.
        documents: shape (documents,): which documents are counted.
        min_df: how many of them must hold a word.

    Source: Jain & Wallace 2019, released preprocessing: ids 0 to 3 are symbols, words are sorted, and
    documents that the length filter drops later are counted too. (Only in this way does SST have the
    13,826 entries of their code, from all 6,920 train sentences that are not neutral.)
    """
    frequency = _document_frequency(tokens, np.flatnonzero(documents))
    kept = sorted(
        (word, int(count))
        for word, count in zip(tokens.inventory, frequency, strict=True)
        if count >= max(min_df, 1) and word not in SPECIAL
    )
    counts = np.array([0] * len(SPECIAL) + [count for _, count in kept], dtype=np.int64)
    return Vocabulary([*SPECIAL, *(word for word, _ in kept)], counts)


def _document_frequency(tokens: Tokens, documents: NDArray[np.int64]) -> NDArray[np.int64]:
    size = len(tokens.inventory)
    frequency = np.zeros(size, dtype=np.int64)
    for block in blocks(tokens.numbers.lengths[documents]):
        numbers = tokens.numbers.take(documents[block])
        pairs = np.unique(numbers.documents * size + numbers.values.astype(np.int64))
        frequency += np.bincount(pairs % max(size, 1), minlength=size)
    return frequency
