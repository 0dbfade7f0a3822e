"""What a model is trained for: the labels, or to imitate a base model and diverge from its attention."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from attnnn.models.batches import align, to_device
from attnnn.models.classifier import Classified
from attnnn.tables.ragged import Ragged


def class_weights(label: NDArray[np.int64], positive_weight: float) -> NDArray[np.float32]:
    """positive_weight for class 1 and 1 for class 0, one per document."""
    return np.where(label == 1, positive_weight, 1.0).astype(np.float32)


def positive_weight(label: NDArray[np.int64]) -> float:
    """n_negative / n_positive of the training split (Jain & Wallace's released code)."""
    positive = int(label.sum())
    return (len(label) - positive) / positive


@dataclass(frozen=True)
class Labels:
    """Class-weighted binary cross-entropy, one number per document.

    Attributes:
        label: gold class of each document.
        weight: class weight of each document.
    """

    label: NDArray[np.int64]
    weight: NDArray[np.float32]

    def losses(self, output: Classified, documents: NDArray[np.int64]) -> Float[Tensor, " batch"]:
        """Loss of each document of a batch, `documents` being their rows."""
        device = output.logit.device
        label = to_device(self.label[documents], device).to(output.logit.dtype)
        weight = to_device(self.weight[documents], device)
        return binary_cross_entropy_with_logits(output.logit, label, weight, reduction="none")

    def batch_weight(self, documents: NDArray[np.int64]) -> float:
        """Factor of the whole batch: 1."""
        return 1.0


@dataclass(frozen=True)
class Classes:
    """Cross-entropy over more than two classes, one number per document.

    Attributes:
        label: gold class of each document.
    """

    label: NDArray[np.int64]

    def losses(self, output: Classified, documents: NDArray[np.int64]) -> Float[Tensor, " batch"]:
        """Loss of each document of a batch, `documents` being their rows."""
        label = to_device(self.label[documents], output.logits.device)
        return cross_entropy(output.logits, label, reduction="none")

    def batch_weight(self, documents: NDArray[np.int64]) -> float:
        """Factor of the whole batch: 1."""
        return 1.0


@dataclass(frozen=True)
class Imitation:
    """Imitate a base model's probability, diverge from its attention (Wiegreffe & Pinter 2019, eq. 1).

    Loss of a document: s·|p_a − p_b| − λ·KL(α_a ‖ α_b), the KL being a sum over real tokens.

    Attributes:
        probability: p_b of each document.
        attention: α_b of each document.
        lambda_: λ.
        tvd_scale: s; 1 is the formula of the paper, ½ its released code.
        weight: class weight of each document; None: no batch weight.
    """

    probability: NDArray[np.float32]
    attention: Ragged
    lambda_: float
    tvd_scale: float
    weight: NDArray[np.float32] | None = None

    def losses(self, output: Classified, documents: NDArray[np.int64]) -> Float[Tensor, " batch"]:
        """Loss of each document of a batch, `documents` being their rows."""
        device = output.logit.device
        target = to_device(self.probability[documents], device)
        distance = self.tvd_scale * (torch.sigmoid(output.logit) - target).abs()
        base = align(self.attention.take(documents), device=device)
        # A base weight that underflowed to zero counts as the smallest normal number.
        log_base = base.clamp(min=torch.finfo(base.dtype).tiny).log()
        divergence = (output.attention * (_log_own(output) - log_base)).sum(dim=-1)
        return distance - self.lambda_ * divergence

    def batch_weight(self, documents: NDArray[np.int64]) -> float:
        """Factor of the whole batch: its summed class weights, or 1 (switch adv_batch_weight)."""
        return 1.0 if self.weight is None else float(self.weight[documents].sum())


@dataclass(frozen=True)
class Drawn:
    """Labels, and attention drawn to a given one: Σ loss of labels + γ · mean JSD over a batch.

    Attributes:
        labels: the loss of the labels.
        attention: what attention is drawn to, one weight a token.
        weight: γ.
        loss_reduction: of the labels' losses, ``sum`` or ``mean``; that of the JSD is always the mean.

    Source: Jain & Wallace 2019, released code (regularisation towards log-odds attention, γ = 5).
    """

    labels: Labels
    attention: Ragged
    weight: float
    loss_reduction: str

    def losses(self, output: Classified, documents: NDArray[np.int64]) -> Float[Tensor, " batch"]:
        """Loss of each document of a batch, `documents` being their rows."""
        given = align(self.attention.take(documents), device=output.logit.device)
        divergence = _jensen_shannon(output, given)
        share = len(documents) if self.loss_reduction == "sum" else 1
        return self.labels.losses(output, documents) + self.weight / share * divergence

    def batch_weight(self, documents: NDArray[np.int64]) -> float:
        """Factor of the whole batch: 1."""
        return 1.0


def _jensen_shannon(
    output: Classified, given: Float[Tensor, "batch length"]
) -> Float[Tensor, " batch"]:
    """JSD between a model's attention and a given one, nats; weights of zero count for nothing."""
    smallest = torch.finfo(given.dtype).tiny
    log_middle = (0.5 * (output.attention + given)).clamp(min=smallest).log()
    log_given = given.clamp(min=smallest).log()
    terms = output.attention * (_log_own(output) - log_middle) + given * (log_given - log_middle)
    return 0.5 * terms.sum(dim=-1)


def _log_own(output: Classified) -> Float[Tensor, "batch length"]:
    """A model's log attention, no smaller than the logarithm of the smallest normal number.

    Where no token is, it is so large a negative number that a heavy weight (λ times that of a batch) would
    make its gradient infinite, and 0 · ∞ is no number.
    """
    log_attention = output.log_attention
    return log_attention.clamp(min=math.log(torch.finfo(log_attention.dtype).tiny))


Objective = Labels | Classes | Imitation | Drawn
