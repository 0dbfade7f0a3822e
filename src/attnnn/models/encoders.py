"""Encoders: what makes a state h_t of every token (Jain & Wallace 2019, section 3)."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnnn.models.batches import positions
from attnnn.models.encoder import Encoder
from attnnn.models.networks import Convolutions, Gru, WordVector
from attnnn.models.reversal import reordered, reversed_orders

# Widths of the convolutions of the CNN, in tokens.
KERNELS = (1, 3, 5, 7)


class BiLSTM(Encoder):
    """One-layer bidirectional LSTM; a state is both directions' outputs side by side.

    The backward direction reads each document reversed within its own length, so that neither
    direction sees padding and nothing needs to be packed. Time is the first axis inside, as oneDNN's and
    cuDNN's kernels have it: the reversal does that turn too.

    Attributes:
        width: size of a state, twice the hidden size.
    """

    name = "bilstm"
    reads = "both directions"

    def __init__(self, dimension: int, hidden_size: int) -> None:
        super().__init__()
        self.width = 2 * hidden_size
        self.left_to_right = nn.LSTM(dimension, hidden_size)
        self.right_to_left = nn.LSTM(dimension, hidden_size)

    def forward(
        self,
        embedded: Float[Tensor, "batch length dimension"],
        lengths: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch length width"]:
        """States of all positions, start and end symbols included; arbitrary at padding."""
        there, back = reversed_orders(lengths, embedded.shape[1])
        left, _ = self.left_to_right(embedded.transpose(0, 1))
        right, _ = self.right_to_left(reordered(embedded, there, back))
        return torch.cat([left.transpose(0, 1), reordered(right, back, there)], dim=-1)

    def last(
        self, states: Float[Tensor, "batch length width"], lengths: Int[Tensor, " batch"]
    ) -> Float[Tensor, "batch width"]:
        """The final state of each direction."""
        left, right = states.chunk(2, dim=-1)
        ends = (lengths - 1)[:, None, None].expand(-1, 1, left.shape[-1])
        return torch.cat([left.gather(1, ends)[:, 0], right[:, 0]], dim=-1)


class Average(Encoder):
    """A token-level affine layer with tanh: no token sees another.

    Jain & Wallace's "average" encoder (their slides say ReLU, their code tanh), which is Wiegreffe &
    Pinter's MLP.

    Attributes:
        width: size of a state, the hidden size.
    """

    name = "average"
    reads = "token"

    def __init__(self, dimension: int, hidden_size: int) -> None:
        super().__init__()
        self.width = hidden_size
        self.projection = nn.Linear(dimension, hidden_size)

    def forward(
        self,
        embedded: Float[Tensor, "batch length dimension"],
        lengths: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch length width"]:
        """States of all positions."""
        return torch.tanh(self.projection(embedded))

    def last(
        self, states: Float[Tensor, "batch length width"], lengths: Int[Tensor, " batch"]
    ) -> Float[Tensor, "batch width"]:
        """Mean over start symbol, tokens and end symbol; the released code counts padding too."""
        read = positions(states.shape[1], lengths) < lengths[:, None]
        return (states * read[..., None]).sum(dim=1) / lengths[:, None]


class Cnn(Encoder):
    """Convolutions of four widths side by side, zero-padded, with ReLU; 0 at symbols.

    Attributes:
        width: size of a state, the hidden size; each kernel width has a quarter of it.
    """

    name = "cnn"
    reads = "neighbours"

    def __init__(self, dimension: int, hidden_size: int) -> None:
        super().__init__()
        if hidden_size % len(KERNELS):
            raise ValueError(
                f"hidden_size: the CNN's must be a multiple of {len(KERNELS)}, got {hidden_size}"
            )
        self.width = hidden_size
        self.convolutions = nn.ModuleList(
            nn.Conv1d(dimension, hidden_size // len(KERNELS), kernel, padding=kernel // 2)
            for kernel in KERNELS
        )

    def forward(
        self,
        embedded: Float[Tensor, "batch length dimension"],
        lengths: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch length width"]:
        """States of all positions; 0 at start symbol, end symbol and padding."""
        position = positions(embedded.shape[1], lengths)
        read = position < lengths[:, None]
        inputs = (embedded * read[..., None]).transpose(1, 2)
        states = torch.cat([convolve(inputs) for convolve in self.convolutions], dim=1)
        real = (position >= 1) & (position < lengths[:, None] - 1)
        return torch.relu(states.transpose(1, 2)) * real[..., None]

    def last(
        self, states: Float[Tensor, "batch length width"], lengths: Int[Tensor, " batch"]
    ) -> Float[Tensor, "batch width"]:
        """Largest of each feature over the tokens."""
        return states.amax(dim=1)


ENCODERS: dict[str, type[Encoder]] = {
    encoder.name: encoder for encoder in (BiLSTM, Average, Cnn)
} | {
    # Flat attention networks have one, of the document; hierarchical ones two, of words and of sentences.
    f"{family}-{encoder.name}": encoder
    for family in ("flan", "han")
    for encoder in (Gru, Convolutions, WordVector)
}
