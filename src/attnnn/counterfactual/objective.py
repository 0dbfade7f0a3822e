"""The objective that the searched adversary minimises, with its gradient in closed form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnnn.readout.readout import Readout
from attnnn.study.settings import SearchedAdversary
from attnnn.tables.ragged import Ragged

CrossWeight = Literal["paper", "code"]
ClassHinge = Literal["tvd", "l1"]


@dataclass(frozen=True)
class Iterate:
    """The K attention vectors per document at one step.

    Attributes:
        log_attention: ln α.
        attention: α.
        total: α + α̂.
        log_total: ln(α + α̂).
        prediction: p^k; for two classes one number, the probability of class 1.
    """

    log_attention: Float[Tensor, "k batch token"]
    attention: Float[Tensor, "k batch token"]
    total: Float[Tensor, "k batch token"]
    log_total: Float[Tensor, "k batch token"]
    prediction: Float[Tensor, "k batch *outputs"]


@dataclass(frozen=True)
class Objective(ABC):
    """The objective of one batch.

    Attributes:
        attention: the model's weights α̂; 0 at padding.
        penalty: weight of the hinge.
        tolerance: the change of the prediction that the hinge does not penalise.
        cross: c, the weight of a pair of adversaries.
    """

    attention: Float[Tensor, "batch token"]
    penalty: float
    tolerance: float
    cross: float

    @abstractmethod
    def predict(
        self, attention: Float[Tensor, "k batch token"]
    ) -> Float[Tensor, "k batch *outputs"]:
        """Predictions under any attention."""

    @abstractmethod
    def change(self, point: Iterate) -> Float[Tensor, "k batch"]:
        """|Δp|; ½ Σ|Δp| for more than two classes."""

    @abstractmethod
    def add_hinge(self, slope: Float[Tensor, "k batch token"], point: Iterate) -> None:
        """Add the derivative of the penalty with respect to the attention."""

    def iterate(self, scores: Float[Tensor, "k batch token"]) -> Iterate:
        """The attention that scores stand for, and the prediction under it."""
        log_attention = scores.log_softmax(dim=-1)
        attention = log_attention.exp()
        # The sum is 0 at padding, where any finite logarithm will do.
        total = attention + self.attention
        log_total = total.clamp(min=torch.finfo(total.dtype).tiny).log()
        return Iterate(log_attention, attention, total, log_total, self.predict(attention))

    def divergence(self, point: Iterate) -> Float[Tensor, "k batch"]:
        """JSD(α^k, α̂) = ½ Σ [α ln α + α̂ ln α̂ − (α + α̂) ln(α + α̂)] + ln 2, in nats."""
        entropies = (point.attention * point.log_attention).sum(dim=-1)
        entropies = entropies + torch.xlogy(self.attention, self.attention).sum(dim=-1)
        entropies = entropies - (point.total * point.log_total).sum(dim=-1)
        return entropies / 2 + float(np.log(2))

    def gradient(self, point: Iterate) -> Float[Tensor, "k batch token"]:
        """Derivative of the objective with respect to the scores.

        ∂JSD(α, β)/∂α_t = ½ ln(2α_t/(α_t + β_t)); constants over the tokens vanish in the softmax.
        """
        k = len(point.attention)
        slope = point.log_attention * (-0.5 * (1 + self.cross * (k - 1)))
        slope.add_(point.log_total, alpha=0.5)
        for first in range(k - 1):
            pair = point.attention[first] + point.attention[first + 1 :]
            log_pair = pair.clamp_(min=torch.finfo(pair.dtype).tiny).log_()
            slope[first].add_(log_pair.sum(dim=0), alpha=0.5 * self.cross)
            slope[first + 1 :].add_(log_pair, alpha=0.5 * self.cross)
        self.add_hinge(slope, point)
        mean = (point.attention * slope).sum(dim=-1, keepdim=True)
        return slope.sub_(mean).mul_(point.attention)


@dataclass(frozen=True)
class TwoClasses(Objective):
    """The objective for two classes, where one logit decides.

    Attributes:
        contribution: w·h_t; 0 at padding.
        bias: the decoder's bias.
        probability: p.
    """

    contribution: Float[Tensor, "batch token"]
    bias: float
    probability: Float[Tensor, " batch"]

    def predict(self, attention: Float[Tensor, "k batch token"]) -> Float[Tensor, "k batch"]:
        """The probability of class 1."""
        return ((attention * self.contribution).sum(dim=-1) + self.bias).sigmoid()

    def change(self, point: Iterate) -> Float[Tensor, "k batch"]:
        """|Δp|."""
        return (point.prediction - self.probability).abs()

    def add_hinge(self, slope: Float[Tensor, "k batch token"], point: Iterate) -> None:
        """Add the derivative of penalty · max(0, |Δp| − tolerance)."""
        change = point.prediction - self.probability
        violated = change.sign() * (change.abs() > self.tolerance)
        steepness = self.penalty * violated * point.prediction * (1 - point.prediction)
        slope.addcmul_(steepness[..., None], self.contribution)


@dataclass(frozen=True)
class Multiclass(Objective):
    """The objective for more than two classes, from the arrays of `readout.Readout`.

    Attributes:
        projected: projected states of the n tokens; 0 at padding.
        bias: the bias of the logits.
        offset: what each question adds to the sum of projected states; None without questions.
        weight: the decoder's last layer; None without questions.
        allowed: the classes that may be the answer; None: all.
        probability: p, for every class.
        scale: the factor of Σ|Δp| in the hinge: ½, or 1 as in the released code.
    """

    projected: Float[Tensor, "batch token width"]
    bias: Float[Tensor, " outputs"]
    offset: Float[Tensor, "batch width"] | None
    weight: Float[Tensor, "outputs width"] | None
    allowed: Bool[Tensor, "batch outputs"] | None
    probability: Float[Tensor, "batch outputs"]
    scale: float

    def predict(
        self, attention: Float[Tensor, "k batch token"]
    ) -> Float[Tensor, "k batch outputs"]:
        """The probability of every class."""
        return self._decide(self._inner(attention))

    def change(self, point: Iterate) -> Float[Tensor, "k batch"]:
        """½ Σ|Δp|."""
        return (point.prediction - self.probability).abs().sum(dim=-1) / 2

    def add_hinge(self, slope: Float[Tensor, "k batch token"], point: Iterate) -> None:
        """Add the derivative of penalty · max(0, scale · Σ|Δp| − tolerance)."""
        p = point.prediction
        difference = p - self.probability
        violated = self.scale * difference.abs().sum(dim=-1) > self.tolerance
        sign = difference.sign() * (self.scale * self.penalty * violated)[..., None]
        # Back through the softmax, the last layer and its tanh to the sum of projected states.
        back = p * (sign - (p * sign).sum(dim=-1, keepdim=True))
        if self.weight is not None:
            inner = self._inner(point.attention)
            back = (back @ self.weight) * (1 - inner**2)
        slope.add_(torch.einsum("kbi,bti->kbt", back, self.projected))

    def _inner(self, attention: Float[Tensor, "k batch token"]) -> Float[Tensor, "k batch width"]:
        context = torch.einsum("kbt,bti->kbi", attention, self.projected)
        return context if self.offset is None else (context + self.offset).tanh()

    def _decide(self, inner: Float[Tensor, "k batch width"]) -> Float[Tensor, "k batch outputs"]:
        logits = (inner if self.weight is None else inner @ self.weight.T) + self.bias
        if self.allowed is not None:
            logits = logits.masked_fill(~self.allowed, -torch.inf)
        return logits.softmax(dim=-1)


def objective_of(
    own: Ragged,
    readout: Readout,
    settings: SearchedAdversary,
    *,
    cross_jsd_weight: CrossWeight,
    class_hinge: ClassHinge = "tvd",
    device: str = "cpu",
) -> Objective:
    """The objective for some documents, given the model's own attention."""
    k, probability = settings.adversaries, readout.probabilities(own)
    if readout.outputs == 1:
        probability = probability[:, 0]
    shared: dict[str, Any] = {
        "attention": _single(own.padded(), device),
        "penalty": settings.penalty,
        "tolerance": settings.hinge_tolerance,
        "cross": 2 / k**2 if cross_jsd_weight == "code" else 1 / max(k * (k - 1), 1),
        "probability": _single(probability, device),
    }
    if readout.outputs == 1:
        contribution = _single(readout.contribution.padded(), device)
        return TwoClasses(**shared, contribution=contribution, bias=float(readout.bias[0]))
    allowed, layer = readout.allowed, readout.layer
    return Multiclass(
        **shared,
        projected=_single(_padded(readout.projected), device),
        bias=_single(readout.bias, device),
        offset=None if layer is None else _single(layer.offset, device),
        weight=None if layer is None else _single(layer.weight, device),
        allowed=None if allowed is None else torch.from_numpy(allowed).to(device),
        scale=1.0 if class_hinge == "l1" else 0.5,
    )


def _single(values: Any, device: str) -> Tensor:
    return torch.from_numpy(np.asarray(values, dtype=np.float32)).to(device)


def _padded(projected: Ragged) -> Any:
    shape = (
        len(projected),
        int(projected.lengths.max(initial=0)),
        projected.values.shape[1],
    )
    padded = np.zeros(shape, dtype=np.float32)
    padded[projected.documents, projected.positions] = projected.values
    return padded
