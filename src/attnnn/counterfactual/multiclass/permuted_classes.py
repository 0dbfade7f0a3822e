"""Predictions of more than two classes under random permutations of a document's attention."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged


def multiclass_changes(
    attention: Ragged,
    readout: Readout,
    *,
    permutations: int,
    generator: np.random.Generator,
) -> NDArray[np.float64]:
    """How far independent uniform permutations of the attention move the prediction.

    Args:
        attention: weights of the n tokens.
        readout: of the same documents; the states are held fixed.
        permutations: permutations of each document.
        generator: source of randomness, read document by document.

    Returns:
        Shape (documents, permutations): total variation distance ½ Σ|Δp|, in [0, 1].

    Source: Jain & Wallace 2019, section 4.2.1, Algorithm 2.
    """
    changes = np.zeros((len(attention), permutations))
    for row in range(len(attention)):
        here = readout.take(np.array([row]))
        own = np.asarray(attention[row], dtype=np.float64)
        projected = np.asarray(here.projected.values, dtype=np.float64)
        copies = np.tile(own, (permutations + 1, 1))
        # The last copy stays as it is.
        generator.permuted(copies[:-1], axis=1, out=copies[:-1])
        probabilities = here.decide((copies @ projected)[None])[0]
        changes[row] = np.abs(probabilities[:-1] - probabilities[-1]).sum(axis=1) / 2
    return changes
