"""Texts on disk, counted roughly and fast: no tokenizer is loaded, and of a large table a part is read.

Good to some per cent of tokens and a tenth of the vocabulary, which is enough to plan by.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from attnnn.corpora.sst import require_sst
from attnnn.corpora.table import require_table_source
from attnnn.corpora.table_files import read_columns
from attnnn.study.protocol import Protocol
from attnnn.study.sources import TableSource

Lengths = NDArray[np.int64]

# Texts of a table that are counted, at even distances.
_COUNTED = 5000
_LEAF = re.compile(r"([^ ()]+)\)")
_NEUTRAL = "(2 "
_WORDS = r"[^\w']+"
_MARKS = r"[^\w\s]"


@dataclass(frozen=True)
class Counted:
    """What was counted of a source.

    Attributes:
        splits: by split the tokens of every document, before the length filter.
        frequencies: of each distinct word of the counted training texts, how many of them hold it.
        share: of the training texts that were counted.
        read: tokens of the whole source.
        origin: in words, what was counted.
    """

    splits: dict[str, Lengths]
    frequencies: Lengths
    share: float
    read: float
    origin: str

    def words(self, min_df: int) -> int:
        """Words that the vocabulary will hold, about: those seen often enough for the share counted."""
        return int((self.frequencies >= max(min_df * self.share, 1)).sum())


def count_trees(folder: Path) -> Counted:
    """Sentences of the Stanford Sentiment Treebank that are not neutral; punctuation does not count.

    Raises:
        UserError: a file is missing.
    """
    require_sst(folder)
    splits: dict[str, Lengths] = {}
    frequencies: Counter[str] = Counter()
    for split in ("train", "dev", "test"):
        lines = (folder / f"{split}.txt").read_text(encoding="utf-8").splitlines()
        trees = [_LEAF.findall(line) for line in lines if line and not line.startswith(_NEUTRAL)]
        words = [[leaf.lower() for leaf in tree if leaf[0].isalnum()] for tree in trees]
        splits[split] = np.array([len(sentence) for sentence in words], dtype=np.int64)
        if split == "train":
            frequencies.update(word for sentence in words for word in set(sentence))
    counts = np.array(list(frequencies.values()), dtype=np.int64)
    read = float(sum(lengths.sum() for lengths in splits.values()))
    return Counted(splits, counts, 1.0, read, "its trees")


def count_table(path: Path, source: TableSource, *, tokenizer: str, protocol: Protocol) -> Counted:
    """Texts of a table, with the splits that will be made and the samples that will be drawn.

    Raises:
        UserError: a missing column or a malformed row.
    """
    require_table_source(path, source)
    columns = read_columns(path, [source.text, *([source.split] if source.split else [])])
    names = columns[source.split] if source.split else [""] * len(columns[source.text])
    split = np.array(["dev" if name == "validation" else str(name) for name in names])
    rows = np.flatnonzero(~np.isin(split, source.drop_splits))
    counted = rows[:: max(1, len(rows) // _COUNTED)]
    texts = [str(columns[source.text][row]) for row in counted.tolist()]
    words, lengths = words_of(texts, tokenizer)
    documents = _documents(split[rows], source, protocol)
    # Where splits are made, those that a split comes from are counted in its place.
    given = {name: lengths[split[counted] == name] for name in documents}
    splits = {
        name: stretched(given[name] if len(given[name]) else lengths, size)
        for name, size in documents.items()
    }
    training = np.flatnonzero(np.isin(split[counted], ["train", ""]))
    # Of texts that other splits or no sample will take, as many as training will have.
    training = training[spaced(len(training), min(len(training), documents["train"]))]
    return Counted(
        splits,
        document_frequencies(words.take(pa.array(training))),
        len(training) / max(documents["train"], 1),
        float(lengths.mean() * len(rows)),
        f"{len(counted)} of its {len(split)} texts",
    )


def document_frequencies(words: pa.Array) -> Lengths:
    """How many documents hold each distinct word."""
    distinct = pc.list_flatten(words).dictionary_encode()
    document = pc.list_parent_indices(words).to_numpy(zero_copy_only=False).astype(np.int64)
    size = max(len(distinct.dictionary), 1)
    pairs = np.unique(document * size + distinct.indices.to_numpy(zero_copy_only=False))
    return np.bincount(pairs % size, minlength=size)


def stretched(lengths: Lengths, documents: int) -> Lengths:
    """As many lengths as there are documents, spread like those given."""
    return np.asarray(np.sort(lengths)[spaced(len(lengths), documents)])


def spaced(size: int, places: int) -> Lengths:
    """So many indices below `size`, evenly spaced."""
    return np.arange(places, dtype=np.int64) * size // max(places, 1)


def kept(lengths: Lengths, low: int | None, high: int | None, *, strict: bool) -> Lengths:
    """The documents that the length filter keeps."""
    low, high = low or 0, high or int(lengths.max(initial=0)) + strict
    return lengths[(lengths >= low + strict) & (lengths <= high - strict)]


def _documents(split: NDArray[np.str_], source: TableSource, protocol: Protocol) -> dict[str, int]:
    """Documents of each split before the length filter."""
    sizes = {name: int((split == name).sum()) for name in ("train", "dev", "test")}
    if source.split is None:
        sizes["train"] = len(split)
    if not sizes["test"]:
        sizes["test"] = round(source.test_share * len(split))
        sizes["train"] -= sizes["test"]
    if not sizes["dev"] and protocol.train_part == "minus_dev":
        sizes["dev"] = round(source.dev_share * sizes["train"])
        sizes["train"] -= sizes["dev"]
    limits = source.rows or {}
    return {name: min(size, limits.get(name, size)) for name, size in sizes.items()}


def words_of(texts: list[str], tokenizer: str) -> tuple[pa.Array, Lengths]:
    """The words of every text, and how many tokens it has."""
    array = pa.array(texts, pa.large_string())
    if tokenizer == "whitespace":
        words = pc.utf8_split_whitespace(pc.utf8_trim_whitespace(array))
    else:
        spaced = pc.replace_substring_regex(pc.utf8_lower(array), _WORDS, " ")
        words = pc.split_pattern(pc.utf8_trim_whitespace(spaced), " ")
    tokens = pc.list_value_length(words).to_numpy(zero_copy_only=False)
    if tokenizer == "papers":  # the one that keeps punctuation marks as tokens
        tokens = tokens + pc.count_substring_regex(array, _MARKS).to_numpy(zero_copy_only=False)
    return words, np.asarray(tokens, dtype=np.int64)
