"""Rejoining: in long documents the BiLSTM forgets a deleted token, and its runs may stop there.

How much a score is off by that is measured on a sample, not assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.importance.scores import Importance
from attnnn.importance.shared_prefixes import by_shared_prefixes, shares_prefixes
from attnnn.models.classifier import Classifier
from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged


@dataclass(frozen=True)
class Rejoining:
    """How exact the scores of rejoining documents are, by a sample.

    Attributes:
        documents: number of documents long enough to rejoin.
        tokens: number of their tokens.
        checked: number of deletions among them that were also run to the end.
        largest_error: largest difference of probability found there; None where none was checked.
    """

    documents: int
    tokens: int
    checked: int
    largest_error: float | None


def by_rejoining(
    classifier: Classifier,
    inputs: Inputs,
    *,
    rejoin_from: int | None,
    tolerance: float,
    max_tokens: int,
) -> Importance:
    """`leave_one_out` by shared prefixes, whose runs may rejoin in long documents only; arguments alike."""
    rejoining = rejoining_tokens(inputs.tokens, rejoin_from)
    found = by_shared_prefixes(classifier, inputs, deleted=~rejoining, max_tokens=max_tokens)
    if rejoining.any():
        rejoined = by_shared_prefixes(
            classifier, inputs, deleted=rejoining, tolerance=tolerance, max_tokens=max_tokens
        )
        for scores, others in zip(found, rejoined, strict=True):
            scores.values[rejoining] = others.values[rejoining]
    return found


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
        found: the signed scores of `leave_one_out`, with this `rejoin_from`.
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
        exact = by_shared_prefixes(classifier, inputs, deleted=checked).signed
        error = np.abs(np.subtract(exact.values[checked], found.values[checked]))
    return Rejoining(
        documents=len(np.unique(tokens.documents[rejoining])),
        tokens=len(candidates),
        checked=len(sample),
        largest_error=None if np.isnan(error).all() else float(np.nanmax(error)),
    )


def rejoining_tokens(tokens: Ragged, rejoin_from: int | None) -> NDArray[np.bool_]:
    """True for the tokens of documents with at least `rejoin_from` tokens; None: for no token."""
    if rejoin_from is None:
        return np.zeros(len(tokens.values), dtype=np.bool_)
    return np.asarray((tokens.lengths >= rejoin_from)[tokens.documents])
