"""How much a leave-one-out score is off when runs rejoin the whole document's: measured, not assumed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.importance.prefix_sharing import by_prefix_sharing, shares_prefixes
from attnnn.models.classifier import Classifier
from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged


@dataclass(frozen=True)
class Rejoining:
    """What a sample of exact results says of results that were had by rejoining.

    Attributes:
        documents: documents long enough to rejoin.
        tokens: their tokens.
        checked: deletions among them that were also run to the end.
        largest_error: largest difference of probability found there; None where none was checked.
    """

    documents: int
    tokens: int
    checked: int
    largest_error: float | None


def check_rejoining(
    classifier: Classifier,
    inputs: Inputs,
    found: Ragged,
    *,
    rejoin_from: int | None,
    deletions: int,
    rng: np.random.Generator,
) -> Rejoining:
    """Run a sample of deletions to the end and compare.

    Args:
        classifier: a trained classifier.
        inputs: the documents.
        found: what `leave_one_out` found, with this `rejoin_from`.
        rejoin_from: tokens from which a document's runs could rejoin.
        deletions: size of the sample; all are taken where there are fewer.
        rng: source of the sample.
    """
    tokens = inputs.tokens
    rejoining = rejoining_tokens(tokens, rejoin_from)
    if not shares_prefixes(classifier):
        rejoining[:] = False
    candidates = np.flatnonzero(rejoining)
    sample = rng.choice(candidates, min(deletions, len(candidates)), replace=False)
    checked = np.zeros(len(rejoining), dtype=np.bool_)
    checked[sample] = True
    error = np.zeros(0)
    if len(sample):
        exact = by_prefix_sharing(classifier, inputs, deleted=checked).signed
        error = np.abs(np.subtract(exact.values[checked], found.values[checked]))
    return Rejoining(
        documents=len(np.unique(tokens.documents[rejoining])),
        tokens=len(candidates),
        checked=len(sample),
        largest_error=None if np.isnan(error).all() else float(np.nanmax(error)),
    )


def rejoining_tokens(tokens: Ragged, rejoin_from: int | None) -> NDArray[np.bool_]:
    """True for the tokens of documents that are long enough; None: of none."""
    if rejoin_from is None:
        return np.zeros(len(tokens.values), dtype=np.bool_)
    return np.asarray((tokens.lengths >= rejoin_from)[tokens.documents])
