"""The word vectors: a lookup table whose gradient is dense, as coupled L2 wants it, but cheap."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnnn.models.documents import PADDING
from attnnn.models.optimizer import AmsGrad


class WordVectors(nn.Embedding):
    """Trainable word vectors, the padding row staying zero.

    PyTorch's own table makes a dense gradient of zeros anew in every step, which costs as much as half an
    optimiser step. This one keeps it and clears only the rows that the last step touched; the sums are
    the same to the bit. `clear_gradient` takes the place of the optimiser's ``zero_grad``.
    """

    def __init__(self, vocabulary: int, dimension: int) -> None:
        super().__init__(vocabulary, dimension, padding_idx=PADDING)
        self._touched: list[Tensor] = []
        self._apart: tuple[nn.Parameter, Tensor] | None = None

    def forward(self, ids: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length dimension"]:
        """The vectors of a batch of ids."""
        if not (torch.is_grad_enabled() and self.weight.requires_grad):
            return super().forward(ids)
        table, rows = self.weight, ids.flatten()
        if self._apart is not None:
            table, place = self._apart
            rows = place.index_select(0, rows)
        vectors: Tensor = _Lookup.apply(table, rows, self._touched)  # type: ignore[no-untyped-call]
        return vectors.view(*ids.shape, -1)

    def clear_gradient(self) -> None:
        """Set the gradient to zero."""
        gradient = (self.weight if self._apart is None else self._apart[0]).grad
        if gradient is not None:
            for rows in self._touched:
                gradient.index_fill_(0, rows, 0)
        self._touched.clear()

    @contextmanager
    def held_apart(self, ids: Int[Tensor, " held"], optimizer: AmsGrad) -> Iterator[None]:
        """Look up and train some words alone; the table is whole again, and may be read, in the end.

        Args:
            ids: the words, ascending, the padding symbol among them. Another must not be looked up.
            optimizer: of the table (`AmsGrad.held_apart`).
        """
        self.clear_gradient()
        place = torch.full((self.num_embeddings,), -1, device=ids.device)
        place[ids] = torch.arange(len(ids), device=ids.device)
        with optimizer.held_apart(self.weight, ids) as vectors:
            self._apart = vectors, place
            try:
                yield
            finally:
                self._apart = None
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
