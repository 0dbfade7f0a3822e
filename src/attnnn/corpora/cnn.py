"""CNN question answering (Hermann et al. 2015) in the files of Chen, Bolton & Manning (2016)."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from tqdm import tqdm

from attnnn.corpora.files import opened
from attnnn.corpora.spool import Spool
from attnnn.corpora.texts import SPLITS, Collector, Questions, Texts
from attnnn.errors import UserError
from attnnn.study.sources import CnnSource
from attnnn.tables.ragged import Ragged

_ENTITY = re.compile(r"@entity(\d+)")
_PARTS = ("question", "answer", "passage")


def read_cnn(path: Path, source: CnnSource, *, undivided: bool) -> Texts:
    """The questions: the document is the passage, the label is the entity that the placeholder stands for.

    The texts are already tokenised, with spaces between tokens. The classes are the entities of all
    passages, by number; the candidates of a question are those of its passage (Jain & Wallace 2019,
    section 3). Questions whose answer is not in the passage are counted and left out.

    Args:
        path: the folder.
        source: its name in the configuration.
        undivided: not used, as dev is given.

    Raises:
        UserError: a record other than question, answer, passage and an empty line.
    """
    found, questions = Collector(Spool()), Spool()
    entities, counts = array("q"), array("q")
    for split in SPLITS:
        file = path / f"{split}.txt"
        for line, (question, answer, passage) in tqdm(_records(file), desc=split, disable=None):
            candidates = _entities(passage)
            number = _entity(answer, f"{file}: line {line + 1}")
            if number not in candidates:
                found.dropped[split, "the answer is not an entity of the passage"] += 1
                continue
            found.add(passage, label=number, split=split, place=f"{file}: line {line}")
            questions.append(question)
            entities.extend(candidates)
            counts.append(len(candidates))
    # The entities of a document are in ascending order, and so are their classes.
    numbers, classes = np.unique(np.array(entities, dtype=np.int64), return_inverse=True)
    documents = found.documents(
        [f"@entity{number}" for number in numbers.tolist()],
        {"kind": "cnn", "folder": source.path, "entities": len(numbers)},
        questions=Questions(
            texts=questions.texts(),
            candidates=Ragged.from_lengths(classes.astype(np.int32), counts),
            every_class=False,
        ),
    )
    return replace(documents, labels=np.searchsorted(numbers, documents.labels).astype(np.int64))


def _entities(passage: str) -> list[int]:
    """The numbers of the entities in a passage, in ascending order."""
    found = {match[1] for token in passage.split() if (match := _ENTITY.fullmatch(token))}
    return sorted(map(int, found))


def _entity(answer: str, where: str) -> int:
    match = _ENTITY.fullmatch(answer)
    if match is None:
        raise UserError(
            f"{where}: expected an entity such as @entity7 as the answer, found {answer[:40]!r}; get the "
            "file again"
        )
    return int(match[1])


def _records(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The question, answer and passage of every record, and the line where it begins."""
    with opened(file, newline="\n") as lines:
        record: list[str] = []
        line = 0
        for line, content in enumerate(lines, start=1):
            text = content.strip()
            if len(record) == len(_PARTS):
                if text:
                    raise UserError(
                        f"{file}: line {line}: expected an empty line after a passage, found {text[:40]!r}; "
                        "download the file again"
                    )
                yield line - len(_PARTS), record
                record = []
                continue
            if not text:
                raise UserError(
                    f"{file}: line {line}: expected {_PARTS[len(record)]}, found an empty line; get the "
                    "file again"
                )
            record.append(text)
        if len(record) == len(_PARTS):
            yield line - len(_PARTS) + 1, record
        elif record:
            raise UserError(
                f"{file}: line {line}: expected {_PARTS[len(record)]} next, found the end of the file; "
                "download it again"
            )
