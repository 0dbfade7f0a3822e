"""Torch's private functions, and what takes their place in a torch that lacks them."""

from __future__ import annotations

import pytest
import torch

from attnnn.models import kernels
from attnnn.models.optimizer import AmsGrad


def trained(*, decoupled: bool) -> list[torch.Tensor]:
    """Parameters and moments after some steps."""
    generator = torch.Generator().manual_seed(0)
    parameters = [
        torch.nn.Parameter(torch.randn(shape, generator=generator))
        for shape in ((41, 3), (5,), (2,))
    ]
    groups = [(parameters[:1], 0.1), (parameters[1:], 0.0)]
    optimizer = AmsGrad(groups, learning_rate=0.05, decoupled=decoupled)
    for step in range(6):
        for parameter in parameters:
            parameter.grad = None
        # The last one has a gradient in some steps only.
        loss = parameters[0].sin().sum() + (parameters[1] ** 2).sum() * (3 if step == 4 else 0.5)
        (loss + parameters[2].sum() if step % 2 else loss).backward()
        optimizer.step()
    moments = [t for group in optimizer.state() for tensors in group.values() for t in tensors]
    return [*(parameter.detach() for parameter in parameters), *moments]


@pytest.mark.parametrize("missing", ["_fused_adam_", "_fused_adamw_", "_foreach_add_"])
@pytest.mark.parametrize("decoupled", [False, True])
def test_the_public_way_makes_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, decoupled: bool, missing: str
) -> None:
    expected = trained(decoupled=decoupled)
    private, public = kernels._private, []
    monkeypatch.setattr(
        kernels, "_private", lambda name: None if name == missing else private(name)
    )
    plain = kernels._amsgrad_by_torch_optim
    monkeypatch.setattr(
        kernels,
        "_amsgrad_by_torch_optim",
        lambda *given, **options: public.append(1) or plain(*given, **options),
    )
    found = trained(decoupled=decoupled)
    assert bool(public) is (missing in ("_foreach_add_", f"_fused_adam{'w' * decoupled}_"))
    assert all(map(torch.equal, found, expected))


def test_a_function_that_torch_lacks_is_none() -> None:
    assert kernels._private("_no_such_function") is None
    assert kernels._private("_foreach_add_") is not None
