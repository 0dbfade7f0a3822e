"""AMSGrad against PyTorch's unfused optimisers, and against itself where rows are held apart."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnnn.models.optimizer import AmsGrad
from attnnn.models.windows import held_with


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


@pytest.mark.parametrize("decoupled", [False, True])
def test_steps_are_those_of_pytorchs_plain_optimiser(decoupled: bool) -> None:
    ours, theirs = problem(), problem()
    optimizer = AmsGrad(
        [([ours[0]], 0.1), ([ours[1]], 0.0)], learning_rate=0.05, decoupled=decoupled
    )
    kind = torch.optim.AdamW if decoupled else torch.optim.Adam
    groups = [
        {"params": [theirs[0]], "weight_decay": 0.1},
        {"params": [theirs[1]], "weight_decay": 0.0},
    ]
    plain = kind(groups, lr=0.05, amsgrad=True, foreach=False, fused=False)
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


def table_and_weight(rows: int, width: int) -> list[torch.nn.Parameter]:
    generator = torch.Generator().manual_seed(rows * width)
    return [
        torch.nn.Parameter(torch.randn(shape, generator=generator) / 4)
        for shape in ((rows, width), (width,))
    ]


def look_up(table: torch.Tensor, weight: torch.Tensor, words: list[int], step: int) -> None:
    """Give a table and a weight the gradients of a loss that reads some words."""
    table.grad = weight.grad = None
    numbers = torch.tensor(words)
    ((table[numbers] @ weight).sin() * (3 if step == 1 else 0.5)).sum().backward()


def numbers_of(
    optimizer: AmsGrad, parameters: list[torch.nn.Parameter]
) -> list[tuple[str, torch.Tensor]]:
    moments = [(name, t) for group in optimizer.state() for name in group for t in group[name]]
    return [("parameter", parameter) for parameter in parameters] + moments


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_rows_held_apart_move_as_in_the_whole_table_to_the_bit(data: st.DataObject) -> None:
    rows = data.draw(st.integers(2, 90), label="rows")
    width = data.draw(st.integers(1, 19), label="width")
    decay = data.draw(st.sampled_from([0.0, 1e-5, 0.1]), label="decay")
    decoupled = data.draw(st.booleans(), label="decoupled")
    word = st.lists(st.integers(0, rows - 1), min_size=1, max_size=6)
    window = st.lists(word, max_size=5)
    epoch = data.draw(st.lists(window, min_size=1, max_size=4), label="windows of steps of words")
    whole, apart = table_and_weight(rows, width), table_and_weight(rows, width)
    dense, held = (
        AmsGrad([(parameters, decay)], learning_rate=0.05, decoupled=decoupled)
        for parameters in (whole, apart)
    )
    for window_ in epoch:
        for step, words in enumerate(window_):
            look_up(*whole, words, step)
            dense.step()
        touched = np.zeros(rows, dtype=np.bool_)
        touched[[word for words in window_ for word in words]] = True
        ids = held_with(touched)
        with held.held_apart(apart[0], torch.from_numpy(ids)) as table:
            for step, words in enumerate(window_):
                look_up(table, apart[1], np.searchsorted(ids, words).tolist(), step)
                held.step()
    for (name, one), (_, other) in zip(
        numbers_of(dense, whole), numbers_of(held, apart), strict=True
    ):
        assert torch.equal(one, other), name


@pytest.mark.parametrize("decoupled", [False, True])
@pytest.mark.parametrize("decay", [0.0, 1e-3])
def test_rows_held_apart_move_as_pytorchs_plain_optimiser_moves_them(
    decay: float, decoupled: bool
) -> None:
    # 45,000 numbers: more than are moved at a time.
    theirs, ours = table_and_weight(300, 150), table_and_weight(300, 150)
    kind = torch.optim.AdamW if decoupled else torch.optim.Adam
    plain = kind(theirs, lr=0.01, weight_decay=decay, amsgrad=True, foreach=False, fused=False)
    optimizer = AmsGrad([(ours, decay)], learning_rate=0.01, decoupled=decoupled)
    batches = [[5, 9, 9], [200, 5], [41, 77, 9]]
    for _ in range(4):
        for step, words in enumerate(batches):
            look_up(*theirs, words, step)
            plain.step()
        ids = [5, 9, 41, 77, 200]
        with optimizer.held_apart(ours[0], torch.tensor(ids)) as table:
            for step, words in enumerate(batches):
                look_up(table, ours[1], [ids.index(word) for word in words], step)
                optimizer.step()
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)


def test_a_failure_leaves_the_table_that_as_many_whole_steps_make() -> None:
    whole, apart = table_and_weight(40, 4), table_and_weight(40, 4)
    dense, held = (
        AmsGrad([(parameters, 0.1)], learning_rate=0.05) for parameters in (whole, apart)
    )
    for step in range(2):
        look_up(*whole, [3, 39], step)
        dense.step()
    ids = torch.tensor([3, 4, 5, 6, 7, 8, 9, 39])

    def interrupted() -> None:
        with held.held_apart(apart[0], ids) as table:
            for step in range(2):
                look_up(table, apart[1], [0, 7], step)
                held.step()
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    for (name, one), (_, other) in zip(
        numbers_of(dense, whole), numbers_of(held, apart), strict=True
    ):
        assert torch.equal(one, other), name
