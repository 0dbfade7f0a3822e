"""AMSGrad against PyTorch's unfused optimisers, by its fused kernel and without."""

import pytest
import torch

from attnnn.models import optimizer as module
from attnnn.models.optimizer import AmsGrad


def problem() -> tuple[torch.nn.Parameter, torch.nn.Parameter]:
    generator = torch.Generator().manual_seed(0)
    return tuple(  # type: ignore[return-value]
        torch.nn.Parameter(torch.randn(shape, generator=generator)) for shape in ((4, 3), (5,))
    )


def descend(parameters, step, *, numbers=range(30)) -> None:
    for number in numbers:
        for parameter in parameters:
            parameter.grad = None
        first, second = parameters
        # A slope that changes its size, so that the largest square is not the last.
        loss = (first.sin().sum() + (second**2).sum()) * (3 if number == 4 else 0.5)
        loss.backward()
        step()


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("decoupled", [False, True])
@pytest.mark.parametrize("amsgrad", [False, True])
def test_steps_are_those_of_pytorchs_plain_optimiser(
    amsgrad: bool, decoupled: bool, fused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not fused:
        monkeypatch.setattr(module, "fused_kernel", lambda *, decoupled: None)
    ours, theirs = problem(), problem()
    optimizer = AmsGrad(
        [([ours[0]], 0.1), ([ours[1]], 0.0)],
        learning_rate=0.05,
        decoupled=decoupled,
        amsgrad=amsgrad,
    )
    kind = torch.optim.AdamW if decoupled else torch.optim.Adam
    groups = [
        {"params": [theirs[0]], "weight_decay": 0.1},
        {"params": [theirs[1]], "weight_decay": 0.0},
    ]
    plain = kind(groups, lr=0.05, amsgrad=amsgrad, foreach=False, fused=False)
    descend(ours, optimizer.step)
    descend(theirs, plain.step)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)


def test_a_parameter_without_a_gradient_stays() -> None:
    moving, still = problem()
    before = still.detach().clone()
    optimizer = AmsGrad([([moving, still], 0.1)], learning_rate=0.05)
    moving.sum().backward()
    optimizer.step()
    assert torch.equal(still, before)


def test_going_on_from_a_state_changes_nothing() -> None:
    whole, parts = problem(), problem()
    descend(whole, AmsGrad([(whole, 0.1)], learning_rate=0.05).step, numbers=range(20))
    first = AmsGrad([(parts, 0.1)], learning_rate=0.05)
    descend(parts, first.step, numbers=range(10))
    second = AmsGrad([(parts, 0.1)], learning_rate=0.05)
    second.restore(first.state())
    descend(parts, second.step, numbers=range(10, 20))
    for one, other in zip(whole, parts, strict=True):
        assert torch.equal(one, other)
