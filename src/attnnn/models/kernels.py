"""The one door to torch's private functions, each with a public way for a torch that lacks it.

`torch.optim.Adam` runs the fused kernel too, but importing what its constructor imports costs as much as
training a small model: more than a second of every job.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class AmsGradStep:
    """Constants of a step of Adam-AMSGrad.

    Attributes:
        learning_rate: of the step.
        beta1: decay of the running mean of gradients.
        beta2: decay of the running mean of squared gradients.
        epsilon: added to the root of these.
        decoupled: decay the parameters themselves (AdamW) instead of adding the decay to their gradient.
    """

    learning_rate: float
    beta1: float
    beta2: float
    epsilon: float
    decoupled: bool


def amsgrad(*tensors: list[Tensor], step: AmsGradStep, weight_decay: float) -> None:
    """Take one step of Adam-AMSGrad in place: move parameters and moments, and count the step.

    Args:
        tensors: parameters, and in the same order their gradients, running means of gradients, running
            means of squared gradients, the largest of these so far, and numbers of steps so far (float
            tensors without axes).
        step: constants.
        weight_decay: L2.
    """
    options: dict[str, Any] = {
        "lr": step.learning_rate,
        "beta1": step.beta1,
        "beta2": step.beta2,
        "weight_decay": weight_decay,
        "eps": step.epsilon,
        "amsgrad": True,
        "maximize": False,
    }
    fused = _private("_fused_adamw_" if step.decoupled else "_fused_adam_")
    add = _private("_foreach_add_")
    if fused is None or add is None:
        _amsgrad_by_torch_optim(tensors, options, decoupled=step.decoupled)
        return
    add(tensors[-1], 1)
    fused(*tensors, **options)


def _amsgrad_by_torch_optim(
    tensors: tuple[list[Tensor], ...], options: dict[str, Any], *, decoupled: bool
) -> None:
    from torch.optim import adam, adamw

    parameters, gradients, means, squares, largest, steps = tensors
    (adamw.adamw if decoupled else adam.adam)(
        parameters,
        gradients,
        means,
        squares,
        largest,
        steps,
        foreach=False,
        fused=True,
        **options,
    )


def _private(name: str) -> Callable[..., None] | None:
    """A private function of torch; None where this torch has none of that name."""
    return getattr(torch, name, None)
