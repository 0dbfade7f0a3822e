"""Counterfactual attention for more than two classes, with and without questions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from attnnn.counterfactual.multiclass.permuted_classes import multiclass_changes
from attnnn.counterfactual.objective import objective_of
from attnnn.counterfactual.outcome import Outcome
from attnnn.counterfactual.searched import search_adversaries, starting_scores
from attnnn.readout.readout import Readout
from attnnn.study.settings import SearchedAdversary
from attnnn.tables.ragged import Ragged
from tests.support import multiclass

LENGTHS = [5, 1, 9, 3, 12]
NUMBERS = np.array([40, 7, 12, 9, 3])
PIECE, OUTPUTS = 6, 4


@pytest.fixture
def attention() -> Ragged:
    rng = np.random.default_rng(0)
    return Ragged.from_lists([rng.dirichlet(np.ones(n)) for n in LENGTHS], np.float32)


@pytest.fixture(params=["linear", "pairs", "pairs of candidates"])
def decoder(request: pytest.FixtureRequest, attention: Ragged) -> Readout:
    rng = np.random.default_rng(1)
    if request.param == "linear":
        pieces = attention.with_values(rng.normal(0, 2, (sum(LENGTHS), OUTPUTS)))
        return multiclass(pieces, rng.normal(size=OUTPUTS))
    allowed = rng.random((len(LENGTHS), OUTPUTS)) < 0.5
    allowed[:, :2] = True
    return multiclass(
        attention.with_values(rng.normal(0, 2, (sum(LENGTHS), PIECE))),
        rng.normal(size=OUTPUTS),
        offset=rng.normal(size=(len(LENGTHS), PIECE)),
        weight=rng.normal(0, 2, (OUTPUTS, PIECE)),
        allowed=allowed if request.param == "pairs of candidates" else None,
    )


def plain(decoder: Readout, row: int, weights: torch.Tensor) -> torch.Tensor:
    """Probabilities of one document under rows of attention, in torch and term by term."""
    context = weights.double() @ torch.from_numpy(np.asarray(decoder.projected[row]))
    if decoder.layer is None:
        logits = context
    else:
        inner = torch.tanh(context + torch.from_numpy(decoder.layer.offset[row]))
        logits = inner @ torch.from_numpy(decoder.layer.weight).T
    logits = logits + torch.from_numpy(decoder.bias)
    if decoder.allowed is not None:
        logits[..., ~torch.from_numpy(decoder.allowed[row])] = -torch.inf
    return logits.softmax(-1)


def test_probabilities_and_changes_by_hand(attention: Ragged, decoder: Readout) -> None:
    other = attention.with_values(np.concatenate([np.full(n, 1 / n) for n in LENGTHS]))
    outcome = Outcome.of(other, attention, decoder)
    for row in range(len(LENGTHS)):
        own = plain(decoder, row, torch.from_numpy(np.asarray(attention[row])))
        under = plain(decoder, row, torch.from_numpy(np.asarray(other[row])))
        np.testing.assert_allclose(decoder.probabilities(attention)[row], own, atol=1e-12)
        assert outcome.probability[row] == pytest.approx(under[own.argmax()].item(), abs=1e-12)
        assert outcome.change[row] == pytest.approx((own - under).abs().sum().item() / 2, abs=1e-12)
    if decoder.allowed is not None:
        assert not decoder.probabilities(attention)[~decoder.allowed].any()


def test_permutations_of_one_and_two_tokens(decoder: Readout) -> None:
    # One token has one permutation; two have two, and the other one comes up about half the time.
    here = decoder.take(np.array([1, 3]))
    two = Ragged.from_lists([[1.0], [0.9, 0.1]])
    pieces = Ragged.from_lists([here.projected[0], here.projected[1][:2]])
    here = replace(here, projected=pieces)
    changes = multiclass_changes(two, here, permutations=400, generator=np.random.default_rng(2))
    assert not changes[0].any()
    both = [plain(here, 1, torch.tensor(weights)) for weights in ([0.9, 0.1], [0.1, 0.9])]
    moved = (both[0] - both[1]).abs().sum().item() / 2
    assert set(np.round(changes[1], 6)) == {0.0, round(moved, 6)}
    assert 0.4 < (changes[1] > 0).mean() < 0.6


def test_permutations_have_the_mean_of_all_of_them(attention: Ragged, decoder: Readout) -> None:
    from itertools import permutations

    row = np.array([3])
    found = multiclass_changes(
        attention.take(row),
        decoder.take(row),
        permutations=4000,
        generator=np.random.default_rng(3),
    )
    orders = torch.tensor([list(order) for order in permutations(attention[3])])
    every = plain(decoder, 3, orders)
    expected = (every - plain(decoder, 3, torch.from_numpy(np.asarray(attention[3])))).abs().sum(
        -1
    ) / 2
    assert found.mean() == pytest.approx(
        expected.mean().item(), abs=4 * expected.std().item() / 4000**0.5
    )


@pytest.mark.parametrize("hinge", ["tvd", "l1"])
def test_gradient_equals_autograd(attention: Ragged, decoder: Readout, hinge: str) -> None:
    settings = SearchedAdversary(adversaries=3)
    objective = objective_of(
        attention, decoder, settings, cross_jsd_weight="paper", class_hinge=hinge
    )
    scores = starting_scores(NUMBERS, attention.lengths, 3, 0)
    found = objective.gradient(objective.iterate(scores))
    scale = 1.0 if hinge == "l1" else 0.5
    for row, n in enumerate(LENGTHS):
        free = scores[:, row, :n].double().requires_grad_()
        alpha = free.softmax(-1)
        own = torch.from_numpy(np.asarray(attention[row])).double()
        mid = (alpha + own) / 2
        jsd = 0.5 * (alpha * (alpha / mid).log() + own * (own / mid).log()).sum(-1)
        cross = sum(
            (0.5 * (a * (2 * a / (a + b)).log() + b * (2 * b / (a + b)).log())).sum()
            for i, a in enumerate(alpha)
            for b in alpha[:i]
        )
        moved = scale * (plain(decoder, row, alpha) - plain(decoder, row, own)).abs().sum(-1)
        hinged = (moved - settings.hinge_tolerance).clamp(min=0)
        ((-jsd + settings.penalty * hinged).sum() - cross / 6).backward()
        np.testing.assert_allclose(found[:, row, :n], free.grad, rtol=2e-3, atol=2e-4)


def test_the_best_feasible_attention_is_feasible(attention: Ragged, decoder: Readout) -> None:
    found = search_adversaries(
        NUMBERS, attention, decoder, SearchedAdversary(steps=120), cross_jsd_weight="paper",
        epsilons=[0.05], seed=5,
    )  # fmt: skip
    outcome = Outcome.of(found.best[0.05], attention, decoder)
    assert (outcome.change[found.feasible[0.05]] <= 0.05).all()
    last = [Outcome.of(candidate, attention, decoder) for candidate in found.last]
    for candidate in last:
        better = (candidate.change <= 0.05 - 1e-5) & (candidate.jsd > outcome.jsd + 1e-5)
        assert not better.any()
    assert outcome.jsd.max() > 0.1
