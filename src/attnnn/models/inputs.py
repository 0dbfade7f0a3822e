"""What a model reads: token ids, and what comes with each document. Importing this loads no torch."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attnnn.tables.ragged import Ragged

if TYPE_CHECKING:
    import torch

    from attnnn.models.batches import Batch

Rows = NDArray[np.int64]
"""Numbers of documents, counted within some inputs."""

# Padded tokens of a batch that is only evaluated: bounds memory on long documents.
EVALUATION_TOKENS = 16_384


@dataclass(frozen=True)
class Inputs:
    """Everything that a model reads of some documents, row by row.

    Attributes:
        tokens: vocabulary ids of the n tokens of each document, without start and end symbols.
        imposed: attention weights of these tokens, for a model with imposed attention; None otherwise.
        question: vocabulary ids of each document's question (or hypothesis), without start and end
            symbols; None for single texts.
        candidates: the classes among which each document's answer is; None: all of them.
        classes: number of classes of the corpus.
    """

    tokens: Ragged
    imposed: Ragged | None = None
    question: Ragged | None = None
    candidates: Ragged | None = None
    classes: int = 2

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def outputs(self) -> int:
        """Logits per document: one for two classes of single texts, else one per class."""
        return 1 if self.classes == 2 and self.question is None else self.classes

    def take(self, rows: Rows) -> Inputs:
        """The given documents, in the given order."""
        return Inputs(
            tokens=self.tokens.take(rows),
            imposed=None if self.imposed is None else self.imposed.take(rows),
            question=None if self.question is None else self.question.take(rows),
            candidates=None if self.candidates is None else self.candidates.take(rows),
            classes=self.classes,
        )

    def batches(
        self,
        *,
        device: torch.device | str = "cpu",
        max_tokens: int = EVALUATION_TOKENS,
        title: str | None = None,
    ) -> Iterator[tuple[Rows, Batch]]:
        """Batches for evaluation: documents sorted by length, nothing random.

        Args:
            device: where the batches are put.
            max_tokens: padded tokens per batch; a longer document makes a batch of its own.
            title: of a progress bar, which only a terminal shows; None: no bar.

        Yields:
            The rows of a batch's documents, and the batch.
        """
        from attnnn.models.batches import length_sorted_batches

        cut = length_sorted_batches(self.tokens, max_tokens=max_tokens)
        return self._made(_with_bar(cut, title), device)

    def training_batches(
        self, *, batch_size: int, rng: np.random.Generator, device: torch.device | str = "cpu"
    ) -> Iterator[tuple[Rows, Batch]]:
        """Batches of one training epoch: documents of similar length together, in random order.

        Args:
            batch_size: documents per batch; one batch may hold fewer.
            rng: source of randomness, see `noisy_length_batches`.
            device: where the batches are put.

        Yields:
            The rows of a batch's documents, and the batch.
        """
        from attnnn.models.batches import noisy_length_batches

        return self._made(noisy_length_batches(self.tokens.lengths + 2, batch_size, rng), device)

    def _made(
        self, cut: Iterable[Rows], device: torch.device | str
    ) -> Iterator[tuple[Rows, Batch]]:
        from attnnn.models.batches import make_batch

        for rows in cut:
            yield rows, make_batch(self.take(rows), device=device)

    def scatter(
        self,
        parts: Iterable[tuple[Rows, Mapping[str, NDArray[Any]]]],
        *,
        per_token: Collection[str],
    ) -> dict[str, NDArray[Any]]:
        """Put the results of batches back into the order of the documents.

        Args:
            parts: rows of a batch's documents, and its results by name: arrays with one entry per document,
                or per token, one document after the other.
            per_token: names of the results with one entry per token.

        Returns:
            The results of all documents or tokens by name; 0 where no batch has one. Empty without batches.
        """
        whole: dict[str, NDArray[Any]] = {}
        for rows, found in parts:
            tokens = self.token_places(rows)
            for name, values in found.items():
                places, count = (
                    (tokens, len(self.tokens.values)) if name in per_token else (rows, len(self))
                )
                target = whole.setdefault(name, np.zeros((count, *values.shape[1:]), values.dtype))
                target[places] = values
        return whole

    def token_places(self, rows: Rows) -> NDArray[np.int64]:
        """Where the tokens of the given documents lie among all tokens, one document after the other."""
        part = self.tokens.take(rows)
        return self.tokens.offsets[rows][part.documents] + part.positions


def _with_bar(cut: list[Rows], title: str | None) -> Iterable[Rows]:
    if title is None:
        return cut
    from tqdm import tqdm

    return tqdm(cut, desc=title, unit="batch", disable=None, leave=False)
