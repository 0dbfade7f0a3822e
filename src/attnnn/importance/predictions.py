"""The predictions of a finished run, as the stages that explain them read them. No torch here."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from attnnn import schemas
from attnnn.measures import predicted_class
from attnnn.ragged import Ragged
from attnnn.store import facts_of, read_table


@dataclass(frozen=True)
class Predictions:
    """What a run says of some documents, row by row.

    Attributes:
        document: shape (documents,): their numbers.
        split: shape (documents,): train, dev or test.
        probability: shape (documents,): probability of class 1.
        attention: weights of the n tokens.
    """

    document: NDArray[np.int64]
    split: NDArray[np.str_]
    probability: NDArray[np.float32]
    attention: Ragged

    @property
    def predicted(self) -> NDArray[np.int64]:
        """The predicted class of each document."""
        return predicted_class(self.probability)


@dataclass(frozen=True)
class Decoder:
    """The linear decoder of a run on some documents: logit = Σ_t attention_t · contribution_t + bias.

    Attributes:
        contribution: w·h_t of the n tokens of each document.
        bias: the decoder's bias.
    """

    contribution: Ragged
    bias: float

    def probabilities(self, attention: Ragged) -> NDArray[np.float64]:
        """Probability of class 1 under any attention, shape (documents,)."""
        products = attention.values.astype(np.float64) * self.contribution.values.astype(np.float64)
        return sigmoid(attention.with_values(products).sums() + self.bias)


def sigmoid(logit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of class 1 of a logit, without overflow."""
    smaller = np.exp(-np.abs(logit))
    return np.asarray(np.where(logit >= 0, 1.0, smaller) / (1.0 + smaller))


def read_predictions(path: str | os.PathLike[str]) -> Predictions:
    """Read ``predictions.parquet``, all splits.

    Raises:
        UserError: the file is missing or of another kind.
    """
    return _predictions(read_table(path, schemas.PREDICTIONS))


def read_test_predictions(path: str | os.PathLike[str]) -> tuple[Predictions, Decoder]:
    """Read the test split of ``predictions.parquet``, with what its logits are made of.

    Raises:
        UserError: the file is missing or of another kind.
    """
    table = read_table(path, schemas.PREDICTIONS)
    test = table.filter(pc.equal(table["split"], "test"))
    decoder = Decoder(Ragged.from_arrow(test["contribution"]), float(facts_of(table)["bias"]))
    return _predictions(test), decoder


def _predictions(table: pa.Table) -> Predictions:
    return Predictions(
        document=table["document"].to_numpy(),
        split=np.asarray(table["split"].to_pylist(), dtype=np.str_),
        probability=table["probability"].to_numpy(),
        attention=Ragged.from_arrow(table["attention"]),
    )
