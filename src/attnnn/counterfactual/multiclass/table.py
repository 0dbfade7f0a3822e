"""The table of the exact adversary for more than two classes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc

from attnnn.counterfactual.multiclass.adversary import MulticlassAdversary, multiclass_adversary
from attnnn.errors import UserError
from attnnn.readout.predictions import Predictions
from attnnn.readout.readout import Readout
from attnnn.tables import analyses
from attnnn.tables.ragged import Ragged, concatenate
from attnnn.tables.store import read_table


def multiclass_columns(
    predictions: Predictions,
    readout: Readout,
    searched: str | os.PathLike[str],
    epsilons: Sequence[float],
) -> dict[str, Any]:
    """The columns of `analyses.MULTICLASS_ADVERSARY`, every document for one ε after the other.

    Args:
        predictions: of the test split.
        readout: of the same documents.
        searched: path of the searched adversary's table, whose attention is a starting point.
        epsilons: largest allowed TVDs.

    Raises:
        UserError: the table is missing, or is not about these documents and ε.
    """
    own = predictions.attention
    solved = {
        epsilon: multiclass_adversary(own, readout, epsilon, start)
        for epsilon, start in _starts(predictions, searched, epsilons).items()
    }
    answers = list(solved.values())
    epsilon = np.repeat(list(solved), len(own))
    change = np.concatenate([answer.change for answer in answers])
    weights = [_weights_alone(answer) for answer in answers]
    return {
        "document": np.tile(predictions.document, len(solved)),
        "epsilon": epsilon,
        "jsd": np.concatenate([answer.jsd for answer in answers]),
        "bound": np.concatenate([answer.bound for answer in answers]),
        "exact": np.concatenate([answer.exact for answer in answers]),
        "tokens": concatenate([tokens for tokens, _ in weights]),
        "weights": concatenate([values for _, values in weights]),
        "probability": np.concatenate(
            [readout.explained(answer.attention, own) for answer in answers]
        ),
        "change": change,
        "slack": epsilon - change,
    }


def _weights_alone(answer: MulticlassAdversary) -> tuple[Ragged, Ragged]:
    """Positions and weights of the tokens that have any."""
    attention = answer.attention
    some = np.asarray(attention.values, np.float64) > 0
    lengths = np.bincount(attention.documents[some], minlength=len(attention))
    return (
        Ragged.from_lengths(attention.positions[some].astype(np.int32), lengths),
        Ragged.from_lengths(attention.values[some], lengths),
    )


def _starts(
    predictions: Predictions, searched: str | os.PathLike[str], epsilons: Sequence[float]
) -> dict[float, Ragged]:
    """What the search found for each ε, the model's own attention where that was nothing."""
    table = read_table(searched, analyses.SEARCHED_ADVERSARY)
    found = {}
    for epsilon in epsilons:
        part = table.filter(pc.equal(table["epsilon"], epsilon))
        if not np.array_equal(part["document"].to_numpy(), predictions.document):
            raise UserError(
                f"{searched}: expected the test documents of the predictions for ε = {epsilon:g}; "
                "run `attnnn search` again"
            )
        found[epsilon] = Ragged.from_arrow(part["attention"])
    return found
