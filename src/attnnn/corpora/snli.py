"""The Stanford Natural Language Inference corpus (Bowman et al. 2015), version 1.0, in json lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tqdm import tqdm

from attnnn.corpora.files import json_lines
from attnnn.corpora.spool import Spool
from attnnn.corpora.texts import SPLITS, Collector, Questions, Texts
from attnnn.errors import UserError
from attnnn.study.sources import SnliSource

CLASSES = ["contradiction", "entailment", "neutral"]
_LABELS = {name: label for label, name in enumerate(CLASSES)}
_UNDECIDED = "-"
_KEYS = ("gold_label", "sentence1", "sentence2")


def read_snli(path: Path, source: SnliSource, *, undivided: bool) -> Texts:
    """The pairs: the document is the premise, the question is the hypothesis.

    Pairs on which the annotators disagreed have the label ``-``; they are counted and left out.
    The classes are in alphabetical order. Source: Jain & Wallace 2019, released preprocessing.

    Args:
        path: the folder.
        source: its name in the configuration.
        undivided: not used, as dev is given.

    Raises:
        UserError: a line that is not such a pair.
    """
    found, hypotheses = Collector(Spool()), Spool()
    for split in SPLITS:
        file = path / f"snli_1.0_{split}.jsonl"
        for line, pair in tqdm(json_lines(file), desc=file.name, unit=" pairs", disable=None):
            place = f"{file}: line {line}"
            label, premise, hypothesis = _pair(pair, place)
            if label == _UNDECIDED:
                found.dropped[split, f"no gold label ({_UNDECIDED})"] += 1
                continue
            found.add(premise, label=_LABELS[label], split=split, place=place)
            hypotheses.append(hypothesis)
    facts = {"kind": "snli", "folder": source.path}
    return found.documents(CLASSES, facts, questions=Questions(texts=hypotheses.texts()))


def _pair(record: dict[str, Any], place: str) -> tuple[str, str, str]:
    values = [record.get(key) for key in _KEYS]
    for key, value in zip(_KEYS, values, strict=True):
        if not isinstance(value, str):
            found = "nothing" if value is None else type(value).__name__
            raise UserError(
                f"{place}: expected a text for {key!r}, found {found}; download the file again"
            )
    label, premise, hypothesis = map(str, values)
    if label not in _LABELS and label != _UNDECIDED:
        raise UserError(
            f"{place}: expected gold_label {', '.join(CLASSES)} or {_UNDECIDED}, found "
            f"{label[:40]!r}; download the file again"
        )
    return label, premise, hypothesis
