"""The adversary of K classes: exact for two, and for more between what is feasible and what is not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from attnnn.counterfactual.exact import exact_adversary
from attnnn.counterfactual.multiclass.adversary import multiclass_adversary
from attnnn.counterfactual.multiclass.ascent import climb
from attnnn.counterfactual.multiclass.edges import (
    improve_by_edges,
    improve_by_mixtures,
    likely_tokens,
)
from attnnn.counterfactual.multiclass.points import MulticlassDocuments, Points
from attnnn.tables.ragged import Ragged
from tests.counterfactual.multiclass.deciders import (
    KINDS,
    change,
    divergence,
    divergences,
    random_documents,
)
from tests.support import binary, multiclass

EPSILONS = st.sampled_from([0.01, 0.05, 0.2, 0.6])


def alone(attention, decoder, document):
    return np.asarray(attention[document], float), decoder.take(np.array([document]))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), EPSILONS)
def test_two_classes_are_the_binary_case(seed, epsilon):
    attention, decoder = random_documents(5, 12, 2, seed)
    pieces = decoder.projected.values
    margin = decoder.projected.with_values(pieces[:, 1] - pieces[:, 0])
    logit = binary(margin, decoder.bias[1] - decoder.bias[0])
    expected = exact_adversary(attention, logit, epsilon)
    found = multiclass_adversary(attention, decoder, epsilon)
    assert found.exact.all()
    np.testing.assert_allclose(found.jsd, expected.jsd, rtol=0, atol=1e-9)
    # The search for feasible points, by itself, finds the same.
    documents = MulticlassDocuments.of(attention, decoder)
    best = improve_by_edges(documents, Points.own(5), epsilon)
    best = improve_by_mixtures(documents, best, epsilon)
    np.testing.assert_allclose(documents.divergence(best), expected.jsd, rtol=0, atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 10), EPSILONS, st.sampled_from(KINDS))
def test_answers_are_what_they_say(seed, classes, epsilon, kind):
    attention, decoder = random_documents(4, 9, classes, seed, kind=kind)
    found = multiclass_adversary(attention, decoder, epsilon)
    for document in range(4):
        own, here = alone(attention, decoder, document)
        weights = found.attention[document]
        assert weights.min() >= 0
        assert weights.sum() == pytest.approx(1, abs=1e-9)
        assert found.jsd[document] == pytest.approx(divergence(weights, own), abs=1e-9)
        assert found.change[document] == pytest.approx(change(weights, own, here), abs=1e-12)
    assert (found.change <= epsilon).all()
    assert (found.bound >= found.jsd).all()
    assert (found.exact == (found.bound == found.jsd)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [3, 5])
@pytest.mark.parametrize("epsilon", [0.05, 0.2])
def test_brute_force_over_three_tokens(kind, classes, epsilon):
    attention, decoder = random_documents(4, 3, classes, 7, kind=kind, shortest=3)
    found = multiclass_adversary(attention, decoder, epsilon)
    steps = np.linspace(0, 1, 61)
    grid = np.array([(a, b, 1 - a - b) for a in steps for b in steps if a + b <= 1 + 1e-12])
    grid = np.maximum(grid, 0)
    short = []
    for document in range(4):
        own, here = alone(attention, decoder, document)
        pieces = np.asarray(here.projected.values)
        moved = here.decide((grid @ pieces)[None])[0] - here.decide((own @ pieces)[None, None])[0]
        feasible = grid[0.5 * np.abs(moved).sum(axis=1) <= epsilon]
        reached = divergences(feasible, own).max(initial=0.0)
        assert reached <= found.bound[document] + 1e-12
        short.append(max(reached - found.jsd[document], 0))
    # Logits that are linear leave one piece of the simplex, whose top the climb reaches to what a halving of
    # its steps gives. A layer between may part it into several, and then it may stay on a lower one.
    assert max(short) < (0.005 if kind == "linear" else 0.3)
    assert np.median(short) < 1e-4


def optimised(own, here, epsilon, starts):
    """The largest JSD that an optimiser reaches within ε."""
    reached = 0.0
    for start in starts:
        answer = minimize(
            lambda a: -divergence(np.clip(a, 0, 1), own),
            start,
            method="SLSQP",
            bounds=[(0, 1)] * len(own),
            constraints=[
                {"type": "eq", "fun": lambda a: a.sum() - 1},
                {"type": "ineq", "fun": lambda a: epsilon - change(a, own, here)},
            ],
        )
        if answer.success and change(answer.x, own, here) <= epsilon + 1e-7:
            reached = max(reached, -answer.fun)
    return reached


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_no_optimiser_passes_the_bound_nor_is_far_above_the_feasible_value(kind, seed):
    attention, decoder = random_documents(1, 6, 4, seed, kind=kind, shortest=4)
    found = multiclass_adversary(attention, decoder, 0.1)
    own, here = alone(attention, decoder, 0)
    starts = np.random.default_rng(seed).dirichlet(np.full(len(own), 0.3), 20)
    reached = optimised(own, here, 0.1, [found.attention[0], *starts])
    assert reached <= found.bound[0] + 1e-5
    assert reached <= found.jsd[0] + 0.03


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 9), st.sampled_from(KINDS))
def test_what_is_known_is_no_less_than_a_feasible_start(seed, classes, kind):
    attention, decoder = random_documents(5, 10, classes, seed, kind=kind, shortest=2)
    rng = np.random.default_rng(seed)
    start = Ragged.from_lists([rng.dirichlet(np.ones(n)) for n in attention.lengths], np.float32)
    moved = decoder.change(start, attention)
    epsilon = float(np.median(moved))
    found = multiclass_adversary(attention, decoder, epsilon, start)
    assert (found.change <= epsilon).all()
    own = [divergence(start[d], np.asarray(attention[d])) for d in range(5)]
    assert (found.jsd >= np.where(moved <= epsilon, own, 0)).all()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 9), EPSILONS, st.sampled_from(KINDS))
def test_a_climb_stays_feasible_and_never_goes_down(seed, classes, epsilon, kind):
    attention, decoder = random_documents(4, 12, classes, seed, kind=kind)
    top = climb(MulticlassDocuments.of(attention, decoder), attention, epsilon)
    assert (decoder.change(top, attention) <= epsilon).all()
    np.testing.assert_allclose(top.sums(), 1, atol=1e-9)
    assert (top.values >= 0).all()
    again = climb(MulticlassDocuments.of(attention, decoder), top, epsilon)
    for own, low, high in zip(attention, top, again, strict=True):
        assert divergence(high, own) >= divergence(low, own) - 1e-12


def test_five_classes_leave_room_that_two_tokens_do_not_find():
    # A prediction of five classes is kept by no point between two tokens, but by many of four.
    attention, decoder = random_documents(20, 12, 5, 1, shortest=8)
    documents = MulticlassDocuments.of(attention, decoder)
    best = improve_by_edges(documents, Points.own(20), 0.01)
    best = improve_by_mixtures(documents, best, 0.01)
    found = multiclass_adversary(attention, decoder, 0.01)
    assert found.jsd.mean() > documents.divergence(best).mean() + 0.1
    assert (np.array([(row > 0).sum() for row in found.attention]) > 2).any()


def test_likely_tokens_are_those_of_least_attention_and_least_change():
    attention, decoder = random_documents(2, 20, 3, 5, kind="pairs", shortest=20)
    chosen = attention.with_values(likely_tokens(MulticlassDocuments.of(attention, decoder), 6))
    for document in range(2):
        own, here = alone(attention, decoder, document)
        least = set(np.argsort(own)[:3])
        near = set(np.argsort([change(one, own, here) for one in np.eye(20)])[:3])
        assert set(np.flatnonzero(chosen[document])) == least | near
    assert likely_tokens(MulticlassDocuments.of(attention, decoder), 20).all()


@pytest.mark.parametrize("kind", KINDS)
def test_contributions_that_are_equal_leave_the_least_attended_token(kind):
    _, decoder = random_documents(1, 3, 3, 0, kind=kind, shortest=3)
    own = Ragged.from_lists([[0.7, 0.1, 0.2]])
    same = own.with_values(np.tile(decoder.projected.values[:1], (3, 1)))
    equal = replace(decoder, projected=same)
    found = multiclass_adversary(own, equal, 0.01)
    assert found.exact.all()
    np.testing.assert_allclose(found.attention[0], [0, 1, 0], atol=1e-12)
    assert found.jsd[0] == pytest.approx(divergence(np.eye(3)[1], own[0]))


def test_one_token_cannot_move():
    attention, decoder = random_documents(1, 1, 3, 0)
    found = multiclass_adversary(attention, decoder, 0.05)
    assert found.exact.all()
    assert found.jsd[0] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_an_epsilon_of_one_leaves_everything_free(kind):
    attention, decoder = random_documents(6, 8, 4, 3, kind=kind, shortest=2)
    found = multiclass_adversary(attention, decoder, 1.0)
    assert found.exact.all()
    for own, weights in zip(attention, found.attention, strict=True):
        assert weights.argmax() == own.argmin()


def test_documents_of_any_length_keep_their_places():
    attention = Ragged.from_lists([[0.5, 0.5], [], [1.0]], np.float64)
    decoder = multiclass(
        attention.with_values(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [1.0, 1.0, 1.0]])),
        np.zeros(3),
    )
    found = multiclass_adversary(attention, decoder, 0.05)
    assert found.attention.lengths.tolist() == [2, 0, 1]
    assert found.jsd[0] > 0
    assert found.jsd[1:].tolist() == pytest.approx([0, 0])


def test_what_does_not_fit_is_refused():
    attention = Ragged.from_lists([[1.0]])
    one = multiclass(attention.with_values(np.ones((1, 1))), np.zeros(1))
    with pytest.raises(ValueError, match="two classes or more"):
        multiclass_adversary(attention, one, 0.05)
    two = multiclass(attention.with_values(np.ones((1, 2))), np.zeros(2))
    with pytest.raises(ValueError, match="above 0"):
        multiclass_adversary(attention, two, 0.0)
