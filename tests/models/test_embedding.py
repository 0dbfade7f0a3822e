"""The word vectors' gradient against PyTorch's own table."""

import torch
from torch import nn

from attnnn.models.embedding import WordVectors


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
