"""Tokenised documents with their vocabulary ids, block by block so that large corpora fit in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from attnnn.corpora.texts import Texts
from attnnn.corpora.tokenize import Tokens, tokenize
from attnnn.corpora.vocabulary import UNKNOWN, Vocabulary
from attnnn.tables.ragged import Ragged, blocks


@dataclass(frozen=True, eq=False)
class Survey:
    """What the description of a corpus needs to know about each text.

    Attributes:
        lengths: how many tokens it has.
        unknown: how many of them are not in the vocabulary.
        digests: equal for equal texts, all unknown words counting as equal.
    """

    lengths: NDArray[np.int64]
    unknown: NDArray[np.int64]
    digests: list[bytes]


@dataclass(frozen=True, eq=False)
class Encoded:
    """Some of the texts of a tokenised corpus.

    Attributes:
        tokens: the whole corpus.
        ids: the vocabulary id of every distinct token.
        rows: which texts of the corpus these are.
    """

    tokens: Tokens
    ids: NDArray[np.int32]
    rows: NDArray[np.int64]

    @classmethod
    def of(cls, tokens: Tokens, vocabulary: Vocabulary, rows: NDArray[np.int64]) -> Encoded:
        """The given texts, encoded by that vocabulary."""
        return cls(tokens, vocabulary.ids_of(tokens.inventory), rows)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many tokens each text has."""
        return self.tokens.numbers.lengths[self.rows]

    def words(self, part: slice) -> Ragged:
        """The tokens of some of the texts, as strings."""
        return self.tokens.words(self.tokens.numbers.take(self.rows[part]))

    def token_ids(self, part: slice) -> Ragged:
        """Their vocabulary ids, int32."""
        numbers = self.tokens.numbers.take(self.rows[part])
        return numbers.with_values(self.ids[numbers.values])

    def survey(self) -> Survey:
        """The lengths, unknown tokens and digests of all texts."""
        unknown: list[int] = []
        digests: list[bytes] = []
        for part in blocks(self.lengths):
            ids = self.token_ids(part)
            unknown += ids.with_values(ids.values == UNKNOWN).sums().astype(np.int64).tolist()
            digests += [hashlib.blake2b(text.tobytes(), digest_size=16).digest() for text in ids]
        return Survey(self.lengths, np.array(unknown, dtype=np.int64), digests)


def tokenize_documents(documents: Texts, corpus: str, tokenizer: str) -> Tokens:
    """Tokenise all documents in order and then, for a corpus of pairs, all questions.

    Args:
        documents: the corpus.
        corpus: its name, for the progress bar.
        tokenizer: name of the tokenizer.
    """
    parts = [documents.texts]
    if documents.questions is not None:
        parts.append(documents.questions.texts)
    with tqdm(
        total=sum(map(len, parts)), desc=f"tokenise {corpus}", unit=" texts", disable=None
    ) as progress:
        return tokenize(_counted(chain(*parts), progress), tokenizer)


def _counted(texts: Iterable[str], progress: tqdm[NoReturn]) -> Iterator[str]:
    for text in texts:
        progress.update()
        yield text


def document_columns(
    documents: Texts, encoded: Encoded, questions: Encoded | None
) -> Iterator[dict[str, Any]]:
    """The columns of `schemas.DOCUMENTS` or, with questions, of `schemas.PAIRS`, block by block."""
    lengths = encoded.lengths if questions is None else encoded.lengths + questions.lengths
    for part in blocks(lengths):
        rows = np.arange(len(documents))[part]
        columns: dict[str, Any] = {
            "document": rows,
            "split": documents.splits[part],
            "label": documents.labels[part],
            "tokens": encoded.words(part),
            "token_ids": encoded.token_ids(part),
            "truth": _or_nulls(documents.truth, rows),
        }
        if documents.questions is not None and questions is not None:
            columns |= {
                "question": questions.words(part),
                "question_ids": questions.token_ids(part),
                "candidates": _or_nulls(documents.questions.candidates, rows),
                "sentence": _or_nulls(documents.questions.sentences, rows),
                "evidence": _or_nulls(documents.questions.evidence, rows),
            }
        yield columns


def _or_nulls(values: Ragged | None, rows: NDArray[np.int64]) -> Ragged | list[None]:
    return [None] * len(rows) if values is None else values.take(rows)
