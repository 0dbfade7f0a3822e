"""CNN question answering (Hermann et al. 2015) in the files of Chen, Bolton & Manning (2016)."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from attnnn.corpora.spool import Spool
from attnnn.corpora.table_files import telling_encoding
from attnnn.corpora.texts import SPLITS, Dropped, Questions, Texts
from attnnn.errors import UserError
from attnnn.study.sources import CnnSource
from attnnn.tables.ragged import Ragged

_ENTITY = re.compile(r"@entity(\d+)")
_PARTS = ("question", "answer", "passage")


@dataclass
class _Collected:
    """What has been read so far, entities by their own numbers."""

    passages: Spool = field(default_factory=Spool)
    questions: Spool = field(default_factory=Spool)
    answers: array[int] = field(default_factory=lambda: array("q"))
    entities: array[int] = field(default_factory=lambda: array("q"))
    counts: array[int] = field(default_factory=lambda: array("q"))
    splits: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)


def read_cnn(path: Path, source: CnnSource, *, undivided: bool) -> Texts:
    """The questions: the document is the passage, the label the entity that the placeholder stands for.

    Texts are tokens between spaces already. The classes are all entities of all passages, by number;
    the candidates of a question are those of its passage (Jain & Wallace 2019, section 3). A question
    whose answer its passage does not hold is counted and left out.

    Args:
        path: the folder.
        source: not used: dev is given.
        undivided: not used.

    Raises:
        UserError: a missing file, or a record that is not question, answer, passage and an empty line.
    """
    require_cnn(path, source)
    found = _Collected()
    dropped = []
    for split in SPLITS:
        lost = 0
        records = _records(path / f"{split}.txt")
        for line, (question, answer, passage) in tqdm(records, desc=split, disable=None):
            candidates = _entities(passage)
            number = _entity(answer, f"{path / split}.txt: line {line + 1}")
            if number not in candidates:
                lost += 1
                continue
            found.passages.append(passage)
            found.questions.append(question)
            found.answers.append(number)
            found.entities.extend(candidates)
            found.counts.append(len(candidates))
            found.splits.append(split)
            found.places.append(f"{path / split}.txt: line {line}")
        if lost:
            dropped.append(Dropped(split, "the answer is not an entity of the passage", lost))
    return _texts(found, source, dropped)


def require_cnn(path: Path, source: CnnSource) -> None:
    """Check that the three files are there.

    Raises:
        UserError: naming the first missing one.
    """
    for split in SPLITS:
        file = path / f"{split}.txt"
        if not file.is_file():
            raise UserError(
                f"{file}: no such file; expected train.txt, dev.txt and test.txt of the release of Chen et "
                "al. (2016): set source.path or corpora_dir"
            )


def _texts(found: _Collected, source: CnnSource, dropped: list[Dropped]) -> Texts:
    numbers = np.unique(_ints(found.entities))
    labels = np.searchsorted(numbers, _ints(found.answers)).astype(np.int64)
    # Each document's entities ascend, and so do their classes.
    candidates = np.searchsorted(numbers, _ints(found.entities)).astype(np.int32)
    return Texts(
        texts=found.passages.texts(),
        labels=labels,
        splits=np.array(found.splits, dtype="<U5"),
        places=found.places,
        classes=[f"@entity{number}" for number in numbers.tolist()],
        questions=Questions(
            texts=found.questions.texts(),
            candidates=Ragged.from_lengths(candidates, _ints(found.counts)),
            every_class=False,
        ),
        facts={"kind": "cnn", "folder": source.path, "entities": len(numbers)},
        dropped=tuple(dropped),
    )


def _ints(values: array[int]) -> NDArray[np.int64]:
    return np.frombuffer(values, dtype=np.int64) if values else np.empty(0, np.int64)


def _entities(passage: str) -> list[int]:
    """Numbers of the entities among the tokens of a passage, ascending."""
    found = {match[1] for token in passage.split() if (match := _ENTITY.fullmatch(token))}
    return sorted(map(int, found))


def _entity(answer: str, where: str) -> int:
    match = _ENTITY.fullmatch(answer)
    if match is None:
        raise UserError(
            f"{where}: expected an entity such as @entity7 as the answer, found {answer[:40]!r}; get the "
            "file anew"
        )
    return int(match[1])


def _records(file: Path) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Question, answer and passage of every record, and the line that it begins at."""
    with telling_encoding(file), file.open(encoding="utf-8", newline="\n") as lines:
        record: list[str] = []
        line = 0
        for line, content in enumerate(lines, start=1):
            text = content.strip()
            if len(record) == len(_PARTS):
                if text:
                    raise UserError(
                        f"{file}: line {line}: expected an empty line after a passage, found {text[:40]!r}; "
                        "get the file anew"
                    )
                yield line - len(_PARTS), (record[0], record[1], record[2])
                record = []
                continue
            if not text:
                raise UserError(
                    f"{file}: line {line}: expected {_PARTS[len(record)]}, found an empty line; get the "
                    "file anew"
                )
            record.append(text)
        if len(record) == len(_PARTS):
            yield line - len(_PARTS) + 1, (record[0], record[1], record[2])
        elif record:
            raise UserError(
                f"{file}: line {line}: expected {_PARTS[len(record)]} next, found the end of the file; get "
                "it anew"
            )
