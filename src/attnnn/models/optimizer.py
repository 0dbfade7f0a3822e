"""Adam, with AMSGrad or without, by PyTorch's fused kernel where there is one.

`torch.optim.Adam` runs the same kernel, but importing what its constructor imports costs as much as
training a small model: more than a second of every job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import torch
from torch import Tensor

_BETA_1, _BETA_2, _EPSILON = 0.9, 0.999, 1e-8


class AmsGrad:
    """Adam-AMSGrad over groups of parameters, each with a weight decay of its own.

    Args:
        groups: parameters with their weight decay.
        learning_rate: of all of them.
        decoupled: decay the parameters themselves (AdamW) instead of adding it to their gradient.
        amsgrad: divide by the largest square so far; if not, it is plain Adam.

    Attributes:
        learning_rate: of the next step.

    Source: Reddi, Kale & Kumar 2018, Algorithm 2, with the bias correction of Kingma & Ba 2015.
    """

    def __init__(
        self,
        groups: Iterable[tuple[Iterable[Tensor], float]],
        *,
        learning_rate: float,
        decoupled: bool = False,
        amsgrad: bool = True,
    ) -> None:
        self._groups = [(list(parameters), decay) for parameters, decay in groups]
        self.learning_rate, self._amsgrad = learning_rate, amsgrad
        self._kernel = fused_kernel(decoupled=decoupled) or partial(
            public_kernel, decoupled=decoupled
        )
        self._moments = [
            {
                "mean": [torch.zeros_like(p) for p in parameters],
                "square": [torch.zeros_like(p) for p in parameters],
                "largest": [torch.zeros_like(p) for p in parameters] if amsgrad else [],
                "steps": [torch.zeros((), device=p.device) for p in parameters],
            }
            for parameters, _ in self._groups
        ]

    @torch.no_grad()
    def step(self) -> None:
        """Move every parameter that has a gradient."""
        for (parameters, decay), moments in zip(self._groups, self._moments, strict=True):
            rows = [row for row, p in enumerate(parameters) if p.grad is not None]
            if not rows:
                continue
            chosen = {
                name: [tensors[row] for row in rows] if tensors else []
                for name, tensors in moments.items()
            }
            for steps in chosen["steps"]:
                steps.add_(1)
            gradients = [p.grad for row in rows if (p := parameters[row]).grad is not None]
            moved = [parameters[row] for row in rows]
            self._kernel(
                moved,
                gradients,
                *chosen.values(),
                lr=self.learning_rate,
                beta1=_BETA_1,
                beta2=_BETA_2,
                weight_decay=decay,
                eps=_EPSILON,
                amsgrad=self._amsgrad,
                maximize=False,
            )

    def state(self) -> list[dict[str, list[Tensor]]]:
        """The moments, to go on from later."""
        return self._moments

    def restore(self, state: list[dict[str, list[Tensor]]]) -> None:
        """Go on from a `state`."""
        for moments, saved in zip(self._moments, state, strict=True):
            for name, tensors in moments.items():
                for tensor, value in zip(tensors, saved[name], strict=True):
                    tensor.copy_(value)


def fused_kernel(*, decoupled: bool) -> Callable[..., None] | None:
    """The kernel behind ``torch.optim.Adam(fused=True)``, or AdamW's; None in a torch without it.

    It is private, so this is the only door to it.
    """
    return getattr(torch, "_fused_adamw_" if decoupled else "_fused_adam_", None)


def public_kernel(
    *of_each: list[Tensor],
    lr: float,
    beta1: float,
    beta2: float,
    weight_decay: float,
    eps: float,
    decoupled: bool,
    amsgrad: bool,
    **_: bool,
) -> None:
    """One step in place, by public operations: slower than the fused kernel, equal but for rounding.

    `of_each` are parameters, gradients, means, squares, largest squares (none without AMSGrad) and steps;
    the others what the fused kernel takes. `decoupled` decays the parameters themselves instead of their
    gradients.
    """
    parameters, gradients, means, squares, largest, steps = of_each
    for row, (parameter, raw, mean, square, step) in enumerate(
        zip(parameters, gradients, means, squares, steps, strict=True)
    ):
        gradient = raw if decoupled else raw + weight_decay * parameter
        if decoupled:
            parameter.mul_(1 - lr * weight_decay)
        mean.lerp_(gradient, 1 - beta1)
        square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        divisor = torch.maximum(largest[row], square, out=largest[row]) if amsgrad else square
        count = float(step)
        scale = (divisor / (1 - beta2**count)).sqrt_().add_(eps)
        parameter.addcdiv_(mean, scale, value=-lr / (1 - beta1**count))
