"""Encoders of Serrano & Smith (2019): no start or end symbol is read, and attention is as wide as a state.

Flat attention networks read a document by one of them; hierarchical ones read every sentence by one, and the
sentences of a document, which their attention has made vectors of, by another.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import pad

from attnnn.models.batches import positions
from attnnn.models.encoder import Encoder
from attnnn.models.gru import GruCells, both_ways
from attnnn.models.reversal import reordered, reversed_orders


class _WithoutSymbols(Encoder):
    """What the three have in common."""

    xavier_output = True

    @property
    def scored(self) -> int:
        """Inner width of additive attention to its states."""
        return self.width


class Gru(_WithoutSymbols):
    """One-layer bidirectional GRU; each direction has half of a state.

    The backward direction reads each document reversed within its own length.

    Attributes:
        width: size of a state, the hidden size.
    """

    name = "rnn"

    def __init__(self, dimension: int, hidden_size: int) -> None:
        super().__init__()
        self.width = _halved(hidden_size, "GRU") * 2
        self.left_to_right = GruCells(dimension, hidden_size // 2)
        self.right_to_left = GruCells(dimension, hidden_size // 2)

    def forward(
        self,
        embedded: Float[Tensor, "batch length dimension"],
        lengths: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch length width"]:
        """States of all positions; 0 at the start symbol, arbitrary from the end symbol on."""
        inner = embedded[:, 1:-1]
        there, back = reversed_orders(lengths - 2, inner.shape[1])
        left, right = both_ways(
            self.left_to_right,
            self.right_to_left,
            inner.transpose(0, 1),
            reordered(inner, there, back),
        )
        states = torch.cat([left.transpose(0, 1), reordered(right, back, there)], dim=-1)
        return pad(states, (0, 0, 1, 1))

    def last(
        self, states: Float[Tensor, "batch length width"], lengths: Int[Tensor, " batch"]
    ) -> Float[Tensor, "batch width"]:
        """The final state of each direction."""
        left, right = states.chunk(2, dim=-1)
        ends = (lengths - 2)[:, None, None].expand(-1, 1, left.shape[-1])
        return torch.cat([left.gather(1, ends)[:, 0], right[:, 1]], dim=-1)


class Convolutions(_WithoutSymbols):
    """Convolutions of widths 3 and 5 side by side, with ReLU; what is outside the text counts as zero.

    Attributes:
        width: size of a state, the hidden size; each kernel width has half of it.
    """

    name = "conv"
    input_dropout = 0.3

    def __init__(self, dimension: int, hidden_size: int) -> None:
        super().__init__()
        self.width = _halved(hidden_size, "convolutions") * 2
        self.convolutions = nn.ModuleList(
            nn.Conv1d(dimension, hidden_size // 2, kernel, padding=kernel // 2) for kernel in (3, 5)
        )

    def forward(
        self,
        embedded: Float[Tensor, "batch length dimension"],
        lengths: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch length width"]:
        """States of all positions; 0 at start symbol, end symbol and padding."""
        real = _real(embedded.shape[1], lengths)[..., None]
        inputs = (embedded * real).transpose(1, 2)
        states = torch.cat([convolve(inputs) for convolve in self.convolutions], dim=1)
        return torch.relu(states.transpose(1, 2)) * real

    def last(
        self, states: Float[Tensor, "batch length width"], lengths: Int[Tensor, " batch"]
    ) -> Float[Tensor, "batch width"]:
        """Largest of each feature over the tokens."""
        return states.amax(dim=1)


class WordVector(_WithoutSymbols):
    """No encoder: a state is the word's vector, or the sentence's.

    Attributes:
        width: size of a state, that of what it reads.
    """

    name = "none"
    reads = "token"

    def __init__(self, dimension: int, hidden_size: int) -> None:
        super().__init__()
        self.width = dimension

    def forward(
        self,
        embedded: Float[Tensor, "batch length dimension"],
        lengths: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch length width"]:
        """States of all positions."""
        return embedded

    def last(
        self, states: Float[Tensor, "batch length width"], lengths: Int[Tensor, " batch"]
    ) -> Float[Tensor, "batch width"]:
        """Mean over the tokens."""
        real = _real(states.shape[1], lengths)
        return (states * real[..., None]).sum(dim=1) / real.sum(dim=1, keepdim=True)


def _real(longest: int, lengths: Int[Tensor, " batch"]) -> Bool[Tensor, "batch length"]:
    """True where a token is, and neither symbol nor padding."""
    position = positions(longest, lengths)
    return (position >= 1) & (position < lengths[:, None] - 1)


def _halved(hidden_size: int, what: str) -> int:
    if hidden_size % 2:
        raise ValueError(
            f"hidden_size: the {what} have half of it each, expected an even number, got {hidden_size}"
        )
    return hidden_size // 2
