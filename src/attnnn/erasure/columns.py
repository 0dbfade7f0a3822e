"""The tables of erased weights: one weight alone, and one after the other in the order of every ranking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attnnn.erasure.choices import single_weights
from attnnn.erasure.rankings import ranking_flips
from attnnn.erasure.reasons import Reason, Reasons
from attnnn.erasure.single_weight import Among, Erased
from attnnn.readout.predictions import Predictions
from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged


def erased_columns(
    predictions: Predictions,
    readout: Readout,
    *,
    generator: np.random.Generator,
    draws: int,
    among: Among,
    erase_all: bool,
) -> dict[str, Any]:
    """The columns of `analyses.ERASED`: every document under one rule after the other.

    Args:
        predictions: of the test split.
        readout: of the same documents.
        generator: of the random items.
        draws: of them for each document.
        among: what they are drawn from: see `single_weight.random_others`.
        erase_all: see `single_weight.erase_each`.

    Source: Serrano & Smith 2019, section 4.
    """
    found = single_weights(
        predictions.attention,
        readout,
        generator=generator,
        draws=draws,
        among=among,
        erase_all=erase_all,
    )
    parts = [_rows(predictions, rule, 0, pair.chosen) for rule, pair in found.items()]
    others = found["highest"].others
    parts += [_rows(predictions, "random", draw, others) for draw in range(draws)]
    return _joined(parts)


def ranked_columns(
    predictions: Predictions,
    readout: Readout,
    *,
    generator: np.random.Generator,
    given: Mapping[str, Ragged],
    erase_all: bool,
) -> dict[str, Any]:
    """The columns of `analyses.RANKED`: every document under one ranking after the other.

    Args: as for `erased_columns`.
        given: other scores of the tokens, the highest erased first.

    Source: Serrano & Smith 2019, section 5.
    """
    attention = predictions.attention
    flips = ranking_flips(attention, readout, generator=generator, given=given, erase_all=erase_all)
    parts = [
        {
            **_documents(predictions),
            "ranking": np.full(len(attention), ranking),
            "count": found.count,
            "fraction": found.fraction,
            "mass": found.mass,
            "reason": _words(found.reason),
        }
        for ranking, found in flips.items()
    ]
    return _joined(parts)


def _rows(predictions: Predictions, rule: str, draw: int, found: Erased) -> dict[str, Any]:
    return {
        **_documents(predictions),
        "rule": np.full(len(found.position), rule),
        "draw": np.full(len(found.position), draw),
        "position": found.position[:, draw],
        "weight": found.weight[:, draw],
        "js": found.js[:, draw],
        "flips": found.flips[:, draw],
        "reason": _words(found.reason),
    }


def _documents(predictions: Predictions) -> dict[str, Any]:
    return {
        "document": predictions.document,
        "predicted": predictions.predicted,
        "items": predictions.attention.lengths,
    }


def _words(reason: Reasons) -> Any:
    return np.array([Reason(code).words or None for code in range(len(Reason))], object)[reason]


def _joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """One part under the other; null for numbers that are not there."""
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return {
        name: [None if np.isnan(value) else value for value in values.tolist()]
        if values.dtype == np.float64
        else values
        for name, values in columns.items()
    }
