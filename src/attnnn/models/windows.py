"""Windows of an epoch: batches one after the other that touch few words, so that the rest can wait."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from attnnn.models.batches import Batch
from attnnn.models.classifier import Classifier
from attnnn.models.documents import PADDING
from attnnn.models.optimizer import LANES, AmsGrad

# Where windows pay, as measured with one thread on a processor with 2 MiB of cache a core. Over SST's 13,826
# words of 300 numbers, a step takes 7 to 9 % less in windows of 5 to 24 batches (shares of 0.1 to 0.3). In
# windows of two batches, as long documents have them, it takes 3 % more. Over 1.4 million numbers it takes as
# long either way, and less over fewer that stay whole.
SHARE = 0.15
LEAST_BATCHES = 4
LEAST_NUMBERS = 1 << 21

# The rows of a batch's documents, and the batch.
Numbered = tuple[NDArray[np.int64], Batch]


@dataclass(frozen=True)
class Window:
    """Batches one after the other.

    Attributes:
        batches: each with the rows of its documents.
        touched: for each of the classifier's tables, True for the words that any of the batches looks up.
            Empty: the tables stay whole.
    """

    batches: list[Numbered]
    touched: list[NDArray[np.bool_]]

    @contextmanager
    def open(self, classifier: Classifier, optimizer: AmsGrad) -> Iterator[None]:
        """Hold the words of the window apart while its batches are trained on, unless they are too few."""
        with ExitStack() as stack:
            if len(self.batches) >= LEAST_BATCHES:
                for table, touched in zip(classifier.tables, self.touched, strict=False):
                    ids = torch.from_numpy(held_with(touched))
                    stack.enter_context(table.held_apart(ids, optimizer))
            yield


def windows(classifier: Classifier, batches: Iterable[Numbered]) -> Iterator[Window]:
    """Cut an epoch into windows, each the longest that touches at most `SHARE` of all words.

    Batches are asked for one ahead. Each is a window by itself on a GPU, to whose memory a table is nothing,
    and where the tables have fewer than `LEAST_NUMBERS`.
    """
    tables = classifier.tables
    numbers = sum(table.weight.numel() for table in tables)
    if classifier.device.type != "cpu" or numbers < LEAST_NUMBERS:
        yield from (Window([batch], []) for batch in batches)
        return
    most = SHARE * sum(table.num_embeddings for table in tables)
    window = Window([], [])
    for batch in batches:
        words = _looked_up(classifier, batch[1])
        longer = [one | other for one, other in zip(window.touched or words, words, strict=True)]
        if window.batches and sum(map(np.count_nonzero, longer)) > most:
            yield window
            window = Window([batch], words)
        else:
            window = Window([*window.batches, batch], longer)
    if window.batches:
        yield window


def held_with(touched: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The rows to hold apart so that those touched can be: some more make up what `AmsGrad` asks for.

    Args:
        touched: shape (rows,).

    Returns:
        Ascending numbers of rows: those touched, padding, the last `LANES`, and the first others so that as
        many are left out as makes a multiple of `LANES`.
    """
    held = touched.copy()
    held[PADDING] = held[-LANES:] = True
    others = np.flatnonzero(~held)
    held[others[: len(others) % LANES]] = True
    return np.flatnonzero(held)


def _looked_up(classifier: Classifier, batch: Batch) -> list[NDArray[np.bool_]]:
    words = []
    for table, ids in classifier.lookups(batch):
        words.append(np.zeros(table.num_embeddings, dtype=np.bool_))
        words[-1][ids.numpy()] = True
    return words
