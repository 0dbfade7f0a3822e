"""The prepared corpus as models read it. No torch here."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.models.inputs import Inputs
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import read_table_of

PADDING, UNKNOWN, START, END = range(4)
SPECIAL_SYMBOLS = 4


@dataclass(frozen=True)
class Documents:
    """Documents of one or several splits, row by row.

    Attributes:
        document: shape (documents,): their numbers.
        split: shape (documents,): train, dev or test.
        label: shape (documents,): gold class.
        inputs: what a model reads of them.
    """

    document: NDArray[np.int64]
    split: NDArray[Any]
    label: NDArray[np.int64]
    inputs: Inputs

    def __len__(self) -> int:
        return len(self.document)

    @property
    def tokens(self) -> Ragged:
        """Vocabulary ids of the n tokens of each document, without start and end symbols."""
        return self.inputs.tokens

    def of_split(self, split: str) -> Documents:
        """The documents of one split, in the same order."""
        return self.take(np.flatnonzero(self.split == split))

    def take(self, rows: NDArray[np.int64]) -> Documents:
        """The given rows, in the given order."""
        return Documents(
            document=self.document[rows],
            split=self.split[rows],
            label=self.label[rows],
            inputs=self.inputs.take(rows),
        )


# The columns that models read; the words themselves are for people.
_READ = ("document", "split", "label", "token_ids", "question_ids", "candidates")


def read_documents(path: str | os.PathLike[str]) -> Documents:
    """Read ``documents.parquet``, of single texts or of pairs, with the number of classes beside it.

    Raises:
        UserError: the file is missing or of another kind.
    """
    table = read_table_of(path, (schemas.DOCUMENTS, schemas.PAIRS), columns=_READ)
    described = json.loads((Path(path).parent / "description.json").read_text(encoding="utf-8"))
    question = candidates = None
    if "question_ids" in table.column_names:
        question = Ragged.from_arrow(table["question_ids"])
        if table["candidates"].null_count < len(table):
            candidates = Ragged.from_arrow(table["candidates"])
    return Documents(
        document=table["document"].to_numpy(),
        split=np.asarray(table["split"].to_pylist(), dtype=np.str_),
        label=table["label"].to_numpy(),
        inputs=Inputs(
            tokens=Ragged.from_arrow(table["token_ids"]),
            question=question,
            candidates=candidates,
            classes=len(described["classes"]),
        ),
    )
