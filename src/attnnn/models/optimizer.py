"""Adam with AMSGrad, by PyTorch's fused kernel.

`torch.optim.Adam` runs the same kernel, but importing what its constructor imports costs as much as
training a small model: more than a second of every job.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

_BETA_1, _BETA_2, _EPSILON = 0.9, 0.999, 1e-8

# Numbers that the kernel takes at once. A remainder at the end of a tensor it rounds otherwise.
LANES = 16

# Numbers of a table that a thread moves through many steps in its cache: with gradient and moments 640 KiB.
_IN_CACHE = 1 << 15

# The moments that have a parameter's shape.
_SHAPED = ("mean", "square", "largest")


class AmsGrad:
    """Adam-AMSGrad over groups of parameters, each with a weight decay of its own.

    Args:
        groups: parameters with their weight decay.
        learning_rate: of all of them.
        decoupled: decay the parameters themselves (AdamW) instead of adding it to their gradient.

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
        self._learning_rate = learning_rate
        self._kernel = torch._fused_adamw_ if decoupled else torch._fused_adam_
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
            chosen = {name: [tensors[row] for row in rows] for name, tensors in moments.items()}
            torch._foreach_add_(chosen["steps"], 1)
            gradients = [p.grad for row in rows if (p := parameters[row]).grad is not None]
            moved = [parameters[row] for row in rows]
            self._move(moved, gradients, *chosen.values(), decay=decay)

    def _move(self, *of_each: list[Tensor], decay: float) -> None:
        """Call the kernel with parameters, gradients and moments, as many of each."""
        self._kernel(
            *of_each,
            lr=self._learning_rate,
            beta1=_BETA_1,
            beta2=_BETA_2,
            weight_decay=decay,
            eps=_EPSILON,
            amsgrad=True,
            maximize=False,
        )

    @contextmanager
    def held_apart(
        self, table: Float[Tensor, "rows width"], rows: Int[Tensor, " held"]
    ) -> Iterator[nn.Parameter]:
        """Hold rows of a table apart, as a parameter of their own, while the others have no gradient.

        Steps inside move the held rows. The others make up for these steps in the end, all at once and
        few at a time, so that they are fetched from memory once and not in every step: without a gradient
        nothing but their own decay and momentum moves them. Until then the table must not be read. However
        it ends, the table is what as many whole steps would have made of it; to the last bit, if `rows`
        are ascending, the table's last `LANES` among them, and those not held a multiple of `LANES`.

        Args:
            table: one of the parameters.
            rows: numbers of the rows to hold, each once.
        """
        group, place = self._place_of(table)
        parameters, moments = self._groups[group][0], self._moments[group]
        steps = moments["steps"][place]
        before = steps.clone()
        whole = {name: moments[name][place] for name in _SHAPED}
        held = nn.Parameter(table.detach().index_select(0, rows))
        parameters[place] = held
        for name in _SHAPED:
            moments[name][place] = whole[name].index_select(0, rows)
        try:
            yield held
        finally:
            parameters[place] = table
            self._make_up(group, [table.detach(), *whole.values()], before, int(steps - before))
            table.detach().index_copy_(0, rows, held.detach())
            for name in _SHAPED:
                whole[name].index_copy_(0, rows, moments[name][place])
                moments[name][place] = whole[name]

    @torch.no_grad()
    def _make_up(self, group: int, tables: list[Tensor], before: Tensor, steps: int) -> None:
        """Steps without a gradient of a parameter and its moments, after those that were `before`."""
        size = _IN_CACHE * torch.get_num_threads()
        nothing = tables[0].new_zeros(size)
        numbers = [before + number for number in range(1, steps + 1)]
        parts = (torch.split(table.view(-1), size) for table in tables)
        for part, *moments in zip(*parts, strict=True):
            lists = [[part], [nothing[: len(part)]], *([moment] for moment in moments)]
            for number in numbers:
                self._move(*lists, [number], decay=self._groups[group][1])

    def _place_of(self, table: Tensor) -> tuple[int, int]:
        """The group and the place in it of a parameter."""
        return next(
            (group, place)
            for group, (parameters, _) in enumerate(self._groups)
            for place, parameter in enumerate(parameters)
            if parameter is table
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
