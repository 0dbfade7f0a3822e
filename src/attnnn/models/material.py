"""What a run is trained on: the documents, and what a guiding run or a bag of words says of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.models.documents import Documents
from attnnn.models.inputs import Inputs
from attnnn.study.model import Model
from attnnn.tables.ragged import Ragged


@dataclass(frozen=True)
class Guide:
    """What a run learns from beside labels: the run that is imitated or imposed, or the log-odds of words.

    Attributes:
        attention: weights of the n tokens of each document.
        probability: shape (documents,), of class 1; log-odds give none.
    """

    attention: Ragged
    probability: NDArray[np.float32] | None = None

    def take(self, rows: NDArray[np.int64]) -> Guide:
        """What it says of the given documents."""
        probability = None if self.probability is None else self.probability[rows]
        return Guide(self.attention.take(rows), probability)


@dataclass(frozen=True)
class Material:
    """Documents and, row by row with them, the guide of a run that has one."""

    documents: Documents
    guide: Guide | None

    def of_split(self, split: str) -> Material:
        """The rows of one split."""
        rows = np.flatnonzero(self.documents.split == split)
        guide = None if self.guide is None else self.guide.take(rows)
        return Material(self.documents.of_split(split), guide)

    def inputs(self, model: Model) -> Inputs:
        """What a model reads: by sentences, if it does, and with the guide's attention, if that is imposed.

        Raises:
            UserError: it reads by sentences, and the corpus has none.
        """
        given = self.guide.attention if model.given and self.guide is not None else None
        return Inputs.of(self.documents, given, by_sentence=model.kind.hierarchical)
