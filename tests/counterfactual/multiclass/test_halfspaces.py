"""Slabs and half-spaces hold everything that is feasible, which is what makes the bound one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnnn.counterfactual.multiclass.halfspaces import _lower_line, _upper_line, half_spaces
from attnnn.counterfactual.multiclass.points import MulticlassDocuments
from attnnn.counterfactual.multiclass.slabs import MOST_CLASSES, class_slabs
from tests.counterfactual.multiclass.deciders import KINDS, change, random_documents


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 12), st.sampled_from([0.01, 0.05, 0.2, 0.6]))
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


def test_of_many_classes_the_most_probable_have_slabs():
    own = np.random.default_rng(0).dirichlet(np.ones(20))[None]
    weights, _ = class_slabs(own, 0.05)
    pairs = MOST_CLASSES * (MOST_CLASSES - 1) // 2
    assert weights.shape == (1, pairs + MOST_CLASSES, 20)
    likely = set(np.argsort(-own[0])[:MOST_CLASSES])
    assert set(np.flatnonzero(weights[0, :pairs].any(axis=0))) == likely


def test_a_class_that_is_no_candidate_bounds_nothing():
    own = np.array([[0.5, 0.3, 0.2, 0.0]])
    possible = np.array([[True, True, True, False]])
    weights, bounds = class_slabs(own, 0.05, possible)
    touched = (weights[0] * ~possible != 0).any(axis=1)
    assert touched.sum() == 4  # its pairs with the three others, and it against the rest
    assert (bounds[0, touched] == [-np.inf, np.inf]).all()
    three, expected = class_slabs(own[:, :3], 0.05)
    np.testing.assert_allclose(bounds[0, ~touched], expected[0])
    np.testing.assert_allclose(weights[0, ~touched][:, :3], three[0])


@settings(max_examples=300, deadline=None)
@given(st.floats(-6, 6), st.floats(0, 8), st.floats(0, 1))
def test_lines_are_on_their_side_of_tanh(lowest, width, share):
    ends = np.array([lowest]), np.array([lowest + width])
    z = np.linspace(lowest, lowest + width, 401)
    through = np.array([lowest + share * width])
    for line, side in ((_upper_line, 1), (_lower_line, -1)):
        slope, height = line(*ends, through)
        assert (side * (slope * z + height - np.tanh(z)) >= -1e-12).all()


def test_a_line_touches_tanh_where_it_can():
    # Above 0 the tangent at the point itself; across 0 the tangent from the lower end.
    slope, height = _upper_line(np.array([0.5]), np.array([2.0]), np.array([1.0]))
    assert slope + height == pytest.approx(np.tanh(1))
    slope, height = _upper_line(np.array([-1.0]), np.array([3.0]), np.array([-1.0]))
    assert -slope + height == pytest.approx(np.tanh(-1), abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 10), st.sampled_from(KINDS))
def test_half_spaces_hold_every_attention_within_epsilon(seed, classes, kind):
    attention, decoder = random_documents(3, 7, classes, seed, kind=kind, shortest=2)
    documents, rng = MulticlassDocuments.of(attention, decoder), np.random.default_rng(seed)
    for document in range(3):
        own, here = np.asarray(attention[document]), decoder.take(np.array([document]))
        for near in (1.0, 0.3, 0.05):
            other = (1 - near) * own + near * rng.dirichlet(np.full(len(own), 0.4))
            epsilon = max(change(other, own, here), 1e-6)
            directions, bounds = half_spaces(documents.take(np.array([document])), epsilon + 1e-9)
            sums = directions[0] @ (other @ np.asarray(here.projected.values))
            assert (sums >= bounds[0, :, 0] - 1e-6).all()
            assert (sums <= bounds[0, :, 1] + 1e-6).all()
