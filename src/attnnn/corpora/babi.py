"""bAbI (Weston et al. 2015): stories of simple statements, questions, and the statements that answer them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attnnn.corpora.files import opened
from attnnn.corpora.splits import carve_dev
from attnnn.corpora.texts import Collector, Questions, Texts
from attnnn.errors import UserError
from attnnn.study.sources import BabiSource
from attnnn.study.sources.pairs import BABI_NAMES
from attnnn.tables.ragged import Ragged

_STOP = "."  # stands between statements


@dataclass(frozen=True)
class Query:
    """A question and its story up to that point.

    Attributes:
        statements: the words of each statement, in order.
        question: its words, without the question mark.
        answer: one word.
        supporting: which statements answer it, 0-based.
        line: its line in the file.
    """

    statements: tuple[tuple[str, ...], ...]
    question: tuple[str, ...]
    answer: str
    supporting: tuple[int, ...]
    line: int


def read_babi(path: Path, source: BabiSource, *, undivided: bool) -> Texts:
    """The questions of a task: the document is the story so far, the label is the answer.

    Statements are joined by a full stop between spaces; the last full stop and the question mark are
    removed, and the case is kept. The classes are all words in the training stories and questions of
    `answer_tasks`, the full stop included, in code point order. The evidence is the tokens of the
    supporting statements, each with the full stop after it. Source of all but the evidence: Jain &
    Wallace 2019, released preprocessing.

    Args:
        path: the folder.
        source: the task, and the share and seed of dev.
        undivided: whether to leave train whole, without a dev split (switch train_part).

    Raises:
        UserError: a malformed line, or an answer that is not one of the classes.
    """
    classes = sorted(set().union(*(_words(_file(path, t, "train")) for t in source.answer_tasks)))
    number = {word: label for label, word in enumerate(classes)}
    found, queries = Collector(), []
    for split in ("train", "test"):
        file = _file(path, source.task, split)
        for query in read_queries(file):
            place = f"{file}: line {query.line}"
            if query.answer not in number:
                raise UserError(
                    f"{place}: expected an answer among the {len(classes)} words of the "
                    f"training stories of tasks {', '.join(map(str, source.answer_tasks))}, found "
                    f"{query.answer!r}; add tasks to source.answer_tasks, or download the file again"
                )
            story = f" {_STOP} ".join(map(" ".join, query.statements))
            found.add(story, label=number[query.answer], split=split, place=place)
            queries.append(query)
    facts = {"kind": "babi", "task": source.task, "folder": source.path}
    documents = found.documents(classes, facts, questions=_questions(queries))
    return carve_dev(documents, source, undivided=undivided)


def read_queries(file: Path) -> Iterator[Query]:
    """The questions in a file, each with its story so far.

    A line is a number followed by a statement that ends in a full stop, or by a question, its answer and
    the numbers of the supporting statements, separated by tabs. Number 1 begins a story.

    Raises:
        UserError: a line of any other form, which is named.
    """
    statements: list[tuple[str, ...]] = []
    place_of: dict[str, int] = {}  # of each statement, by its number in the story
    last = 0
    with opened(file) as lines:
        for line, content in enumerate(lines, start=1):
            where = f"{file}: line {line}"
            number, _, text = content.rstrip("\n").partition(" ")
            if number == "1":
                statements, place_of, last = [], {}, 0
            if number != str(last + 1):
                raise UserError(
                    f"{where}: expected number {last + 1}, or 1 for a new story, found {number[:20]!r}; "
                    "download the file again"
                )
            last += 1
            if "\t" in text:
                yield _query(text, statements, place_of, where, line)
            elif text.endswith(_STOP) and text[:-1].split():
                place_of[number] = len(statements)
                statements.append(tuple(text[:-1].split()))
            else:
                raise UserError(
                    f"{where}: expected a statement that ends in a full stop, or a question with its answer "
                    f"and its supporting facts between tabs, found {text[:40]!r}; download the file again"
                )


def _query(
    text: str,
    statements: Sequence[tuple[str, ...]],
    place_of: dict[str, int],
    where: str,
    line: int,
) -> Query:
    parts = [part.strip() for part in text.split("\t")]
    if len(parts) != 3 or not parts[0].endswith("?") or len(parts[1].split()) != 1:
        raise UserError(
            f"{where}: expected a question with its question mark, an answer of one word and the numbers of "
            f"its supporting facts between tabs, found {text[:60]!r}; download the file again"
        )
    question, answer, supporting = parts
    unknown = [number for number in supporting.split() if number not in place_of]
    if unknown or not supporting:
        raise UserError(
            f"{where}: expected numbers of earlier statements of the story as supporting facts, found "
            f"{unknown[0] if unknown else 'none'!r}; download the file again"
        )
    return Query(
        statements=tuple(statements),
        question=tuple(question[:-1].split()),
        answer=answer,
        supporting=tuple(place_of[number] for number in supporting.split()),
        line=line,
    )


def _questions(queries: Sequence[Query]) -> Questions:
    sentences: list[list[int]] = []
    evidence: list[list[int]] = []
    for query in queries:
        # The full stop after a statement belongs to it; the last statement has none.
        lengths = [len(words) + 1 for words in query.statements[:-1]]
        lengths += map(len, query.statements[-1:])
        sentences.append([place for place, n in enumerate(lengths) for _ in range(n)])
        evidence.append([int(place in query.supporting) for place in sentences[-1]])
    return Questions(
        texts=[" ".join(query.question) for query in queries],
        sentences=Ragged.from_lists(sentences, np.int32),
        evidence=Ragged.from_lists(evidence, np.int8),
        every_class=False,
    )


def _words(file: Path) -> set[str]:
    """The words in the stories and questions of a file; the full stop too, if a story has two statements."""
    words: set[str] = set()
    for query in read_queries(file):
        words.update(query.question, *query.statements)
        if len(query.statements) > 1:
            words.add(_STOP)
    return words


def _file(path: Path, task: int, split: str) -> Path:
    return path / f"{BABI_NAMES[task]}_{split}.txt"
