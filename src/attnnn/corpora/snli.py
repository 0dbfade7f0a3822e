"""The Stanford Natural Language Inference corpus (Bowman et al. 2015), version 1.0, json lines."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from attnnn.corpora.spool import Spool
from attnnn.corpora.table_files import json_lines, telling_encoding
from attnnn.corpora.texts import SPLITS, Dropped, Questions, Texts
from attnnn.errors import UserError
from attnnn.study.sources import SnliSource

CLASSES = ["contradiction", "entailment", "neutral"]
_LABELS = {name: label for label, name in enumerate(CLASSES)}
_UNDECIDED = "-"
_KEYS = ("gold_label", "sentence1", "sentence2")


def read_snli(path: Path, source: SnliSource, *, undivided: bool) -> Texts:
    """The pairs: the document is the premise, the question the hypothesis.

    Pairs on which the annotators did not agree have ``-`` for a label; they are counted and left out.
    Classes are in alphabetical order. Source: Jain & Wallace 2019, released preprocessing.

    Args:
        path: the folder.
        source: not used: all splits are given.
        undivided: not used.

    Raises:
        UserError: a missing file, or a line that is no such pair.
    """
    require_snli(path, source)
    premises, hypotheses = Spool(), Spool()
    labels = array("q")
    splits: list[str] = []
    places: list[str] = []
    dropped = []
    for split in SPLITS:
        file = _file(path, split)
        undecided = 0
        with telling_encoding(file):
            for line, pair in tqdm(json_lines(file), desc=file.name, unit=" pairs", disable=None):
                label, premise, hypothesis = _pair(pair, file, line)
                if label == _UNDECIDED:
                    undecided += 1
                    continue
                premises.append(premise)
                hypotheses.append(hypothesis)
                labels.append(_LABELS[label])
                splits.append(split)
                places.append(f"{file}: line {line}")
        if undecided:
            dropped.append(Dropped(split, f"no gold label ({_UNDECIDED})", undecided))
    return Texts(
        texts=premises.texts(),
        labels=np.array(labels, dtype=np.int64),
        splits=np.array(splits, dtype="<U5"),
        places=places,
        classes=list(CLASSES),
        questions=Questions(texts=hypotheses.texts()),
        facts={"kind": "snli", "folder": source.path},
        dropped=tuple(dropped),
    )


def require_snli(path: Path, source: SnliSource) -> None:
    """Check that the three files are there.

    Raises:
        UserError: naming the first missing one.
    """
    for split in SPLITS:
        if not _file(path, split).is_file():
            raise UserError(
                f"{_file(path, split)}: no such file; expected snli_1.0_train.jsonl, snli_1.0_dev.jsonl and "
                "snli_1.0_test.jsonl: set source.path or corpora_dir, or download: true"
            )


def _file(path: Path, split: str) -> Path:
    return path / f"snli_1.0_{split}.jsonl"


def _pair(record: dict[str, Any], file: Path, line: int) -> tuple[str, str, str]:
    values = [record.get(key) for key in _KEYS]
    for key, value in zip(_KEYS, values, strict=True):
        if not isinstance(value, str):
            found = "nothing" if value is None else type(value).__name__
            raise UserError(
                f"{file}: line {line}: expected a text for {key!r}, found {found}; get the file anew"
            )
    label, premise, hypothesis = map(str, values)
    if label not in _LABELS and label != _UNDECIDED:
        raise UserError(
            f"{file}: line {line}: expected gold_label {', '.join(CLASSES)} or {_UNDECIDED}, found "
            f"{label[:40]!r}; get the file anew"
        )
    return label, premise, hypothesis
