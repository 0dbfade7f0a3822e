"""Predictions under random permutations of a document's attention."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.importance.decoder import Decoder, sigmoid
from attnnn.measures import total_variation_distance
from attnnn.ragged import Ragged

# Permuted weights held at a time, which bounds memory.
_HELD = 1 << 20


@dataclass(frozen=True)
class Moments:
    """The logit over all n! permutations of the attention.

    Attributes:
        mean: shape (documents,).
        std: shape (documents,).
    """

    mean: NDArray[np.float64]
    std: NDArray[np.float64]


def permuted_logits(
    attention: Ragged,
    decoder: Decoder,
    *,
    permutations: int,
    generator: np.random.Generator,
) -> NDArray[np.float64]:
    """Logits under independent uniform permutations of the attention, the states held fixed.

    The decoder is linear in the attention, so a permutation costs n numbers and no state.

    Args:
        attention: weights of the n tokens.
        decoder: of the same documents.
        permutations: permutations of each document.
        generator: source of randomness, read in order of document length.

    Returns:
        Shape (documents, permutations).

    Source: Jain & Wallace 2019, section 4.2.1, Algorithm 2.
    """
    logits = np.zeros((len(attention), permutations))
    for n in np.unique(attention.lengths):
        same_length = np.flatnonzero(attention.lengths == n)
        at_once = max(1, int(_HELD // (permutations * max(n, 1))))
        for start in range(0, len(same_length), at_once):
            rows = same_length[start : start + at_once]
            weights = attention.take(rows).values.reshape(len(rows), 1, n).astype(np.float64)
            copies = np.repeat(weights, permutations, axis=1)
            shuffled = generator.permuted(copies, axis=-1, out=copies)
            pieces = (
                decoder.contribution.take(rows).values.reshape(len(rows), n, 1).astype(np.float64)
            )
            logits[rows] = (shuffled @ pieces)[..., 0]
    return logits + decoder.bias


def absolute_changes(
    attention: Ragged, decoder: Decoder, logits: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How far each of several logits of a document moves its probability, |Δp| in [0, 1].

    Args:
        attention: the model's own weights.
        decoder: of the same documents.
        logits: shape (documents, variants).

    Returns:
        Shape (documents, variants).
    """
    own = np.repeat(decoder.probabilities(attention), logits.shape[1])
    return total_variation_distance(sigmoid(logits).ravel(), own).reshape(logits.shape)


def logit_moments(attention: Ragged, decoder: Decoder) -> Moments:
    """Exact mean and standard deviation of the logit over all n! permutations of the attention.

    With s_t = w·h_t the mean is s̄ Σα + b (uniform attention is the average permutation) and the
    variance Σ(α_t − ᾱ)² Σ(s_t − s̄)² / (n − 1); a single token has only one permutation.

    Args:
        attention: weights of the n tokens.
        decoder: of the same documents.

    Source: Hoeffding 1951, Annals of Mathematical Statistics 22 (moments of a permuted linear sum).
    """
    contribution, spreads = decoder.contribution, []
    for values in (attention, contribution):
        centred = values.values.astype(np.float64) - values.means()[values.documents]
        spreads.append(values.with_values(centred**2).sums())
    variance = spreads[0] * spreads[1] / np.maximum(attention.lengths - 1, 1)
    return Moments(contribution.means() * attention.sums() + decoder.bias, np.sqrt(variance))
