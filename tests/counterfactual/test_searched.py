"""The searched adversary against a plain autograd search of each document by itself."""

import numpy as np
import pytest
import torch

from attnnn.counterfactual.objective import objective_of
from attnnn.counterfactual.outcome import Outcome, best_of
from attnnn.counterfactual.searched import search_adversaries, starting_scores
from attnnn.measures import jensen_shannon_divergence
from attnnn.study.settings import SearchedAdversary
from attnnn.tables.ragged import Ragged
from tests.support import binary

LENGTHS = [5, 1, 9, 3, 12]
NUMBERS = np.array([40, 7, 12, 9, 3])


@pytest.fixture
def attention():
    rng = np.random.default_rng(0)
    return Ragged.from_lists([rng.dirichlet(np.ones(n)) for n in LENGTHS], np.float32)


@pytest.fixture
def decoder(attention):
    values = np.random.default_rng(1).normal(0, 2, sum(LENGTHS)).astype(np.float32)
    return binary(attention.with_values(values), 0.2)


def jsd(a, b):
    mid = (a + b) / 2
    return 0.5 * (a * (a / mid).log() + b * (b / mid).log()).sum(-1)


def loss(alpha, own, pieces, bias, settings, cross):
    """Jain & Wallace's objective of one document, term by term; alpha has shape (K, n)."""
    p, p_own = (torch.sigmoid(weights @ pieces + bias) for weights in (alpha, own))
    hinge = ((p - p_own).abs() - settings.hinge_tolerance).clamp(min=0)
    k = len(alpha)
    pairs = [jsd(alpha[i], alpha[j]) for i in range(k) for j in range(i)]
    weight = 2 / k**2 if cross == "code" else 1 / (k * (k - 1))
    return (-jsd(alpha, own) + settings.penalty * hinge).sum() - weight * sum(pairs)


@pytest.mark.parametrize("cross", ["paper", "code"])
def test_equals_a_plain_search_of_each_document(attention, decoder, cross):
    settings = SearchedAdversary(steps=25, adversaries=3)
    found = search_adversaries(
        NUMBERS, attention, decoder, settings, cross_jsd_weight=cross, epsilons=[], seed=5
    )
    for row, n in enumerate(LENGTHS):
        start = starting_scores(NUMBERS[[row]], np.array([n]), 3, 5)[:, 0].double()
        scores = torch.nn.Parameter(start)
        optimizer = torch.optim.Adam([scores], lr=0.01, amsgrad=True)
        own, pieces = (torch.from_numpy(v[row]).double() for v in (attention, decoder.contribution))
        for _ in range(settings.steps):
            optimizer.zero_grad()
            loss(
                scores.softmax(-1), own, pieces, float(decoder.bias[0]), settings, cross
            ).backward()
            optimizer.step()
        expected = scores.softmax(-1).detach().numpy()
        np.testing.assert_allclose([last[row] for last in found.last], expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize("adversaries", [1, 2, 5])
@pytest.mark.parametrize("cross", ["paper", "code"])
def test_gradient_equals_autograd(attention, decoder, cross, adversaries):
    settings = SearchedAdversary(adversaries=adversaries)
    objective = objective_of(attention, decoder, settings, cross_jsd_weight=cross)
    scores = starting_scores(NUMBERS, attention.lengths, adversaries, 0)
    found = objective.gradient(objective.iterate(scores))
    for row, n in enumerate(LENGTHS):
        free = scores[:, row, :n].double().requires_grad_()
        own, pieces = (torch.from_numpy(v[row]).double() for v in (attention, decoder.contribution))
        if adversaries == 1:
            cross = "code"  # there is no pair to weigh
        loss(free.softmax(-1), own, pieces, float(decoder.bias[0]), settings, cross).backward()
        np.testing.assert_allclose(found[:, row, :n], free.grad, rtol=1e-3, atol=1e-4)
        assert (found[:, row, n:] == 0).all()


def test_divergence_equals_the_measure(attention, decoder):
    objective = objective_of(attention, decoder, SearchedAdversary(), cross_jsd_weight="paper")
    point = objective.iterate(starting_scores(NUMBERS, attention.lengths, 5, 0))
    for k, found in enumerate(objective.divergence(point)):
        rows = [point.attention[k, row, :n].numpy() for row, n in enumerate(LENGTHS)]
        expected = jensen_shannon_divergence(Ragged.from_lists(rows), attention)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_a_start_depends_on_seed_and_document_alone():
    together = starting_scores(NUMBERS, np.array(LENGTHS), 2, seed=1)
    for row, n in enumerate(LENGTHS):
        alone = starting_scores(NUMBERS[[row]], np.array([n]), 2, seed=1)
        np.testing.assert_array_equal(together[:, row, :n], alone[:, 0])
    assert not np.array_equal(together, starting_scores(NUMBERS, np.array(LENGTHS), 2, seed=2))


def test_starts_are_normal_around_the_log_of_the_length():
    scores = starting_scores(np.arange(400), np.full(400, 50), 2, seed=0).numpy()
    assert scores.mean() == pytest.approx(-np.log(52), abs=0.1)
    assert scores.std() == pytest.approx(3, abs=0.1)
    # The K starts of a document differ.
    assert np.abs(scores[0] - scores[1]).max() > 1


def test_batches_do_not_matter(attention, decoder):
    def last(max_tokens):
        found = search_adversaries(
            NUMBERS,
            attention,
            decoder,
            SearchedAdversary(steps=20),
            cross_jsd_weight="paper",
            epsilons=[0.05],
            seed=3,
            max_tokens=max_tokens,
        )
        return [*found.last, found.best[0.05]]

    for whole, single in zip(last(10_000), last(1), strict=True):
        np.testing.assert_allclose(whole.values, single.values, rtol=0, atol=1e-5)


def test_best_feasible_is_feasible_and_no_worse_than_the_last(attention, decoder):
    own = Outcome.of(attention, attention, decoder)
    found = search_adversaries(
        NUMBERS,
        attention,
        decoder,
        SearchedAdversary(steps=120),
        cross_jsd_weight="paper",
        epsilons=[0.01, 0.2],
        seed=3,
    )
    candidates = [Outcome.of(last, attention, decoder) for last in found.last]
    for epsilon in (0.01, 0.2):
        best = Outcome.of(found.best[epsilon], attention, decoder)
        assert (best.change <= epsilon).all()
        assert (best.jsd[~found.feasible[epsilon]] == 0).all()
        last, _ = best_of(candidates, own, epsilon - 2e-6)
        assert (best.jsd >= last.jsd - 1e-6).all()
    strict, loose = (Outcome.of(found.best[e], attention, decoder).jsd for e in (0.01, 0.2))
    assert (loose >= strict - 1e-6).all()
    assert found.feasible[0.2].sum() > 1


def test_adversaries_attend_to_real_tokens_and_sum_to_one(attention, decoder):
    found = search_adversaries(
        NUMBERS,
        attention,
        decoder,
        SearchedAdversary(steps=5),
        cross_jsd_weight="paper",
        epsilons=[0.05],
        seed=3,
    )
    for weights in [*found.last, found.best[0.05]]:
        np.testing.assert_allclose(weights.sums(), 1, atol=1e-6)
        assert (weights.values >= 0).all()


def test_a_weight_of_zero_in_the_models_attention_is_no_trouble(decoder, attention):
    own = attention.with_values(
        np.concatenate([np.eye(1, n, dtype=np.float32)[0] for n in LENGTHS])
    )
    found = search_adversaries(
        NUMBERS,
        own,
        decoder,
        SearchedAdversary(steps=30),
        cross_jsd_weight="code",
        epsilons=[0.05],
        seed=3,
    )
    for weights in [*found.last, found.best[0.05]]:
        assert np.isfinite(weights.values).all()


def test_best_of_takes_the_most_divergent_feasible_candidate():
    own_weights = Ragged.from_lists([[1.0, 0.0], [0.5, 0.5]])
    # Only the first token moves the prediction, and only in the second document.
    decoder = binary(Ragged.from_lists([[1.0, 1.0], [4.0, -4.0]]), 0.0)
    candidates = [
        Outcome.of(Ragged.from_lists(rows), own_weights, decoder)
        for rows in ([[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]])
    ]
    own = Outcome.of(own_weights, own_weights, decoder)
    best, found = best_of(candidates, own, 0.05)
    assert found.tolist() == [True, False]
    assert best.jsd == pytest.approx([np.log(2), 0.0])
    assert best.change == pytest.approx([0.0, 0.0])
    assert [row.tolist() for row in best.attention] == [[0.0, 1.0], [0.5, 0.5]]
    everything, found = best_of(candidates, own, 1.0)
    assert found.all()
    assert everything.jsd[1] == candidates[0].jsd[1]
