"""What every reader returns: labelled texts with their splits and their places in the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.errors import UserError
from attnnn.ragged import Ragged

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Dropped:
    """Documents left out of a split, and why."""

    split: str
    reason: str
    count: int


@dataclass(frozen=True, eq=False)
class Texts:
    """The documents of a source, before tokenisation, in source order.

    Attributes:
        texts: one a document.
        labels: shape (documents,), int64: index into `classes`.
        splits: shape (documents,), text: train, dev or test.
        places: where each document stands, as errors name it (``reviews.csv: row 7``).
        classes: names of the classes in order.
        truth: 1 where a token decides the label; None for a source that does not know.
        facts: what the reader has to tell, json-able.
        dropped: what it left out.
        made_splits: in words, which splits were made and how; None where all were given.
    """

    texts: list[str]
    labels: NDArray[np.int64]
    splits: NDArray[np.str_]
    places: list[str]
    classes: list[str]
    truth: Ragged | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    dropped: tuple[Dropped, ...] = ()
    made_splits: str | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, chosen: NDArray[np.int64], dropped: Sequence[Dropped] = ()) -> Texts:
        """The chosen documents, with more left out."""
        return replace(
            self,
            texts=[self.texts[document] for document in chosen],
            labels=self.labels[chosen],
            splits=self.splits[chosen],
            places=[self.places[document] for document in chosen],
            truth=None if self.truth is None else self.truth.take(chosen),
            dropped=(*self.dropped, *dropped),
        )

    def with_splits(self, splits: NDArray[np.str_], made: str | None) -> Texts:
        """The same documents with every split known, and what was made for that in words."""
        return replace(self, splits=splits, made_splits=made)


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Begin every user's mistake met in the block with what it was met in."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{what}: {error}") from None
