"""The predictions of a finished run, as the stages that explain them read them. No torch here."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from attnnn.errors import UserError
from attnnn.measures import predicted_class
from attnnn.readout.readout import Readout, TanhLayer
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import arrays_of, read_table_of


@dataclass(frozen=True)
class Predictions:
    """What a run says of some documents, row by row.

    Attributes:
        document: shape (documents,): their numbers.
        predicted: shape (documents,): the predicted class.
        attention: weights of the n tokens.
        probability: shape (documents,): probability of class 1; for more than two classes that of the
            predicted one.
    """

    document: NDArray[np.int64]
    predicted: NDArray[np.int64]
    attention: Ragged
    probability: NDArray[np.float32]


def read_test_predictions(path: str | os.PathLike[str]) -> tuple[Predictions, Readout | None]:
    """Read the test split of ``predictions.parquet``, with what its predictions are made of.

    Returns:
        The predictions, and the readout; None for a run of attention and probabilities alone.

    Raises:
        UserError: the file is missing or of another kind.
    """
    kinds = [schemas.PREDICTIONS, schemas.MULTICLASS_PREDICTIONS]
    test = read_table_of(path, kinds, where=("split", "test"))
    if "contribution" in test.column_names:
        return _predictions(test), _binary_readout(test)
    return _multiclass_predictions(test), _multiclass_readout(test)


def read_explained(path: str | os.PathLike[str]) -> tuple[Predictions, Readout]:
    """The same of a run that has a readout.

    Raises:
        UserError: it has none, so nothing is known of its predictions under other attention.
    """
    predictions, readout = read_test_predictions(path)
    if readout is None:
        raise UserError(
            f"{path}: expected what follows the model's states, found attention and probabilities alone; "
            "permutations, adversaries and erasure need contributions, so leave this run out of them"
        )
    return predictions, readout


def _predictions(table: pa.Table) -> Predictions:
    probability = table["probability"].to_numpy()
    return Predictions(
        document=table["document"].to_numpy(),
        predicted=predicted_class(probability),
        attention=Ragged.from_arrow(table["attention"]),
        probability=probability,
    )


def _multiclass_predictions(test: pa.Table) -> Predictions:
    predicted = test["predicted"].to_numpy()
    probabilities = _matrix(test["probabilities"])
    return Predictions(
        document=test["document"].to_numpy(),
        predicted=predicted,
        attention=Ragged.from_arrow(test["attention"]),
        probability=probabilities[np.arange(len(predicted)), predicted],
    )


def _binary_readout(test: pa.Table) -> Readout | None:
    if test["contribution"].null_count:
        return None
    contribution = Ragged.from_arrow(test["contribution"])
    bias = arrays_of(test)["bias"].astype(np.float64)
    return Readout(contribution.with_values(contribution.values[:, None]), bias)


def _multiclass_readout(test: pa.Table) -> Readout | None:
    if test["projected"].null_count:
        return None
    attention, flat = Ragged.from_arrow(test["attention"]), Ragged.from_arrow(test["projected"])
    arrays = {name: values.astype(np.float64) for name, values in arrays_of(test).items()}
    layer = None
    if "weight" in arrays:
        layer = TanhLayer(_matrix(test["offset"]).astype(np.float64), arrays["weight"])
    return Readout(
        attention.with_values(flat.values.reshape(len(attention.values), -1)),
        arrays["bias"],
        layer,
        _allowed(test["candidates"], len(arrays["bias"])),
    )


def _allowed(candidates: pa.ChunkedArray, classes: int) -> NDArray[np.bool_] | None:
    if candidates.null_count:
        return None
    listed = Ragged.from_arrow(candidates)
    allowed = np.zeros((len(listed), classes), dtype=np.bool_)
    allowed[listed.documents, listed.values] = True
    return allowed


def _matrix(column: pa.ChunkedArray) -> NDArray[np.float32]:
    rows = Ragged.from_arrow(column)
    return np.asarray(rows.values.reshape(len(rows), -1), dtype=np.float32)
