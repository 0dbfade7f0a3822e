"""Clipping gradients; of word vectors only the rows that a step has touched are looked at."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from attnnn.models.embedding import WordVectors


def clip_norm(parameters: Sequence[Tensor], tables: Sequence[WordVectors], most: float) -> None:
    """Scale all gradients together so that their Euclidean norm is at most `most`.

    Args:
        parameters: other than word vectors.
        tables: of word vectors.
        most: the largest norm.

    Source: Pascanu, Mikolov & Bengio 2013, with the constant of `torch.nn.utils.clip_grad_norm_`.
    """
    gradients = [p.grad for p in parameters if p.grad is not None]
    touched = [table.touched_gradient() for table in tables]
    norms = [torch.linalg.vector_norm(g) for g in (*gradients, *(g for _, g in touched))]
    scale = (most / (torch.linalg.vector_norm(torch.stack(norms)) + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(scale)
    for table, (rows, gradient) in zip(tables, touched, strict=True):
        table.put_gradient(rows, gradient * scale)


def clip_value(parameters: Sequence[Tensor], tables: Sequence[WordVectors], most: float) -> None:
    """Bring every element of every gradient between −`most` and `most`.

    Args:
        parameters: other than word vectors.
        tables: of word vectors.
        most: the largest magnitude.
    """
    for parameter in parameters:
        if parameter.grad is not None:
            parameter.grad.clamp_(-most, most)
    for table in tables:
        rows, gradient = table.touched_gradient()
        table.put_gradient(rows, gradient.clamp(-most, most))
