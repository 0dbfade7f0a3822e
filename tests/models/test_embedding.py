"""The word vectors' gradient against PyTorch's own table."""

import pytest
import torch
from torch import nn

from attnnn.models.embedding import WordVectors
from attnnn.models.optimizer import AmsGrad


def tables() -> tuple[WordVectors, nn.Embedding]:
    torch.manual_seed(0)
    ours, theirs = WordVectors(9, 3), nn.Embedding(9, 3, padding_idx=0)
    theirs.weight.data.copy_(ours.weight)
    return ours, theirs


def test_gradients_of_several_steps_are_those_of_pytorchs_table() -> None:
    ours, theirs = tables()
    for seed in range(4):
        ids = torch.randint(0, 9, (2, 5), generator=torch.Generator().manual_seed(seed))
        weights = torch.randn(2, 5, 3)
        # PyTorch's own way of clearing works too, and goes back and forth with ours.
        ours.zero_grad() if seed == 2 else ours.clear_gradient()
        theirs.zero_grad()
        for table in (ours, theirs):
            vectors = table(ids)
            (weights * vectors.square()).sum().backward()
        assert torch.equal(ours.weight.grad, theirs.weight.grad)


def test_gradients_add_up_until_cleared() -> None:
    ours, theirs = tables()
    for table in (ours, theirs):
        for ids in (torch.tensor([[3, 4]]), torch.tensor([[4, 0]])):
            table(ids).sum().backward()
    assert torch.equal(ours.weight.grad, theirs.weight.grad)
    ours.clear_gradient()
    assert not ours.weight.grad.any()


def test_the_padding_row_has_no_gradient() -> None:
    ours, _ = tables()
    ours(torch.tensor([[0, 1]])).sum().backward()
    assert not ours.weight.grad[0].any()
    assert ours.weight.grad[1].all()


def test_a_frozen_table_only_looks_up() -> None:
    ours, theirs = tables()
    ours.weight.requires_grad_(False)
    ids = torch.tensor([[1, 2]])
    assert torch.equal(ours(ids), theirs(ids))
    assert ours.weight.grad is None


def test_words_held_apart_are_looked_up_and_trained_under_their_own_ids() -> None:
    whole, apart = WordVectors(9, 3), WordVectors(9, 3)
    apart.load_state_dict(whole.state_dict())
    ids = torch.tensor([0, 2, 5, 8])
    optimizers = [AmsGrad([([table.weight], 0.0)], learning_rate=0.1) for table in (whole, apart)]

    def step(table: WordVectors, optimizer: AmsGrad, words: list[list[int]]) -> torch.Tensor:
        table.clear_gradient()
        vectors = table(torch.tensor(words))
        vectors.square().sum().backward()
        optimizer.step()
        return vectors.detach()

    for words in ([[2, 5]], [[8, 2], [2, 0]]):
        step(whole, optimizers[0], words)
    with apart.held_apart(ids, optimizers[1]):
        for words in ([[2, 5]], [[8, 2], [2, 0]]):
            step(apart, optimizers[1], words)
    # Nothing is left of the window's gradients in the step after it.
    for table, optimizer in zip((whole, apart), optimizers, strict=True):
        step(table, optimizer, [[3, 2]])
    torch.testing.assert_close(apart.weight, whole.weight, rtol=0, atol=1e-7)
    assert not apart.weight[0].any()


def test_a_word_that_is_not_held_cannot_be_looked_up() -> None:
    table = WordVectors(9, 3)
    optimizer = AmsGrad([([table.weight], 0.0)], learning_rate=0.1)
    with table.held_apart(torch.tensor([0, 2]), optimizer), pytest.raises(IndexError):
        table(torch.tensor([[2, 3]]))
    assert table(torch.tensor([[2, 3]])).shape == (1, 2, 3)
