"""What a method says of every token."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from attnnn.tables.ragged import Ragged


class Importance(NamedTuple):
    """Importance of the n tokens of each document, in units of probability.

    Attributes:
        signed: for the probability of class 1, or with more than two classes of the predicted one.
        magnitude: |signed|; leave-one-out over more than two classes sums |Δp| over all of them.
    """

    signed: Ragged
    magnitude: Ragged

    @classmethod
    def of_signed(cls, signed: Ragged) -> Importance:
        """Of scores whose magnitude is their absolute value."""
        return cls(signed, signed.with_values(np.abs(signed.values)))

    @classmethod
    def of_changes(cls, tokens: Ragged, changes: NDArray[np.float64]) -> Importance:
        """Of what `changes_of` says of every token."""
        return cls(tokens.with_values(changes[:, 0]), tokens.with_values(changes[:, 1]))


def changes_of(
    before: Float[Tensor, "rows outputs"], after: Float[Tensor, "rows outputs"]
) -> Float[Tensor, "rows 2"]:
    """Signed change of the probability that is explained, and its magnitude.

    Two classes have one probability, that of class 1, whose change is meant. For more than two classes,
    the signed change is that of the class predicted before, and the magnitude Σ|Δp|, twice the total
    variation distance, as in Jain & Wallace's released code.
    """
    change = after - before
    if before.shape[-1] == 1:
        return torch.cat([change, change.abs()], dim=-1)
    predicted = before.argmax(dim=-1, keepdim=True)
    return torch.cat([change.gather(-1, predicted), change.abs().sum(-1, keepdim=True)], dim=-1)
