"""Encoders: what makes a state h_t of every token (Jain & Wallace 2019, section 3)."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class BiLSTM(nn.Module):
    """One-layer bidirectional LSTM; a state is both directions' outputs side by side.

    The backward direction reads each document reversed within its own length, so that neither
    direction sees padding and nothing needs to be packed.

    Attributes:
        width: size of a state, twice the hidden size.
    """

    def __init__(self, dimension: int, hidden_size: int) -> None:
        super().__init__()
        self.width = 2 * hidden_size
        self.left_to_right = nn.LSTM(dimension, hidden_size, batch_first=True)
        self.right_to_left = nn.LSTM(dimension, hidden_size, batch_first=True)

    def forward(
        self,
        embedded: Float[Tensor, "batch length dimension"],
        lengths: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch length width"]:
        """States of all positions, start and end symbols included; arbitrary at padding."""
        order = _reversed_order(lengths, embedded.shape[1])
        left, _ = self.left_to_right(embedded)
        right, _ = self.right_to_left(_reorder(embedded, order))
        return torch.cat([left, _reorder(right, order)], dim=-1)


class Average(nn.Module):
    """A token-level affine layer with tanh: no token sees another.

    Jain & Wallace's "average" encoder (their slides say ReLU, their code tanh), which is Wiegreffe &
    Pinter's MLP.

    Attributes:
        width: size of a state, the hidden size.
    """

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


ENCODERS: dict[str, type[BiLSTM | Average]] = {"bilstm": BiLSTM, "average": Average}


def _reversed_order(lengths: Int[Tensor, " batch"], longest: int) -> Int[Tensor, " flat"]:
    """Flat indices that reverse each row within its own length and leave padding in place."""
    position = torch.arange(longest, device=lengths.device).expand(len(lengths), -1)
    ends = lengths[:, None]
    source = torch.where(position < ends, ends - 1 - position, position)
    starts = torch.arange(len(lengths), device=lengths.device)[:, None] * longest
    return (starts + source).flatten()


class _Reorder(torch.autograd.Function):
    """Rows in an order that is its own inverse: the gradient is reordered the same way.

    PyTorch's own indexing would add the gradient up row by row, several times slower.
    """

    @staticmethod
    def forward(ctx: Any, values: Tensor, order: Tensor) -> Tensor:
        ctx.save_for_backward(order)
        return values.flatten(0, 1).index_select(0, order).view_as(values)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (order,) = ctx.saved_tensors
        (gradient,) = gradients
        return gradient.flatten(0, 1).index_select(0, order).view_as(gradient), None


def _reorder(values: Tensor, order: Tensor) -> Tensor:
    reordered: Tensor = _Reorder.apply(values, order)  # type: ignore[no-untyped-call]
    return reordered
