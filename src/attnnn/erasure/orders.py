"""The orders in which attention weights are erased."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged


def decision_gradient(attention: Ragged, readout: Readout) -> Ragged:
    """The slope of the predicted class's probability in each attention weight, with the others fixed.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.

    Returns:
        ∂ max p / ∂α_t, signed, where the α are free numbers: no softmax and no renormalisation.

    Source: Serrano & Smith 2019, section 5.1.
    """
    slope = readout.slope(attention)[attention.documents]
    return attention.with_values((slope * readout.projected.values.astype(np.float64)).sum(axis=1))


def descending(score: Ragged) -> Ragged:
    """Positions of each document's tokens in descending order of score; of equal ones, the earlier first.

    Args:
        score: attention, a gradient, or attention times gradient.
    """
    # The last key is the primary one; lexsort is stable.
    order = np.lexsort((-score.values.astype(np.float64), score.documents))
    return score.with_values(score.positions[order])


def shuffled(like: Ragged, generator: np.random.Generator) -> Ragged:
    """Positions of each document's tokens in random order; all orders are equally likely."""
    return descending(like.with_values(generator.random(len(like.values))))


def random_other(
    position: NDArray[np.int64], lengths: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int64]:
    """A random position in each document other than the given one.

    The paper's released code instead draws uniformly from 1 … n - 1, which may be the given position and is
    never the first.

    Args:
        position: shape (documents,).
        lengths: shape (documents,): n, at least 2.
        generator: source of randomness, one draw per document.

    Raises:
        ValueError: a document has no other position.

    Source: Serrano & Smith 2019, section 4.1.
    """
    if (lengths < 2).any():
        raise ValueError("expected at least two tokens per document, found a document with fewer")
    drawn = generator.integers(0, lengths - 1)
    return drawn + (drawn >= position)
