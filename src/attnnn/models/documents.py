"""The prepared corpus as models read it. No torch here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn import schemas
from attnnn.ragged import Ragged
from attnnn.store import read_table

PADDING, UNKNOWN, START, END = range(4)
SPECIAL_SYMBOLS = 4


@dataclass(frozen=True)
class Documents:
    """Documents of one or several splits, row by row.

    Attributes:
        document: shape (documents,): their numbers.
        split: shape (documents,): train, dev or test.
        label: shape (documents,): gold class.
        tokens: vocabulary ids of the n tokens of each, without start and end symbols.
    """

    document: NDArray[np.int64]
    split: NDArray[Any]
    label: NDArray[np.int64]
    tokens: Ragged

    def __len__(self) -> int:
        return len(self.document)

    def of_split(self, split: str) -> Documents:
        """The documents of one split, in the same order."""
        chosen = np.flatnonzero(self.split == split)
        return Documents(
            self.document[chosen], self.split[chosen], self.label[chosen], self.tokens.take(chosen)
        )


def read_documents(path: str | os.PathLike[str]) -> Documents:
    """Read ``documents.parquet``.

    Raises:
        UserError: the file is missing or of another kind.
    """
    table = read_table(path, schemas.DOCUMENTS)
    return Documents(
        document=table["document"].to_numpy(),
        split=np.asarray(table["split"].to_pylist(), dtype=np.str_),
        label=table["label"].to_numpy(),
        tokens=Ragged.from_arrow(table["token_ids"]),
    )
