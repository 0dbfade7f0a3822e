"""What a run is trained on: the documents, and what a guiding run or a bag of words says of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.dag.layout import Layout
from attnnn.models.documents import Documents, read_documents
from attnnn.models.log_odds import read_word_weights
from attnnn.study import design
from attnnn.study.config import Study
from attnnn.study.design import Run
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import read_table


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

    @property
    def imposed(self) -> Ragged | None:
        """The guide's attention, for a model that is given it."""
        return None if self.guide is None else self.guide.attention


def read_material(study: Study, run: Run) -> Material:
    """The documents of a run's corpus with the guide of the run.

    Raises:
        UserError: a file is missing.
        RuntimeError: the guide was trained on other documents.
    """
    layout = Layout(study.results_dir)
    documents = read_documents(layout.corpus(run.corpus, "documents.parquet"))
    if run.model.uses_log_odds:
        words = read_word_weights(layout.corpus(run.corpus, "log_odds.parquet"))
        return Material(documents, Guide(words.attention(documents.tokens)))
    guiding = design.guiding_run(study, run)
    if guiding is None:
        return Material(documents, None)
    path = layout.predictions_of(guiding)
    table = read_table(path, schemas.PREDICTIONS)
    if not np.array_equal(table["document"].to_numpy(), documents.document):
        raise RuntimeError(f"{path}: its documents are not those of the corpus; delete it")
    guide = Guide(Ragged.from_arrow(table["attention"]), table["probability"].to_numpy())
    return Material(documents, guide)
