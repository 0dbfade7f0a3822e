"""The word vectors: a lookup table whose gradient is dense, as coupled L2 wants it, but cheap."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnnn.models.documents import PADDING


class WordVectors(nn.Embedding):
    """Trainable word vectors, the padding row staying zero.

    PyTorch's own table makes a dense gradient of zeros anew in every step, which costs as much as half an
    optimiser step. This one keeps it and clears only the rows that the last step touched; the sums are
    the same to the bit. `clear_gradient` takes the place of the optimiser's ``zero_grad``.
    """

    def __init__(self, vocabulary: int, dimension: int) -> None:
        super().__init__(vocabulary, dimension, padding_idx=PADDING)
        self._touched: list[Tensor] = []

    def forward(self, ids: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length dimension"]:
        """The vectors of a batch of ids."""
        if not (torch.is_grad_enabled() and self.weight.requires_grad):
            return super().forward(ids)
        vectors: Tensor = _Lookup.apply(self.weight, ids.flatten(), self._touched)  # type: ignore[no-untyped-call]
        return vectors.view(*ids.shape, -1)

    def touched_gradient(self) -> tuple[Int[Tensor, " rows"], Float[Tensor, "rows dimension"]]:
        """The rows that have a gradient since the last `clear_gradient`, each once, and a copy of it."""
        gradient = self.weight.grad
        if gradient is None or not self._touched:
            none = torch.zeros(0, dtype=torch.int64, device=self.weight.device)
            return none, self.weight.detach()[none]
        rows = torch.cat(self._touched).unique()  # type: ignore[no-untyped-call]
        return rows, gradient[rows]

    def put_gradient(
        self, rows: Int[Tensor, " rows"], gradient: Float[Tensor, "rows dimension"]
    ) -> None:
        """Set the gradient of some rows."""
        if self.weight.grad is not None:
            self.weight.grad.index_copy_(0, rows, gradient)

    def clear_gradient(self) -> None:
        """Set the gradient to zero."""
        if self.weight.grad is not None:
            for rows in self._touched:
                self.weight.grad.index_fill_(0, rows, 0)
        self._touched.clear()


class _Lookup(torch.autograd.Function):
    """Rows of a table; the gradient is added to the table's own buffer, row by row."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, rows: Tensor, touched: list[Tensor]) -> Tensor:
        ctx.save_for_backward(rows)
        ctx.weight, ctx.touched = weight, touched
        return weight.detach().index_select(0, rows)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, None, None]:
        (rows,), (gradient,) = ctx.saved_tensors, gradients
        if ctx.weight.grad is None:
            ctx.weight.grad = torch.zeros_like(ctx.weight)
            ctx.touched.clear()
        ctx.weight.grad.index_add_(0, rows, gradient)
        ctx.weight.grad[PADDING] = 0
        ctx.touched.append(rows)
        return None, None, None
