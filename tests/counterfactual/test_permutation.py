"""Permutations: exact moments by enumeration, and draws that behave as permutations."""

import itertools

import numpy as np
import pytest
from scipy.stats import chisquare

from attnnn.counterfactual import permuted
from attnnn.counterfactual.permuted import absolute_changes, logit_moments, permuted_logits
from attnnn.tables.ragged import Ragged
from tests.support import binary

BIAS = -0.3


@pytest.fixture
def documents():
    """Attention and decoder of documents of 1 to 6 tokens, equal lengths among them."""
    rng = np.random.default_rng(0)
    lengths = [4, 1, 6, 2, 4, 5]
    attention = Ragged.from_lists([rng.dirichlet(np.ones(n)) for n in lengths], np.float32)
    return attention, binary(attention.with_values(rng.normal(0, 2, sum(lengths))), BIAS)


def all_logits(attention, contribution):
    return [np.dot(order, contribution) + BIAS for order in itertools.permutations(attention)]


def test_moments_equal_those_of_all_permutations(documents):
    attention, decoder = documents
    moments = logit_moments(attention, decoder)
    for row, (weights, pieces) in enumerate(zip(attention, decoder.contribution, strict=True)):
        logits = all_logits(weights, pieces)
        assert moments.mean[row] == pytest.approx(np.mean(logits), abs=1e-6)
        assert moments.std[row] == pytest.approx(np.std(logits), abs=1e-6)


def test_uniform_attention_is_the_average_permutation(documents):
    attention, decoder = documents
    uniform = attention.with_values(1 / np.repeat(attention.lengths, attention.lengths))
    mean = 1 / (1 + np.exp(-logit_moments(attention, decoder).mean))
    assert decoder.probabilities(uniform)[:, 0] == pytest.approx(mean, abs=1e-6)


def test_draws_are_permutations_each_equally_often(documents):
    attention, decoder = documents
    logits = permuted_logits(
        attention, decoder, permutations=12_000, generator=np.random.default_rng(1)
    )
    for row, (weights, pieces) in enumerate(zip(attention, decoder.contribution, strict=True)):
        if len(weights) > 4:
            continue
        possible = np.sort(all_logits(weights.astype(float), pieces))
        nearest = np.abs(logits[row][:, None] - possible).argmin(axis=1)
        assert np.abs(logits[row] - possible[nearest]).max() < 1e-12
        expected = 12_000 / len(possible)
        counts = np.bincount(nearest, minlength=len(possible))
        assert np.abs(counts - expected).max() < 5 * np.sqrt(expected)


def test_draws_have_the_exact_moments(documents):
    attention, decoder = documents
    count = 20_000
    logits = permuted_logits(
        attention, decoder, permutations=count, generator=np.random.default_rng(2)
    )
    moments = logit_moments(attention, decoder)
    error = moments.std / np.sqrt(count)
    assert (np.abs(logits.mean(axis=1) - moments.mean) <= 5 * error + 1e-6).all()
    np.testing.assert_allclose(logits.std(axis=1), moments.std, rtol=0.05, atol=1e-6)


def outcomes(documents, *, permutations, seed):
    """Which of the n! permutations each draw is, for documents of equal length; shape as of logits."""
    attention = Ragged.from_lists([[0.0, 0.1, 0.9]] * documents)
    decoder = binary(Ragged.from_lists([[0.0, 1.0, 3.0]] * documents), BIAS)
    logits = permuted_logits(
        attention, decoder, permutations=permutations, generator=np.random.default_rng(seed)
    )
    possible = np.array(all_logits([0.0, 0.1, 0.9], [0.0, 1.0, 3.0]))
    return np.abs(logits[..., None] - possible).argmin(axis=-1)


def test_permutations_are_uniform_and_independent_within_a_document():
    drawn = outcomes(1, permutations=36_000, seed=5)[0]
    assert chisquare(np.bincount(drawn, minlength=6)).pvalue > 0.01
    pairs = drawn[::2] * 6 + drawn[1::2]
    assert chisquare(np.bincount(pairs, minlength=36)).pvalue > 0.01


@pytest.mark.parametrize("later", [0, 1])
def test_permutations_of_two_documents_that_share_a_table_are_independent(monkeypatch, later):
    monkeypatch.setattr(permuted, "_SHARED_BY", 2)
    drawn = outcomes(7_200, permutations=2, seed=6)
    pairs = drawn[::2, 0] * 6 + drawn[1::2, later]
    assert chisquare(np.bincount(pairs, minlength=36)).pvalue > 0.01


def test_documents_that_share_a_table_are_permuted_differently():
    one, other = outcomes(2, permutations=1_000, seed=7)
    assert not np.array_equal(one, other)


def test_portions_do_not_matter(documents, monkeypatch):
    def drawn():
        return permuted_logits(*documents, permutations=7, generator=np.random.default_rng(3))

    whole = drawn()
    monkeypatch.setattr(permuted, "_HELD", 1)
    np.testing.assert_allclose(drawn(), whole, rtol=0, atol=1e-14)  # sums round by shape


def test_changes_by_hand():
    # Own logit ln 3, so p = ¾; logit 0 gives ½ and logit −ln 3 gives ¼.
    attention = Ragged.from_lists([[0.5, 0.5]])
    decoder = binary(Ragged.from_lists([[2 * np.log(3), 0.0]]), 0.0)
    changes = absolute_changes(attention, decoder, np.array([[0.0, -np.log(3), np.log(3)]]))
    assert changes == pytest.approx(np.array([[0.25, 0.5, 0.0]]))


def test_extreme_logits_do_not_overflow():
    attention = Ragged.from_lists([[1.0], [1.0]])
    decoder = binary(Ragged.from_lists([[5000.0], [-5000.0]]), 0.0)
    assert decoder.probabilities(attention).tolist() == [[1.0], [0.0]]


def test_one_token_has_one_permutation(documents):
    attention, decoder = documents
    logits = permuted_logits(attention, decoder, permutations=5, generator=np.random.default_rng(4))
    assert (absolute_changes(attention, decoder, logits)[1] == 0).all()
    assert logit_moments(attention, decoder).std[1] == 0
