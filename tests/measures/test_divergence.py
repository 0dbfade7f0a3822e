"""Distances: hand numbers, scipy, and what must always hold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from attnnn.measures import (
    jensen_shannon_divergence,
    jensen_shannon_of_predictions,
    kl_divergence,
    total_variation_distance,
)
from attnnn.tables.ragged import Ragged


def ragged(*rows):
    return Ragged.from_lists(rows, np.float64)


@st.composite
def distributions(draw, count=2):
    """`count` distributions over the tokens of the same few documents, zeros among the weights."""
    lengths = draw(st.lists(st.integers(1, 12), min_size=1, max_size=5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    made = []
    for _ in range(count):
        rows = [rng.random(n) * (rng.random(n) < 0.7) + (np.arange(n) == 0) * 0.1 for n in lengths]
        made.append(ragged(*[row / row.sum() for row in rows]))
    return made


def test_tvd_of_one_sigmoid_output_is_the_difference():
    assert total_variation_distance([0.9, 0.2], [0.4, 0.2]) == pytest.approx([0.5, 0.0])


def test_tvd_of_class_rows_is_half_the_summed_difference():
    p, q = [[0.5, 0.3, 0.2], [1, 0, 0]], [[0.1, 0.3, 0.6], [0, 0, 1]]
    assert total_variation_distance(p, q) == pytest.approx([0.4, 1.0])


def test_tvd_of_a_sigmoid_equals_tvd_of_its_two_classes():
    p, q = np.array([0.9, 0.3]), np.array([0.25, 0.8])
    two = total_variation_distance(np.stack([1 - p, p], 1), np.stack([1 - q, q], 1))
    assert total_variation_distance(p, q) == pytest.approx(two)


@pytest.mark.parametrize(("p", "q"), [([0.1], [0.1, 0.2]), ([[[0.1]]], [[[0.2]]])])
def test_tvd_refuses_other_shapes(p, q):
    with pytest.raises(ValueError, match="one shape"):
        total_variation_distance(p, q)


def test_jsd_by_hand():
    # Disjoint supports are ln 2 apart; [1, 0] against [½, ½]: m = [¾, ¼].
    p, q = ragged([1, 0], [1, 0], [0.3, 0.7]), ragged([0, 1], [0.5, 0.5], [0.3, 0.7])
    halves = 0.5 * math.log(4 / 3) + 0.5 * (0.5 * math.log(2 / 3) + 0.5 * math.log(2))
    assert jensen_shannon_divergence(p, q) == pytest.approx([math.log(2), halves, 0.0], abs=1e-15)


def test_kl_by_hand_and_where_it_is_infinite():
    p, q = ragged([0.5, 0.5], [0, 1], [0.5, 0.5]), ragged([0.25, 0.75], [0.5, 0.5], [1, 0])
    expected = [0.5 * math.log(2) + 0.5 * math.log(2 / 3), math.log(2), math.inf]
    assert kl_divergence(p, q) == pytest.approx(expected)


@given(distributions())
def test_divergences_equal_scipy(pair):
    p, q = pair
    expected = [jensenshannon(a, b) ** 2 for a, b in zip(p, q, strict=True)]
    assert jensen_shannon_divergence(p, q) == pytest.approx(expected, abs=1e-14)
    assert kl_divergence(p, q) == pytest.approx([entropy(a, b) for a, b in zip(p, q, strict=True)])


@given(distributions())
def test_jsd_is_symmetric_bounded_and_zero_of_equals(pair):
    p, q = pair
    divergence = jensen_shannon_divergence(p, q)
    assert np.array_equal(divergence, jensen_shannon_divergence(q, p))
    assert (divergence >= 0).all()
    assert (divergence <= math.log(2) + 1e-12).all()
    assert np.array_equal(jensen_shannon_divergence(p, p), np.zeros(len(p)))


def test_single_precision_weights_are_summed_in_double():
    p = Ragged.from_lists([np.full(3000, 1 / 3000, np.float32)])
    q = Ragged.from_lists([np.eye(1, 3000, dtype=np.float32)[0]])
    n = 3000
    exact = 0.5 * ((n - 1) / n * math.log(2) + 1 / n * math.log(2 / (n + 1)))
    exact += 0.5 * math.log(2 / (1 + 1 / n))
    assert jensen_shannon_divergence(p, q) == pytest.approx([exact], abs=1e-7)
    assert jensen_shannon_divergence(p, q).dtype == np.float64


@pytest.mark.parametrize("measure", [jensen_shannon_divergence, kl_divergence])
def test_documents_of_different_lengths_are_refused(measure):
    with pytest.raises(ValueError, match="differ in length"):
        measure(ragged([1.0], [0.5, 0.5]), ragged([0.5, 0.5], [1.0]))


def test_jsd_of_predictions_by_hand():
    # Disjoint, [1, 0] against [½, ½] as above, equal; a class that neither has adds nothing.
    p, q = [[1, 0, 0], [1, 0, 0], [0.3, 0.7, 0]], [[0, 1, 0], [0.5, 0.5, 0], [0.3, 0.7, 0]]
    halves = 0.5 * math.log(4 / 3) + 0.5 * (0.5 * math.log(2 / 3) + 0.5 * math.log(2))
    expected = [math.log(2), halves, 0.0]
    assert jensen_shannon_of_predictions(p, q) == pytest.approx(expected, abs=1e-15)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.floats(0.1, 8))
def test_jsd_of_predictions_equals_scipy(seed, classes, sharpness):
    rng = np.random.default_rng(seed)
    p, q = (np.exp(rng.normal(0, sharpness, (20, classes))) for _ in range(2))
    p, q = p / p.sum(axis=1, keepdims=True), q / q.sum(axis=1, keepdims=True)
    found = jensen_shannon_of_predictions(p[:, None], np.stack([q, p], axis=1))
    assert found.shape == (20, 2)
    expected = [jensenshannon(a, b) ** 2 for a, b in zip(p, q, strict=True)]
    assert found[:, 0] == pytest.approx(expected, abs=1e-14)
    assert (found[:, 1] == 0).all()
    assert np.array_equal(found, jensen_shannon_of_predictions(np.stack([q, p], 1), p[:, None]))


def test_jsd_of_nearly_equal_predictions_keeps_its_digits():
    # (½ ± e) against (½ ∓ e) is 2e² + O(e⁴), below rounding of either term of the plain formula.
    for e in (2.0**-10, 2.0**-20, 2.0**-30, 2.0**-40):
        p, q = [0.5 + e, 0.5 - e], [0.5 - e, 0.5 + e]
        found = jensen_shannon_of_predictions(p, q)
        assert found == pytest.approx(2 * e**2, rel=e**2 + 1e-12, abs=0)


def test_predictions_over_different_classes_are_refused():
    with pytest.raises(ValueError, match="same classes"):
        jensen_shannon_of_predictions([[0.5, 0.5]], [[0.2, 0.3, 0.5]])
