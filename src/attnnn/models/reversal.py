"""Sequences reversed within their own lengths, so that nothing needs to be packed."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor


def reversed_orders(
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


def reordered(
    values: Float[Tensor, "rows columns width"],
    there: Int[Tensor, "columns rows"],
    back: Int[Tensor, "rows columns"],
) -> Float[Tensor, "columns rows width"]:
    """Values in the order `there`, whose way back is `back`, or the other way round (`reversed_orders`)."""
    found: Tensor = _Reorder.apply(values, there, back)  # type: ignore[no-untyped-call]
    return found
