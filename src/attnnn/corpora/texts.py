"""What readers return: labelled texts with their splits and their places in the source."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.corpora.spool import Spool, SpooledTexts
from attnnn.errors import UserError
from attnnn.tables.ragged import Ragged

SPLITS = ("train", "dev", "test")
ALL = "all"  # stands for the split of a document that is left out before splits are drawn


@dataclass(frozen=True)
class Dropped:
    """Documents left out of a split (``all`` before splits are drawn), and why."""

    split: str
    reason: str
    count: int


@dataclass(frozen=True, eq=False)
class Questions:
    """The questions or hypotheses of a corpus of pairs, one per document.

    Attributes:
        texts: one per document.
        candidates: the possible answers to each, as classes in ascending order, int32; None: all classes.
        sentences: the sentence of every token of every document, counted from 0, int32; None: unknown.
        evidence: 1 for the tokens of sentences that support the answer, int8; None: unknown.
        every_class: whether every split must hold every class, as it need not if classes are the possible
            answers.
    """

    texts: Sequence[str]
    candidates: Ragged | None = None
    sentences: Ragged | None = None
    evidence: Ragged | None = None
    every_class: bool = True

    def take(self, chosen: NDArray[np.int64]) -> Questions:
        """The questions of the chosen documents."""
        marks = {name: getattr(self, name) for name in ("candidates", "sentences", "evidence")}
        known = {name: mark.take(chosen) for name, mark in marks.items() if mark is not None}
        return replace(self, texts=_taken(self.texts, chosen), **known)


@dataclass(frozen=True, eq=False)
class Texts:
    """The documents of a source, before tokenisation, in source order.

    Attributes:
        texts: one per document; a list, or `SpooledTexts` for a large corpus.
        labels: shape (documents,), int64: index into `classes`.
        splits: shape (documents,), text: train, dev or test.
        places: where each document is in the source, as errors name it (``reviews.csv: row 7``).
        classes: names of the classes in order.
        truth: 1 for every token that decides the label; None if the source does not know.
        questions: for a corpus of pairs; None for single texts.
        facts: what the reader reports, json-able.
        dropped: what it left out.
        made_splits: in words, which splits were made and how; None if all were given.
    """

    texts: Sequence[str]
    labels: NDArray[np.int64]
    splits: NDArray[np.str_]
    places: list[str]
    classes: list[str]
    truth: Ragged | None = None
    questions: Questions | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    dropped: tuple[Dropped, ...] = ()
    made_splits: str | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, chosen: NDArray[np.int64], dropped: Sequence[Dropped] = ()) -> Texts:
        """The chosen documents; `dropped` is added to what was left out."""
        return replace(
            self,
            texts=_taken(self.texts, chosen),
            labels=self.labels[chosen],
            splits=self.splits[chosen],
            places=[self.places[document] for document in chosen],
            truth=None if self.truth is None else self.truth.take(chosen),
            questions=None if self.questions is None else self.questions.take(chosen),
            dropped=(*self.dropped, *dropped),
        )

    def without(self, gone: NDArray[np.bool_], reason: str) -> Texts:
        """The documents that are not gone; the others are counted by split.

        Args:
            gone: shape (documents,): those to leave out.
            reason: why.
        """
        return self.take(np.flatnonzero(~gone), counted_by_split(self.splits, gone, reason))


@dataclass
class Collector:
    """Gathers the documents of a source one by one.

    Attributes:
        texts: kept in memory or, for a large corpus, in a file.
        labels: index into the classes, one per document.
        splits: train, dev or test, one per document.
        places: as in `Texts`.
        dropped: how many documents are left out, by split and reason.
    """

    texts: list[str] | Spool = field(default_factory=list)
    labels: array[int] = field(default_factory=lambda: array("q"))
    splits: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    dropped: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, text: str, *, label: int, split: str, place: str) -> None:
        """Keep a document."""
        self.texts.append(text)
        self.labels.append(label)
        self.splits.append(split)
        self.places.append(place)

    @property
    def seen(self) -> int:
        """How many documents were added or left out."""
        return len(self.labels) + self.dropped.total()

    def documents(self, classes: Sequence[str], facts: dict[str, Any], **others: Any) -> Texts:
        """The documents that were added, with the counts of those left out.

        Args:
            classes: their names in order.
            facts: as in `Texts`.
            others: further attributes of `Texts`.
        """
        return Texts(
            texts=self.texts.texts() if isinstance(self.texts, Spool) else self.texts,
            labels=np.array(self.labels, dtype=np.int64),
            splits=np.array(self.splits, dtype="<U5"),
            places=self.places,
            classes=list(classes),
            facts=facts,
            dropped=tuple(Dropped(*key, count) for key, count in self.dropped.items() if count),
            **others,
        )


def counted_by_split(
    splits: NDArray[np.str_], gone: NDArray[np.bool_], reason: str
) -> list[Dropped]:
    """How many documents of each split are gone for one reason; both arrays have shape (documents,)."""
    return [
        Dropped(split, reason, count)
        for split in SPLITS
        if (count := int((gone & (splits == split)).sum()))
    ]


def _taken(texts: Sequence[str], chosen: NDArray[np.int64]) -> Sequence[str]:
    if isinstance(texts, SpooledTexts):
        return texts.take(chosen)
    return [texts[document] for document in chosen]


def say(corpus: str, message: str) -> None:
    """Tell the user something about a corpus, on stderr."""
    print(f"{corpus}: {message}", file=sys.stderr)


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Prefix every user's mistake in the block with what it is about."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{what}: {error}") from None
