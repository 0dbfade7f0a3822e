"""Corpora of pairs on disk, counted roughly and fast: of long files the first documents stand for all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from attnnn.corpora.babi import read_queries, require_babi
from attnnn.dag.costs.sources import Counted, document_frequencies, stretched, words_of
from attnnn.study.sources import BabiSource, CnnSource, SnliSource
from attnnn.study.sources.single import SPLITS

# Documents of a file that are counted.
_COUNTED = 5000
# Lines of a record of CNN: question, answer, passage and an empty one.
_CNN_LINES = 4


def count_stories(folder: Path, source: BabiSource, *, undivided: bool) -> Counted:
    """Stories of a bAbI task, each up to its question, with the dev split that will be made.

    Raises:
        UserError: a file is missing or malformed.
    """
    require_babi(folder, source)
    splits = {}
    frequencies: Counter[str] = Counter()
    for name in source.files()[:2]:
        queries = list(read_queries(folder / Path(name).name))
        # A full stop stands between two statements.
        lengths = [sum(map(len, q.statements)) + len(q.statements) - 1 for q in queries]
        split = "train" if name.endswith("_train.txt") else "test"
        splits[split] = np.array(lengths, dtype=np.int64)
        if split == "train":
            words = [{*q.question, *(w for words in q.statements for w in words)} for q in queries]
            frequencies.update(word for story in words for word in story)
    if not undivided:
        whole = splits["train"]
        splits["dev"] = stretched(whole, round(source.dev_share * len(whole)))
        splits["train"] = stretched(whole, len(whole) - len(splits["dev"]))
    counts = np.array([*frequencies.values(), len(splits["train"])], dtype=np.int64)
    read = float(sum(lengths.sum() for lengths in splits.values()))
    return Counted(splits, counts, 1.0, read, "its stories")


def count_lines(folder: Path, source: SnliSource | CnnSource, *, tokenizer: str) -> Counted:
    """Premises of SNLI or passages of CNN: the first of each file, and as many as its size lets expect.

    Args:
        folder: that the paths of the source are under.
        source: which of them.
        tokenizer: of the corpus.

    Raises:
        FileNotFoundError: a file is missing.
    """
    splits = {}
    share = read = 0.0
    frequencies = np.zeros(0, dtype=np.int64)
    for split, name in zip(SPLITS, source.files(), strict=True):
        first = list(islice(_records(folder / name, source), _COUNTED))
        size = sum(bytes_ for _, bytes_ in first)
        whole = round((folder / name).stat().st_size / max(size, 1) * len(first))
        words, lengths = words_of([text for text, _ in first], tokenizer)
        splits[split] = stretched(lengths, whole)
        read += float(splits[split].sum())
        if split == "train":
            frequencies, share = document_frequencies(words), len(first) / max(whole, 1)
    return Counted(splits, frequencies, share, read, "the first of its pairs")


def _records(file: Path, source: SnliSource | CnnSource) -> Iterator[tuple[str, int]]:
    """The attended text of each pair, and the bytes that its record takes in the file."""
    with file.open("rb") as lines:
        if isinstance(source, SnliSource):
            for line in lines:
                record = json.loads(line)
                yield str(record.get("sentence1", "")), len(line)
            return
        while record := list(islice(lines, _CNN_LINES)):
            passage = record[2] if len(record) > 2 else b""
            yield passage.decode("utf-8"), sum(map(len, record))
