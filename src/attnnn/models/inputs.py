"""What a model reads of some documents, as one object, and its way through batches and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from attnnn.errors import UserError
from attnnn.models.batches import (
    EVALUATION_TOKENS,
    Batch,
    length_sorted_batches,
    make_batch,
    make_sentence_batch,
)
from attnnn.models.documents import Documents, EncodedQuestions
from attnnn.tables.ragged import Ragged


@dataclass(frozen=True)
class Inputs:
    """What a model reads of each document.

    Attributes:
        tokens: vocabulary ids of the n tokens, without start and end symbols.
        imposed: attention weights of the n items, for a model with imposed attention; else None.
        questions: of a corpus of pairs, with the classes that may be the answer; else None.
        sentences: lengths of the sentences, for a hierarchical model, which attends to them; else None.
    """

    tokens: Ragged
    imposed: Ragged | None = None
    questions: EncodedQuestions | None = None
    sentences: Ragged | None = None

    @classmethod
    def of(
        cls, documents: Documents, imposed: Ragged | None = None, *, by_sentence: bool = False
    ) -> Inputs:
        """Those of a prepared corpus.

        Raises:
            UserError: sentences are wanted, and nobody has found them.
        """
        if by_sentence and documents.sentences is None:
            raise UserError(
                "a hierarchical model needs the sentences of its documents, and those of this corpus are not "
                "known; leave out its han- models, or prepare the corpus again with its sentences"
            )
        sentences = documents.sentences if by_sentence else None
        return cls(documents.tokens, imposed, documents.questions, sentences)

    @property
    def items(self) -> Ragged:
        """What attention is to: the n tokens of each document, or its sentences."""
        return self.tokens if self.sentences is None else self.sentences

    @property
    def lengths(self) -> NDArray[np.int64]:
        """By what documents are batched in training, the last one being what batches are padded to.

        Shape (1, documents) with the length including start and end symbols, or (2, documents) with the
        number of sentences and the length of the longest.
        """
        if self.sentences is None:
            return self.tokens.lengths[None] + 2
        return np.stack([self.sentences.lengths, self.sentences.maxima().astype(np.int64)])

    def __len__(self) -> int:
        return len(self.tokens)

    def take(self, rows: NDArray[np.int64]) -> Inputs:
        """Those of the given documents, in the given order."""
        return Inputs(
            self.tokens.take(rows),
            None if self.imposed is None else self.imposed.take(rows),
            None if self.questions is None else self.questions.take(rows),
            None if self.sentences is None else self.sentences.take(rows),
        )

    def batch(self, device: torch.device | str = "cpu") -> Batch:
        """All of them as one padded batch."""
        if self.sentences is not None:
            return make_sentence_batch(
                self.tokens, self.sentences, device=device, imposed=self.imposed
            )
        return make_batch(
            self.tokens, device=device, imposed=self.imposed, questions=self.questions
        )

    def parts(self, max_tokens: int = EVALUATION_TOKENS) -> list[Part]:
        """All documents in parts by length, each at most `max_tokens` padded tokens large.

        A longer document makes a part of its own.
        """
        rows = length_sorted_batches(self.tokens, max_tokens=max_tokens)
        return [Part(self, some) for some in rows]

    def batches(
        self, device: torch.device | str, max_tokens: int = EVALUATION_TOKENS
    ) -> Iterator[tuple[Part, Batch]]:
        """The `parts`, each with its documents as a padded batch."""
        for part in self.parts(max_tokens):
            yield part, part.inputs.batch(device)


@dataclass(frozen=True)
class Part:
    """Some of the documents, and where what is found of them belongs.

    Attributes:
        whole: all documents.
        rows: which of them these are.
    """

    whole: Inputs
    rows: NDArray[np.int64]

    @cached_property
    def inputs(self) -> Inputs:
        """What a model reads of these documents."""
        return self.whole.take(self.rows)

    @cached_property
    def cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Row and column of every item in a padded batch of these documents."""
        return self.inputs.items.documents, self.inputs.items.positions + 1

    @cached_property
    def flat(self) -> NDArray[np.int64]:
        """Index of every item of these documents among those of all."""
        items = self.inputs.items
        return self.whole.items.offsets[self.rows][items.documents] + items.positions

    def scatter(self, found: NDArray[np.generic], into: NDArray[np.generic]) -> None:
        """Put one row per item of these documents where it belongs among those of all."""
        into[self.flat] = found
