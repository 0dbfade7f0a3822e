"""Encoders: what makes a state h_t of every token (Jain & Wallace 2019, section 3)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnnn.models.batches import positions

# Widths of the convolutions of the CNN, in tokens.
KERNELS = (1, 3, 5, 7)


class Encoder(nn.Module, ABC):
    """What makes a state of every token. A new one is a subclass in `ENCODERS`, with an entry in `study`.

    Attributes:
        name: in the names of models.
        reads: what a state depends on: the ``document``, which is always right; ``both directions``, one
            LSTM each, as in `BiLSTM`; ``neighbours``, by convolutions, as in `Cnn`; or the ``token`` alone.
            Leave-one-out computes anew no more than that (`importance.leave_one_out`).
        width: size of a state.
    """

    name: ClassVar[str]
    reads: ClassVar[Literal["document", "both directions", "neighbours", "token"]] = "document"
    width: int

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
        there, back = _reversed_orders(lengths, embedded.shape[1])
        left, _ = self.left_to_right(embedded.transpose(0, 1))
        right, _ = self.right_to_left(_reorder(embedded, there, back))
        return torch.cat([left.transpose(0, 1), _reorder(right, back, there)], dim=-1)

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


ENCODERS: dict[str, type[Encoder]] = {encoder.name: encoder for encoder in (BiLSTM, Average, Cnn)}


def _reversed_orders(
    lengths: Int[Tensor, " batch"], longest: int
) -> tuple[Int[Tensor, "length batch"], Int[Tensor, "batch length"]]:
    """Flat indices that reverse each row within its own length, padding staying in place.

    Returns:
        For each time and document the index of its source in documents by times, and the way back: for each
        document and time the index in times by documents.
    """
    position = torch.arange(longest, device=lengths.device).expand(len(lengths), -1)
    ends = lengths[:, None]
    source = torch.where(position < ends, ends - 1 - position, position)
    document = torch.arange(len(lengths), device=lengths.device)[:, None]
    return (document * longest + source).T, source * len(lengths) + document


class _Reorder(torch.autograd.Function):
    """Rows in another order, each once: the gradient goes the way back.

    PyTorch's own indexing would add the gradient up row by row, several times slower.
    """

    @staticmethod
    def forward(ctx: Any, values: Tensor, there: Tensor, back: Tensor) -> Tensor:
        ctx.save_for_backward(back)
        return _rows(values, there)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        (back,) = ctx.saved_tensors
        (gradient,) = gradients
        return _rows(gradient, back), None, None


def _rows(values: Tensor, order: Tensor) -> Tensor:
    return values.flatten(0, 1).index_select(0, order.flatten()).view(*order.shape, -1)


def _reorder(values: Tensor, there: Tensor, back: Tensor) -> Tensor:
    reordered: Tensor = _Reorder.apply(values, there, back)  # type: ignore[no-untyped-call]
    return reordered
