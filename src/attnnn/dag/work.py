"""How much work a job is, in units that its time is proportional to; stages declare it in these terms.

Each function gives amounts by the name of their kind, beside one ``starts``. Kinds, and the unit of each:

- ``lstm``, ``products``: multiply-adds in matrix products of a BiLSTM and of anything else, 10⁹;
- ``lstm_steps``: time steps that one batch after the other takes, 10³;
- ``updates``: parameters that the optimiser, which is dense, updates, 10⁹;
- ``deletions``, ``deletion_steps``: leave-one-out of the BiLSTM, multiply-adds, 10⁹, and tokens read, 10⁶;
- ``searched``, ``search_steps``: attention weights that a search moves, 10⁹, and its steps over batches, 10³;
- ``pairs``: pairs of tokens, 10⁹; ``climbed``: tokens whose weight a climb moves, 10⁶;
- ``shuffled``: permuted weights, 10⁹; ``word2vec``: multiply-adds, 10⁹; ``vector_bytes``: 10⁹;
- ``tokens``, ``spacy_tokens``, ``documents``: 10⁶; ``spacy_starts``: starts with spaCy;
- ``files``: tables that are read; ``resampled``: documents drawn by the bootstrap, 10⁹.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log2

import numpy as np
from numpy.typing import NDArray

from attnnn.study.config import Study
from attnnn.study.model import EncoderSize, Model, Run, attention_to_words
from attnnn.study.settings import LeaveOneOut

Amounts = dict[str, float]
Lengths = NDArray[np.int64]

# A training step is a pass forward and, twice as dear, one back.
FORWARD_AND_BACK = 3
# Tokens that a run without a token reads until it rejoins the whole document's, in long documents.
_REJOINING = 40
# Distinct numbers that parquet still keeps in a dictionary beside a column (pyarrow: 1 MiB of floats).
_DICTIONARY = 1 << 18
# Bytes of a table's footer and metadata, and of log, benchmark and description of a job.
FOOTER = 7_000


@dataclass(frozen=True)
class CorpusSize:
    """How much there is to read, train on and explain.

    Attributes:
        splits: by split the number of tokens n of every document, shape (documents,).
        vocabulary: ids of words and symbols, V.
        read: tokens of the source, including those of documents that are left out later.
        origin: in words, where these numbers are from.
    """

    splits: Mapping[str, Lengths]
    vocabulary: int
    read: float
    origin: str

    def lengths(self, split: str) -> Lengths:
        """Lengths of the documents of a split; none where there is no such split."""
        return self.splits.get(split, np.zeros(0, np.int64))

    def tokens(self, split: str) -> float:
        """Tokens that an encoder reads of a split, start and end symbols among them."""
        lengths = self.lengths(split)
        return float(lengths.sum() + 2 * len(lengths))

    @property
    def all_lengths(self) -> Lengths:
        """Lengths of all documents."""
        return np.concatenate([np.zeros(0, np.int64), *self.splits.values()])


def reading(model: Model, dimension: int, hidden: int, tokens: float, classes: int = 2) -> Amounts:
    """Of so many tokens read by a model: states, attention scores and what they add to the logits."""
    # Of a hierarchical model the level of words: sentences are few beside them.
    size, attention = _levels(model, dimension, hidden)[0]
    each = size.weights + _scoring(attention, size) + size.width * _outputs(classes)
    return {"starts": 1.0, "lstm" if model.kind.recurrent else "products": tokens * each / 1e9}


def parameters(model: Model, dimension: int, hidden: int, vocabulary: int, classes: int = 2) -> int:
    """Trainable numbers of a model of single texts."""
    levels = _levels(model, dimension, hidden)
    found = sum(
        size.weights
        + size.biases
        + _scoring(attention, size)
        + size.scored * (attention == "additive")
        for size, attention in levels
    )
    return vocabulary * dimension + found + _outputs(classes) * (levels[-1][0].width + 1)


def deleting(settings: LeaveOneOut, hidden: int, size: CorpusSize) -> Amounts:
    """Of leave-one-out of the BiLSTM: n tokens for each of n deletions, fewer where runs rejoin."""
    lengths = size.lengths("test")
    long = lengths >= (settings.rejoin_from or np.inf)
    deletions = lengths[long].sum()
    checked = min(settings.checked_deletions, int(deletions))
    mean = lengths[long].mean() if long.any() else 0.0
    steps = float((lengths[~long].astype(np.float64) ** 2).sum())
    steps += float(2 * _REJOINING * deletions + checked * mean)
    # The four gates of a state, and its attention score.
    return {"deletions": steps * 5 * hidden**2 / 1e9, "deletion_steps": steps / 1e6}


def publishing(study: Study, files: int, documents: int) -> Amounts:
    """Of one table or figure."""
    drawn = study.bootstrap * documents if files else 0
    return {"starts": 1.0, "files": float(files), "resampled": drawn / 1e9}


def numbers(count: float) -> float:
    """Bytes of a column of distinct single-precision numbers: the first also pass a dictionary."""
    within = min(count, _DICTIONARY)
    return 4 * count + within * log2(max(within, 1)) / 8


def classes_of(study: Study, run: Run) -> int:
    """Classes of a run's corpus, where the configuration says how many; else 2."""
    return study.corpora[run.corpus].source.class_count or 2


def _levels(model: Model, dimension: int, hidden: int) -> list[tuple[EncoderSize, str]]:
    """Encoder and attention; of a hierarchical model those of words and then those of sentences."""
    size = model.kind.size(dimension, hidden)
    if not model.kind.hierarchical:
        return [(size, model.attention)]
    upper = model.kind.size(size.width, hidden)
    return [(size, attention_to_words(model.attention)), (upper, model.attention)]


def _scoring(attention: str, size: EncoderSize) -> int:
    """Numbers that a state is multiplied by to get its attention score."""
    of_additive = size.scored * (size.width + 1)
    return {"additive": of_additive, "dot": size.width}.get(attention, 0)


def _outputs(classes: int) -> int:
    return 1 if classes == 2 else classes
