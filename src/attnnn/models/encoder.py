"""What an encoder is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

from jaxtyping import Float, Int
from torch import Tensor, nn


class Encoder(nn.Module, ABC):
    """What makes a state of every token. A new one is a subclass in `ENCODERS`, with an entry in `study`.

    Attributes:
        name: in the names of models.
        reads: what a state depends on: the ``document``, which is always right; ``both directions``, one
            LSTM each, as in `BiLSTM`; ``neighbours``, by convolutions, as in `Cnn`; or the ``token`` alone.
            Leave-one-out computes anew no more than that (`importance.leave_one_out`).
        width: size of a state.
        input_dropout: share of what it reads that is set to zero in a training with dropout.
        xavier_output: whether the decoder after it starts with Xavier weights and a bias of zero.
    """

    name: ClassVar[str]
    reads: ClassVar[Literal["document", "both directions", "neighbours", "token"]] = "document"
    width: int
    input_dropout: ClassVar[float] = 0.0
    xavier_output: ClassVar[bool] = False

    @property
    def scored(self) -> int:
        """Inner width of additive attention to its states."""
        return self.width // 2

    @abstractmethod
    def forward(
        self,
        embedded: Float[Tensor, "batch length dimension"],
        lengths: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch length width"]:
        """States of all positions, start and end symbols included; arbitrary at padding."""

    @abstractmethod
    def last(
        self, states: Float[Tensor, "batch length width"], lengths: Int[Tensor, " batch"]
    ) -> Float[Tensor, "batch width"]:
        """One state for the whole text: what a question or a model without attention is known by."""
