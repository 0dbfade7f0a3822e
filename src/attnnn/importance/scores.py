"""Importance of every token, and how it follows from changes of the probability."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from attnnn.models.inputs import Inputs, Rows
from attnnn.tables.ragged import Ragged


class Importance(NamedTuple):
    """Importance of the n tokens of each document, in units of probability.

    Attributes:
        signed: for the probability of class 1; for more than two classes that of the predicted one.
        magnitude: |signed|; leave-one-out with more than two classes sums |Δp| over all of them.
    """

    signed: Ragged
    magnitude: Ragged

    @classmethod
    def of_signed(cls, signed: Ragged) -> Importance:
        """Of scores whose magnitude is their absolute value."""
        return cls(signed, signed.with_values(np.abs(signed.values)))

    @classmethod
    def of_changes(cls, tokens: Ragged, changes: NDArray[np.float64]) -> Importance:
        """Of the results of `changes_of`, one row per token."""
        return cls(tokens.with_values(changes[:, 0]), tokens.with_values(changes[:, 1]))

    @classmethod
    def of_batches(
        cls, inputs: Inputs, parts: Iterable[tuple[Rows, NDArray[np.float64]]]
    ) -> Importance:
        """Of the results of `changes_of`, one row per token of each batch's documents."""
        named = ((rows, {"changes": changes}) for rows, changes in parts)
        found = inputs.scatter(named, per_token=("changes",))
        return cls.of_changes(inputs.tokens, found.get("changes", np.zeros((0, 2))))


def changes_of(
    before: Float[Tensor, "rows outputs"], after: Float[Tensor, "rows outputs"]
) -> Float[Tensor, "rows 2"]:
    """Signed change of the probability that is explained, and its magnitude.

    For two classes that is the change of the probability of class 1. For more than two, the signed change
    is that of the class predicted before, and the magnitude Σ|Δp|, twice the total variation distance, as
    in Jain & Wallace's released code.
    """
    change = after - before
    if before.shape[-1] == 1:
        return torch.cat([change, change.abs()], dim=-1)
    predicted = before.argmax(dim=-1, keepdim=True)
    return torch.cat([change.gather(-1, predicted), change.abs().sum(-1, keepdim=True)], dim=-1)
