"""The adversary of K classes: exact for two, and for more between what is feasible and what is not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import softmax

from attnnn.counterfactual.class_points import Documents, Points
from attnnn.counterfactual.class_search import improve_by_edges, improve_by_mixtures
from attnnn.counterfactual.class_slabs import class_slabs
from attnnn.counterfactual.exact import exact_adversary
from attnnn.counterfactual.exact_classes import classes_adversary
from attnnn.importance.decoder import Decoder
from attnnn.measures import jensen_shannon_divergence, total_variation_distance
from attnnn.ragged import Ragged

EPSILONS = st.sampled_from([0.01, 0.05, 0.2, 0.6])


def random_documents(count, longest, classes, seed, *, shortest=1):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(shortest, longest + 1, size=count)
    attention = Ragged.from_lists([rng.dirichlet(np.full(n, 0.5)) for n in lengths])
    contribution = attention.with_values(2 * rng.standard_normal((lengths.sum(), classes)))
    return attention, contribution, rng.standard_normal(classes)


def rebuilt(found, attention):
    """For every answer its attention, written out."""
    for row in range(len(found.document)):
        own = attention[found.document[row]]
        weights = found.weight_own[row] * own
        for token, weight in (
            (found.token_a[row], found.weight_a[row]),
            (found.token_b[row], found.weight_b[row]),
        ):
            assert token >= 0 or weight == 0
            weights[token] += weight
        yield own, weights


def prediction(weights, contribution, bias):
    return softmax(weights @ contribution + bias)


def divergence(p, q):
    return jensen_shannon_divergence(Ragged.from_lists([p]), Ragged.from_lists([q]))[0]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10_000), EPSILONS)
def test_two_classes_are_the_binary_case(seed, epsilon):
    attention, contribution, bias = random_documents(5, 12, 2, seed)
    margin = contribution.with_values(contribution.values[:, 1] - contribution.values[:, 0])
    expected = exact_adversary(attention, Decoder(margin, bias[1] - bias[0]), epsilon)
    found = classes_adversary(attention, contribution, bias, epsilon)
    assert found.kind.tolist() == ["exact"] * 5
    np.testing.assert_allclose(found.jsd, expected.jsd, rtol=0, atol=1e-9)
    # The search for feasible points, by itself, finds the same.
    documents = Documents.of(attention, contribution, bias)
    best = improve_by_edges(documents, Points.own(5), epsilon)
    best = improve_by_mixtures(documents, best, Points.own(5), epsilon)
    np.testing.assert_allclose(documents.divergence(best), expected.jsd, rtol=0, atol=1e-9)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5), EPSILONS)
def test_answers_are_what_they_say(seed, classes, epsilon):
    attention, contribution, bias = random_documents(4, 9, classes, seed)
    found = classes_adversary(attention, contribution, bias, epsilon)
    for row, (own, weights) in enumerate(rebuilt(found, attention)):
        pieces = contribution[found.document[row]]
        assert weights.min() >= 0
        assert weights.sum() == pytest.approx(1)
        assert found.jsd[row] == pytest.approx(divergence(weights, own), abs=1e-9)
        two = (prediction(w, pieces, bias)[None] for w in (weights, own))
        change = total_variation_distance(*two)[0]
        assert found.slack[row] == pytest.approx(epsilon - change, abs=1e-12)
        if found.kind[row] != "bound":
            assert change <= epsilon + 1e-9
    for document in range(4):
        here = found.document == document
        kinds, values = found.kind[here].tolist(), found.jsd[here]
        assert kinds in (["exact"], ["feasible", "bound"])
        assert (np.diff(values) > 0).all()


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5), EPSILONS)
def test_slabs_hold_every_prediction_within_epsilon(seed, classes, epsilon):
    rng = np.random.default_rng(seed)
    own = rng.dirichlet(np.ones(classes))
    step = rng.dirichlet(np.full(classes, 0.3), 300) - rng.dirichlet(np.full(classes, 0.3), 300)
    # Differences of nearly equal draws, made longer, and logarithms of tiny probabilities would tell of
    # rounding and not of slabs.
    step = step[np.abs(step).sum(axis=1) > 1e-3]
    step *= epsilon / (0.5 * np.abs(step).sum(axis=1, keepdims=True))
    near = own + step * rng.choice([1.0, 0.5], (len(step), 1))
    near = near[(near > 1e-6).all(axis=1)]
    weights, bounds = class_slabs(own[None], epsilon)
    sums = np.log(near) @ weights[0].T
    assert (sums >= bounds[0, :, 0] - 1e-9).all()
    assert (sums <= bounds[0, :, 1] + 1e-9).all()


def test_three_equal_classes_by_hand():
    # p̂ = ⅓ each, ε = .1: ln(p_a / p_b) is at most ln(.43333/.23333), and at least its negative.
    _, bounds = class_slabs(np.full((1, 3), 1 / 3), 0.1)
    reach = np.log((1 / 3 + 0.1) / (1 / 3 - 0.1))
    np.testing.assert_allclose(bounds[0, :3], [[-reach, reach]] * 3)
    # A class against the rest: from ln(.23333/.76667) + ln 2, to the highest of its differences.
    least = np.log((1 / 3 - 0.1) / (2 / 3 + 0.1)) + np.log(2)
    np.testing.assert_allclose(bounds[0, 3:], [[least, reach]] * 3)


@pytest.mark.parametrize("seed", range(6))
def test_no_optimiser_passes_the_bound_nor_is_its_best_far_above_the_feasible_value(seed):
    epsilon, classes = 0.1, 3
    attention, contribution, bias = random_documents(1, 5, classes, seed, shortest=3)
    found = classes_adversary(attention, contribution, bias, epsilon)
    own, pieces = attention[0], contribution[0]
    p = prediction(own, pieces, bias)
    reached, rng = 0.0, np.random.default_rng(seed)

    def change(weights):
        return 0.5 * np.abs(prediction(weights, pieces, bias) - p).sum()

    (first, _) = next(rebuilt(found, attention))
    starts = [weights for _, weights in rebuilt(found, attention)]
    starts += list(rng.dirichlet(np.full(len(own), 0.3), 30))
    assert first is own or np.array_equal(first, own)
    for start in starts:
        answer = minimize(
            lambda a: -divergence(np.clip(a, 0, 1), own),
            start,
            method="SLSQP",
            bounds=[(0, 1)] * len(own),
            constraints=[
                {"type": "eq", "fun": lambda a: a.sum() - 1},
                {"type": "ineq", "fun": lambda a: epsilon - change(a)},
            ],
        )
        if answer.success and change(answer.x) <= epsilon + 1e-7:
            reached = max(reached, -answer.fun)
    assert reached <= found.jsd[-1] + 1e-5
    # Started from it, the optimiser ends no lower than the feasible value.
    assert reached >= found.jsd[0] - 1e-4


def test_contributions_that_are_equal_leave_the_least_attended_token():
    attention = Ragged.from_lists([[0.7, 0.1, 0.2]])
    contribution = Ragged.from_lists([np.tile([1.0, 2.0, -1.0], (3, 1))])
    found = classes_adversary(attention, contribution, np.zeros(3), 0.01)
    assert (found.kind[0], found.token_a[0], found.token_b[0]) == ("exact", 1, -1)
    assert found.jsd[0] == pytest.approx(divergence([0.0, 1.0, 0.0], [0.7, 0.1, 0.2]))


def test_one_token_cannot_move():
    found = classes_adversary(
        Ragged.from_lists([[1.0]]), Ragged.from_lists([[[1.0, 0.0, 3.0]]]), np.zeros(3), 0.05
    )
    assert found.kind.tolist() == ["exact"]
    assert found.jsd[0] == pytest.approx(0, abs=1e-9)


def test_an_epsilon_of_one_leaves_everything_free():
    attention, contribution, bias = random_documents(6, 8, 4, 3, shortest=2)
    found = classes_adversary(attention, contribution, bias, 1.0)
    assert set(found.kind) == {"exact"}
    for row, own in enumerate(attention):
        assert found.token_a[row] == own.argmin()


def test_documents_keep_their_numbers_and_empty_ones_are_left_out():
    attention = Ragged.from_lists([[], [1.0], [0.5, 0.5]], np.float64)
    contribution = attention.with_values(np.array([[1.0, 2.0], [1.0, 1.0], [0.0, 3.0]]))
    found = classes_adversary(attention, contribution, np.zeros(2), 0.05)
    assert found.document.tolist() == [1, 2]
    assert list(found.columns())[:4] == ["document", "epsilon", "kind", "jsd"]


def test_what_does_not_fit_is_refused():
    attention = Ragged.from_lists([[1.0]])
    with pytest.raises(ValueError, match="expected contributions of shape"):
        classes_adversary(attention, Ragged.from_lists([[[1.0, 2.0]]]), np.zeros(3), 0.05)
    with pytest.raises(ValueError, match="two classes or more"):
        classes_adversary(attention, Ragged.from_lists([[[1.0]]]), np.zeros(1), 0.05)
    with pytest.raises(ValueError, match="above 0"):
        classes_adversary(attention, Ragged.from_lists([[[1.0, 2.0]]]), np.zeros(2), 0.0)
