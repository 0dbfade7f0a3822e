"""The prepared corpus as models read it. No torch here."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.errors import UserError
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import read_table, read_table_of

PADDING, UNKNOWN, START, END = range(4)
SPECIAL_SYMBOLS = 4


@dataclass(frozen=True)
class EncodedQuestions:
    """What comes with each document of a corpus of pairs, row by row with the documents.

    Attributes:
        tokens: vocabulary ids of the question (or hypothesis), without start and end symbols.
        candidates: the classes among which the answer is; None: all of them.
        classes: number of classes of the corpus.
    """

    tokens: Ragged
    candidates: Ragged | None
    classes: int

    def take(self, rows: NDArray[np.int64]) -> EncodedQuestions:
        """Those of the given rows."""
        candidates = None if self.candidates is None else self.candidates.take(rows)
        return EncodedQuestions(self.tokens.take(rows), candidates, self.classes)


@dataclass(frozen=True)
class Documents:
    """Documents of one or several splits, row by row.

    Attributes:
        document: shape (documents,): their numbers.
        split: shape (documents,): train, dev or test.
        label: shape (documents,): gold class.
        tokens: vocabulary ids of the n tokens of each, without start and end symbols.
        classes: number of classes of the corpus.
        questions: what comes with each, in a corpus of pairs.
        sentences: lengths of the sentences that the n tokens are in, one after the other; None where they
            are not known.
    """

    document: NDArray[np.int64]
    split: NDArray[Any]
    label: NDArray[np.int64]
    tokens: Ragged
    classes: int = 2
    questions: EncodedQuestions | None = None
    sentences: Ragged | None = None

    def __len__(self) -> int:
        return len(self.document)

    def of_split(self, split: str) -> Documents:
        """The documents of one split, in the same order."""
        return self.take(np.flatnonzero(self.split == split))

    def take(self, rows: NDArray[np.int64]) -> Documents:
        """The given rows, in the given order."""
        return replace(
            self,
            document=self.document[rows],
            split=self.split[rows],
            label=self.label[rows],
            tokens=self.tokens.take(rows),
            questions=None if self.questions is None else self.questions.take(rows),
            sentences=None if self.sentences is None else self.sentences.take(rows),
        )


# What models read of a corpus; the words themselves are for people.
_READ = ("document", "split", "label", "token_ids", "question_ids", "candidates")


def read_documents(
    path: str | os.PathLike[str], sentences: str | os.PathLike[str] | None = None
) -> Documents:
    """Read ``documents.parquet``, of single texts or of pairs, with the number of classes beside it.

    Args:
        path: the file.
        sentences: ``sentences.parquet`` of the same documents; None: they are not needed.

    Raises:
        UserError: a file is missing or of another kind, or sentences are not those of the documents.
    """
    table = read_table_of(path, (schemas.DOCUMENTS, schemas.PAIRS), columns=_READ)
    described = json.loads((Path(path).parent / "description.json").read_text(encoding="utf-8"))
    classes = len(described["classes"])
    questions = None
    if "question_ids" in table.column_names:
        some = table["candidates"].null_count < len(table)
        candidates = Ragged.from_arrow(table["candidates"]) if some else None
        questions = EncodedQuestions(Ragged.from_arrow(table["question_ids"]), candidates, classes)
    documents = Documents(
        document=table["document"].to_numpy(),
        split=np.asarray(table["split"].to_pylist(), dtype=np.str_),
        label=table["label"].to_numpy(),
        tokens=Ragged.from_arrow(table["token_ids"]),
        classes=classes,
        questions=questions,
    )
    if sentences is None:
        return documents
    return replace(documents, sentences=_sentences(documents, sentences))


def _sentences(documents: Documents, path: str | os.PathLike[str]) -> Ragged:
    table = read_table(path, schemas.SENTENCES)
    if not np.array_equal(table["document"].to_numpy(), documents.document):
        raise UserError(
            f"{path}: its documents are not those of the corpus as it is prepared now; delete it and run "
            "again"
        )
    sentences, lengths = Ragged.from_arrow(table["sentences"]), documents.tokens.lengths
    empty = sentences.with_values(sentences.values == 0).sums()
    wrong = np.flatnonzero((sentences.sums() != lengths) | (empty > 0))
    if len(wrong):
        raise UserError(
            f"{path}: expected sentences of at least one token that add up to their document, found "
            f"{sentences[wrong[0]].tolist()} for the {lengths[wrong[0]]} tokens of document "
            f"{documents.document[wrong[0]]}; delete it and run again"
        )
    return sentences
