"""Predictions under random permutations of a document's attention."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.measures import total_variation_distance
from attnnn.readout.predictions import Predictions
from attnnn.readout.readout import Readout, probabilities_of
from attnnn.tables.ragged import Ragged

# How many documents of one length share a table of permutations.
_SHARED_BY = 16

# How many permuted weights are held at a time, which bounds memory and fits the processor's cache.
_HELD = 1 << 17


@dataclass(frozen=True)
class Moments:
    """Moments of the logit over all n! permutations of the attention.

    Attributes:
        mean: its mean, shape (documents,).
        std: its standard deviation, shape (documents,).
    """

    mean: NDArray[np.float64]
    std: NDArray[np.float64]


def permuted_logits(
    attention: Ragged,
    readout: Readout,
    *,
    permutations: int,
    generator: np.random.Generator,
) -> NDArray[np.float64]:
    """Logits under independent uniform permutations of the attention, with the states fixed.

    The readout is linear in the attention, so a permutation needs n numbers and no states. Drawing one
    costs more than applying it, so up to 16 documents of one length share a table of permutations
    π_1 … π_K, and each first shuffles its weights by its own σ, which gives it π_k σ. To be exact:

    - the permutations of a document are independent, and each of the n! is equally likely;
    - a permutation of one document and one of another are independent, so means of any function over
      permutations are uncorrelated between documents.

    Only three or more permutations, of more than one document, can depend on one another.

    Args:
        attention: weights of the n tokens.
        readout: of the same documents.
        permutations: how many per document.
        generator: source of randomness, read in order of document length.

    Returns:
        Shape (documents, permutations).

    Source: Jain & Wallace 2019, section 4.2.1, Algorithm 2.
    """
    logits = np.zeros((len(attention), permutations))
    weight = attention.values.astype(np.float64)
    contribution = readout.contribution.values.astype(np.float64)
    for rows, n in _groups(attention.lengths):
        own = attention.offsets[rows, None] + np.arange(n)
        table = generator.permuted(np.tile(np.arange(n), (permutations, 1)), axis=1)
        shuffled = generator.permuted(weight[own], axis=1)
        column = contribution[own][..., None]
        at_once = max(1, _HELD // own.size)
        for start in range(0, permutations, at_once):
            some = slice(start, start + at_once)
            # Every index is in range; "clip" skips the check.
            permuted = np.take(shuffled, table[some], axis=1, mode="clip")
            logits[rows, some] = (permuted @ column)[..., 0]
    return np.asarray(logits + readout.bias)


def _groups(lengths: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Documents that share a table, with their length; empty ones need none, as their logit is the bias."""
    for n in np.unique(lengths[lengths > 0]):
        same_length = np.flatnonzero(lengths == n)
        for start in range(0, len(same_length), _SHARED_BY):
            yield same_length[start : start + _SHARED_BY], int(n)


def absolute_changes(
    attention: Ragged, readout: Readout, logits: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How far each of several logits of a document moves its probability: |Δp|, from 0 to 1.

    Args:
        attention: the model's own weights.
        readout: of the same documents.
        logits: shape (documents, variants).

    Returns:
        Shape (documents, variants).
    """
    own = np.repeat(readout.probabilities(attention)[:, 0], logits.shape[1])
    changed = probabilities_of(logits[..., None]).ravel()
    return total_variation_distance(changed, own).reshape(logits.shape)


def logit_moments(attention: Ragged, readout: Readout) -> Moments:
    """Exact mean and standard deviation of the logit over all n! permutations of the attention.

    With s_t = w·h_t, the mean is s̄ Σα + b (uniform attention is the average permutation), and the
    variance is Σ(α_t − ᾱ)² Σ(s_t − s̄)² / (n − 1); a single token has one permutation only.

    Args:
        attention: weights of the n tokens.
        readout: of the same documents.

    Source: Hoeffding 1951, Annals of Mathematical Statistics 22 (moments of a permuted linear sum).
    """
    contribution, spreads = readout.contribution, []
    for values in (attention, contribution):
        centred = values.values.astype(np.float64) - values.means()[values.documents]
        spreads.append(values.with_values(centred**2).sums())
    variance = spreads[0] * spreads[1] / np.maximum(attention.lengths - 1, 1)
    mean = contribution.means() * attention.sums() + readout.bias
    return Moments(mean, np.sqrt(variance))


def permutation_columns(
    predictions: Predictions,
    readout: Readout,
    *,
    permutations: int,
    generator: np.random.Generator,
) -> dict[str, Any]:
    """The columns of `analyses.PERMUTATION`.

    Args:
        predictions: of the documents.
        readout: of the same documents.
        permutations: how many per document.
        generator: source of randomness.
    """
    from attnnn.counterfactual.multiclass.permuted_classes import multiclass_changes

    attention = predictions.attention
    mean: list[float] | list[None]
    std: list[float] | list[None]
    if readout.outputs > 1:
        changes = multiclass_changes(
            attention, readout, permutations=permutations, generator=generator
        )
        mean = std = [None] * len(attention)
    else:
        logits = permuted_logits(attention, readout, permutations=permutations, generator=generator)
        changes = absolute_changes(attention, readout, logits)
        moments = logit_moments(attention, readout)
        mean, std = moments.mean.tolist(), moments.std.tolist()
    return {
        "document": predictions.document,
        "predicted": predictions.predicted,
        "max_attention": attention.maxima(),
        "median_change": np.median(changes, axis=1),
        "mean_change": changes.mean(axis=1),
        "logit_mean": mean,
        "logit_std": std,
    }
