"""bAbI (Weston et al. 2015): stories of simple statements, a question, and the statements that answer it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attnnn.corpora.splits import carve
from attnnn.corpora.table_files import telling_encoding
from attnnn.corpora.texts import Questions, Texts
from attnnn.errors import UserError
from attnnn.study.sources import BabiSource
from attnnn.study.sources.pairs import BABI_NAMES
from attnnn.tables.ragged import Ragged

_SPLITS = ("train", "test")
_STOP = "."  # stands between statements


@dataclass(frozen=True)
class Query:
    """A question with what its story has told so far.

    Attributes:
        statements: words of every statement, in order.
        question: its words, without the question mark.
        answer: one word.
        supporting: which statements answer it, 0-based.
        line: of the file.
    """

    statements: tuple[tuple[str, ...], ...]
    question: tuple[str, ...]
    answer: str
    supporting: tuple[int, ...]
    line: int


def read_babi(path: Path, source: BabiSource, *, undivided: bool) -> Texts:
    """The questions of a task: the document is the story up to there, the label the answer.

    Statements are joined by a full stop between spaces; the last stop and the question mark go, the case
    stays. The classes are all words of the training stories and questions of `answer_tasks`, full
    stop included, in code point order. Source: Jain & Wallace 2019, released preprocessing. The tokens
    of a supporting statement, with the stop after it, are the evidence.

    Args:
        path: the folder.
        source: the task, and the share and seed of dev.
        undivided: make no dev split (switch train_part).

    Raises:
        UserError: a missing file, a malformed line, or an answer that is none of the classes.
    """
    require_babi(path, source)
    classes = sorted(set().union(*(_words(_file(path, t, "train")) for t in source.answer_tasks)))
    number = {word: label for label, word in enumerate(classes)}
    found: list[tuple[str, Path, Query]] = []
    for split in _SPLITS:
        file = _file(path, source.task, split)
        for query in read_queries(file):
            if query.answer not in number:
                raise UserError(
                    f"{file}: line {query.line}: expected an answer among the {len(classes)} words of the "
                    f"training stories of tasks {', '.join(map(str, source.answer_tasks))}, found "
                    f"{query.answer!r}; look at source.answer_tasks, or mend the file"
                )
            found.append((split, file, query))
    queries = [query for _, _, query in found]
    documents = Texts(
        texts=[f" {_STOP} ".join(map(" ".join, query.statements)) for query in queries],
        labels=np.array([number[query.answer] for query in queries], dtype=np.int64),
        splits=np.array([split for split, _, _ in found], dtype="<U5"),
        places=[f"{file}: line {query.line}" for _, file, query in found],
        classes=classes,
        questions=_questions(queries),
        facts={"kind": "babi", "task": source.task, "folder": source.path},
    )
    if undivided:
        return documents
    return carve(documents, "dev", share=source.dev_share, seed=source.seed, stratify=None)[0]


def require_babi(path: Path, source: BabiSource) -> None:
    """Check that the files are there.

    Raises:
        UserError: naming the first missing one.
    """
    for name in source.files():
        file = path / Path(name).name
        if not file.is_file():
            raise UserError(
                f"{file}: no such file; expected the files of a folder of tasks_1-20_v1-2, such as en-10k: "
                "set source.path or corpora_dir, or download: true"
            )


def read_queries(file: Path) -> Iterator[Query]:
    """The questions of a file, each with its story so far.

    A line is a number, then a statement that ends in a full stop, or a question, its answer and the
    numbers of the supporting statements between tabs. Number 1 begins a story.

    Raises:
        UserError: naming the line that is anything else.
    """
    statements: list[tuple[str, ...]] = []
    place_of: dict[str, int] = {}  # of statements, by their number in the story
    last = 0
    with telling_encoding(file), file.open(encoding="utf-8") as lines:
        for line, content in enumerate(lines, start=1):
            where = f"{file}: line {line}"
            number, _, text = content.rstrip("\n").partition(" ")
            if number == "1":
                statements, place_of, last = [], {}, 0
            if number != str(last + 1):
                raise UserError(
                    f"{where}: expected number {last + 1}, or 1 for a new story, found {number[:20]!r}; "
                    "get the file anew"
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
                    f"and its supporting facts between tabs, found {text[:40]!r}; get the file anew"
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
            f"its supporting facts between tabs, found {text[:60]!r}; get the file anew"
        )
    question, answer, supporting = parts
    unknown = [number for number in supporting.split() if number not in place_of]
    if unknown or not supporting:
        raise UserError(
            f"{where}: expected numbers of earlier statements of the story as supporting facts, found "
            f"{unknown[0] if unknown else 'none'!r}; get the file anew"
        )
    return Query(
        statements=tuple(statements),
        question=tuple(question[:-1].split()),
        answer=answer,
        supporting=tuple(place_of[number] for number in supporting.split()),
        line=line,
    )


def _questions(queries: Sequence[Query]) -> Questions:
    sentences: list[int] = []
    evidence: list[int] = []
    lengths = []
    for query in queries:
        before = len(sentences)
        for place, words in enumerate(query.statements):
            # The stop after a statement belongs to it; the last statement has none.
            tokens = len(words) + (place + 1 < len(query.statements))
            sentences += [place] * tokens
            evidence += [int(place in query.supporting)] * tokens
        lengths.append(len(sentences) - before)
    return Questions(
        texts=[" ".join(query.question) for query in queries],
        sentences=Ragged.from_lengths(np.array(sentences, dtype=np.int32), lengths),
        evidence=Ragged.from_lengths(np.array(evidence, dtype=np.int8), lengths),
        every_class=False,
    )


def _words(file: Path) -> set[str]:
    """Words of the stories and questions of a file, with the stop where a story has two statements."""
    words: set[str] = set()
    for query in read_queries(file):
        words.update(query.question, *query.statements)
        if len(query.statements) > 1:
            words.add(_STOP)
    return words


def _file(path: Path, task: int, split: str) -> Path:
    return path / f"{BABI_NAMES[task]}_{split}.txt"
