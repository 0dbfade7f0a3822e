"""Erasure of attention weights on full states, one weight after the other."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from benchmarks.plain.counterfactual import Encoded
from benchmarks.plain.model import PlainModel, real


def gradient(model: PlainModel, batch: Encoded) -> Tensor:
    """∂ max p / ∂α by autograd through the decoder, shape (batch, length).

    Source: Serrano & Smith 2019, section 5.1.
    """
    attention = batch.attention.clone().requires_grad_()
    probability = torch.sigmoid(model.decode(batch.states, attention))
    torch.maximum(probability, 1 - probability).sum().backward()  # type: ignore[no-untyped-call]
    assert attention.grad is not None
    return attention.grad


def scores(model: PlainModel, batch: Encoded) -> dict[str, Tensor]:
    """What the model itself says of its tokens, each of shape (batch, length), the highest erased first.

    Source: Serrano & Smith 2019, section 5; contribution: the signed part of each token in the logit.
    """
    slope = gradient(model, batch)
    with torch.no_grad():
        logit_alone = batch.states @ model.decoder.weight[0]
        decided = torch.where(batch.probability > 0.5, 1.0, -1.0)[:, None]
        return {
            "attention": batch.attention,
            "ascending_attention": -batch.attention,
            "gradient": slope,
            "attention_gradient": slope * batch.attention,
            "contribution": decided * batch.attention * logit_alone,
        }


@torch.no_grad()
def first_flips(model: PlainModel, batch: Encoded, score: Tensor) -> NDArray[np.int64]:
    """Erase weights by descending score, renormalise and decode again, until every decision has changed.

    Args:
        model: the model.
        batch: what is held fixed.
        score: shape (batch, length).

    Returns:
        Weights erased when the decision changed, shape (batch,); -1 where it did not before the last.

    Source: Serrano & Smith 2019, section 5.
    """
    tokens = real(batch.lengths, batch.states.shape[1])
    order = score.masked_fill(~tokens, -torch.inf).argsort(dim=1, descending=True, stable=True)
    left, own = batch.attention.clone(), batch.probability > 0.5
    count = torch.full_like(batch.lengths, -1)
    most = batch.lengths - 3  # start, end, and one token that stays
    for erased in range(1, int(most.max()) + 1):
        left.scatter_(1, order[:, erased - 1 : erased], 0.0)
        weights = left / left.sum(dim=1, keepdim=True).clamp(min=torch.finfo(left.dtype).tiny)
        changed = (torch.sigmoid(model.decode(batch.states, weights)) > 0.5) != own
        count[(count < 0) & changed & (erased <= most)] = erased
        if ((count > 0) | (erased >= most)).all():
            break
    return count.cpu().numpy()
