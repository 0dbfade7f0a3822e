"""What every reader returns: labelled texts with their splits and their places in the source."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.corpora.spool import SpooledTexts
from attnnn.errors import UserError
from attnnn.tables.ragged import Ragged

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Dropped:
    """Documents left out of a split (``all`` before splits are drawn), and why."""

    split: str
    reason: str
    count: int


@dataclass(frozen=True, eq=False)
class Questions:
    """What the documents of a corpus of pairs are asked, or which hypotheses they are set against.

    Attributes:
        texts: one per document.
        candidates: classes among which each answer is, ascending, int32; None: all classes.
        sentences: for every token of every document its sentence, from 0, int32; None: unknown.
        evidence: 1 for the tokens of sentences that support the answer, int8; None: unknown.
        every_class: whether every split must hold every class, as it need not where classes are the
            possible answers.
    """

    texts: Sequence[str]
    candidates: Ragged | None = None
    sentences: Ragged | None = None
    evidence: Ragged | None = None
    every_class: bool = True

    def take(self, chosen: NDArray[np.int64]) -> Questions:
        """Those of the chosen documents."""
        return replace(
            self,
            texts=_taken(self.texts, chosen),
            candidates=None if self.candidates is None else self.candidates.take(chosen),
            sentences=None if self.sentences is None else self.sentences.take(chosen),
            evidence=None if self.evidence is None else self.evidence.take(chosen),
        )


@dataclass(frozen=True, eq=False)
class Texts:
    """The documents of a source, before tokenisation, in source order.

    Attributes:
        texts: one per document; a list, or `SpooledTexts` where they are many.
        labels: shape (documents,), int64: index into `classes`.
        splits: shape (documents,), text: train, dev or test.
        places: where each document stands, as errors name it (``reviews.csv: row 7``).
        classes: names of the classes in order.
        truth: 1 where a token decides the label; None for a source that does not know.
        questions: of a corpus of pairs; None for one of single texts.
        facts: what the reader has to tell, json-able.
        dropped: what it left out.
        made_splits: in words, which splits were made and how; None where all were given.
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
        """The chosen documents, with more left out."""
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
        """The documents that are not gone; those that are, are counted by split.

        Args:
            gone: shape (documents,).
            reason: why they are left out.
        """
        dropped = [
            Dropped(split, reason, count)
            for split in dict.fromkeys(self.splits.tolist())
            if (count := int((gone & (self.splits == split)).sum()))
        ]
        return self.take(np.flatnonzero(~gone), dropped)

    def renamed(self, classes: list[str], facts: dict[str, Any]) -> Texts:
        """The same documents under other names of their classes, with other facts."""
        return replace(self, classes=list(classes), facts=facts)

    def with_facts(self, facts: dict[str, Any], dropped: Sequence[Dropped]) -> Texts:
        """The same documents with facts, and with what was left out before they were made."""
        return replace(self, facts=facts, dropped=(*dropped, *self.dropped))

    def with_fact(self, name: str, fact: Any) -> Texts:
        """The same documents with one more fact."""
        return replace(self, facts={**self.facts, name: fact})

    def with_classes_swapped(self) -> Texts:
        """The same documents with class 0 and class 1 exchanged."""
        return replace(self, labels=1 - self.labels, classes=self.classes[::-1])

    def with_splits(self, splits: NDArray[np.str_], made: str | None) -> Texts:
        """The same documents with every split known, and what was made for that in words."""
        return replace(self, splits=splits, made_splits=made)


def _taken(texts: Sequence[str], chosen: NDArray[np.int64]) -> Sequence[str]:
    if isinstance(texts, SpooledTexts):
        return texts.take(chosen)
    return [texts[document] for document in chosen]


def say(corpus: str, message: str) -> None:
    """Report something about a corpus to the user."""
    print(f"{corpus}: {message}", file=sys.stderr)


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Begin every user's mistake met in the block with what it was met in."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{what}: {error}") from None
