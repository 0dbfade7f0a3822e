"""The predictions of a finished run, as the stages that explain them read them. No torch here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from attnnn.measures import predicted_class
from attnnn.readout.decoder import ClassDecoder, Decoder
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import facts_of, read_table, read_table_of


@dataclass(frozen=True)
class Predictions:
    """What a run says of some documents, row by row.

    Attributes:
        document: shape (documents,): their numbers.
        split: shape (documents,): train, dev or test.
        predicted: shape (documents,): the predicted class.
        attention: weights of the n tokens.
        probability: shape (documents,): probability of class 1; of several classes that of the predicted
            one.
    """

    document: NDArray[np.int64]
    split: NDArray[np.str_]
    predicted: NDArray[np.int64]
    attention: Ragged
    probability: NDArray[np.float32]


def read_predictions(path: str | os.PathLike[str]) -> Predictions:
    """Read ``predictions.parquet`` of two classes, all splits.

    Raises:
        UserError: the file is missing or of another kind.
    """
    return _predictions(read_table(path, schemas.PREDICTIONS))


def read_test_predictions(
    path: str | os.PathLike[str],
) -> tuple[Predictions, Decoder | ClassDecoder]:
    """Read the test split of ``predictions.parquet``, with what its predictions are made of.

    Raises:
        UserError: the file is missing or of another kind.
    """
    table = read_table_of(path, [schemas.PREDICTIONS, schemas.CLASS_PREDICTIONS])
    test = table.filter(pc.equal(table["split"], "test"))
    if "contribution" in test.column_names:
        decoder = Decoder(Ragged.from_arrow(test["contribution"]), float(facts_of(table)["bias"]))
        return _predictions(test), decoder
    return _class_predictions(test), _class_decoder(test, Path(path))


def _predictions(table: pa.Table) -> Predictions:
    probability = table["probability"].to_numpy()
    return Predictions(
        document=table["document"].to_numpy(),
        split=np.asarray(table["split"].to_pylist(), dtype=np.str_),
        predicted=predicted_class(probability),
        attention=Ragged.from_arrow(table["attention"]),
        probability=probability,
    )


def _class_predictions(test: pa.Table) -> Predictions:
    predicted = test["predicted"].to_numpy()
    probabilities = _matrix(test["probabilities"])
    return Predictions(
        document=test["document"].to_numpy(),
        split=np.asarray(test["split"].to_pylist(), dtype=np.str_),
        predicted=predicted,
        attention=Ragged.from_arrow(test["attention"]),
        probability=probabilities[np.arange(len(predicted)), predicted],
    )


def _class_decoder(test: pa.Table, path: Path) -> ClassDecoder:
    """A decoder from the pieces in the table, and for pairs from the last layer beside it."""
    facts, attention = facts_of(test), Ragged.from_arrow(test["attention"])
    flat = Ragged.from_arrow(test["pieces"])
    pieces = attention.with_values(flat.values.reshape(len(attention.values), -1))
    if facts["bias"] is not None:
        return ClassDecoder(pieces, np.asarray(facts["bias"], dtype=np.float64))
    from safetensors.numpy import load_file

    weights = load_file(path.with_name("weights.safetensors"))
    return ClassDecoder(
        pieces,
        weights["decoder.output.bias"].astype(np.float64),
        offset=_matrix(test["offset"]).astype(np.float64),
        weight=weights["decoder.output.weight"].astype(np.float64),
        allowed=_allowed(test["candidates"], facts["classes"]),
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
