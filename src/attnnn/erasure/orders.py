"""The orders in which attention weights are erased."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged


def decision_gradient(attention: Ragged, readout: Readout) -> Ragged:
    """Slope of the predicted class's probability in each attention weight, the others held fixed.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.

    Returns:
        ∂ max p / ∂α_t, signed, with α taken as free numbers: no softmax, no renormalisation.

    Source: Serrano & Smith 2019, section 5.1.
    """
    slope = readout.slope(attention)[attention.documents]
    return attention.with_values((slope * readout.projected.values.astype(np.float64)).sum(axis=1))


def descending(score: Ragged) -> Ragged:
    """Positions of each document's tokens, the highest score first; the earlier one of two equals.

    Args:
        score: attention, a gradient, or attention times gradient.
    """
    # The last key is the first to sort by; lexsort is stable.
    order = np.lexsort((-score.values.astype(np.float64), score.documents))
    return score.with_values(score.positions[order])


def shuffled(like: Ragged, generator: np.random.Generator) -> Ragged:
    """Positions of each document's tokens in random order, each order equally likely."""
    return descending(like.with_values(generator.random(len(like.values))))


def random_other(
    position: NDArray[np.int64], lengths: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int64]:
    """For each document a random position that is not the given one.

    The papers' released code draws uniformly from 1 … n - 1 instead, which can be the given one and is never
    the first.

    Args:
        position: shape (documents,).
        lengths: shape (documents,): n, more than one.
        generator: source of randomness, one draw per document.

    Raises:
        ValueError: a document has no other position.

    Source: Serrano & Smith 2019, section 4.1.
    """
    if (lengths < 2).any():
        raise ValueError("a document of one token has no other to erase")
    drawn = generator.integers(0, lengths - 1)
    return drawn + (drawn >= position)
