"""Adam with AMSGrad, by PyTorch's fused kernel."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from attnnn.models.kernels import AmsGradStep, amsgrad


class AmsGrad:
    """Adam-AMSGrad over groups of parameters, each with its own weight decay.

    Args:
        groups: parameters with their weight decay.
        learning_rate: of all of them.
        decoupled: decay the parameters themselves (AdamW) instead of adding the decay to their gradient.

    Source: Reddi, Kale & Kumar 2018, Algorithm 2, with the bias correction of Kingma & Ba 2015.
    """

    def __init__(
        self,
        groups: Iterable[tuple[Iterable[Tensor], float]],
        *,
        learning_rate: float,
        decoupled: bool = False,
    ) -> None:
        self._groups = [(list(parameters), decay) for parameters, decay in groups]
        self._step = AmsGradStep(learning_rate, 0.9, 0.999, 1e-8, decoupled)
        self._moments = [
            {
                "mean": [torch.zeros_like(p) for p in parameters],
                "square": [torch.zeros_like(p) for p in parameters],
                "largest": [torch.zeros_like(p) for p in parameters],
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
            gradients = [p.grad for p in parameters if p.grad is not None]
            chosen = [[tensors[row] for row in rows] for tensors in moments.values()]
            moved = [parameters[row] for row in rows]
            amsgrad(moved, gradients, *chosen, step=self._step, weight_decay=decay)

    def state(self) -> list[dict[str, list[Tensor]]]:
        """The moments, to go on from later."""
        return self._moments

    def restore(self, state: list[dict[str, list[Tensor]]]) -> None:
        """Go on from a `state`."""
        for moments, saved in zip(self._moments, state, strict=True):
            for name, tensors in moments.items():
                for tensor, value in zip(tensors, saved[name], strict=True):
                    tensor.copy_(value)
