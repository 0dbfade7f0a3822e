"""Erasure of attention weights against erasing them one by one, and all sets of them."""

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from attnnn.erasure.flips import erased_probabilities, first_flips, smallest_flips
from attnnn.erasure.orders import decision_gradient, descending, random_other, shuffled
from attnnn.tables.ragged import Ragged
from tests.support import binary, multiclass

LENGTHS = [4, 1, 7, 2, 6, 3, 7]


def documents(seed, lengths=LENGTHS, outputs=2, spread=2.0, pairs=False):
    """Attention of documents and a decoder whose classes all win somewhere."""
    rng = np.random.default_rng(seed)
    attention = Ragged.from_lists([rng.dirichlet(np.ones(n)) for n in lengths], np.float32)
    tokens = len(attention.values)
    if pairs:
        decoder = multiclass(
            attention.with_values(rng.normal(0, spread, (tokens, 5))),
            rng.normal(0, 0.5, outputs),
            offset=rng.normal(0, 1, (len(lengths), 5)),
            weight=rng.normal(0, 2, (outputs, 5)),
            allowed=np.tile(np.arange(outputs) > 0, (len(lengths), 1)),
        )
        return attention, decoder
    if outputs == 2:
        return attention, binary(attention.with_values(rng.normal(0, spread, tokens)), 0.3)
    pieces = attention.with_values(rng.normal(0, spread, (tokens, outputs)))
    return attention, multiclass(pieces, rng.normal(0, 0.5, outputs))


KINDS = {
    "two classes": {},
    "four classes": {"outputs": 4},
    "pairs": {"outputs": 4, "pairs": True},
}
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def probabilities_without(attention, decoder, row, erased):
    """Probabilities of one document, straight from the definition."""
    weights = attention[row].astype(np.float64)
    weights[list(erased)] = 0
    if weights.sum() > 0:
        weights = weights / weights.sum()
    here = decoder.take(np.array([row]))
    context = sum((w * np.atleast_1d(p) for w, p in zip(weights, here.projected[0], strict=True)))
    if decoder.outputs == 1:
        return 1 / (1 + np.exp(-(context + decoder.bias)))
    logits = context
    if decoder.layer is not None:
        logits = decoder.layer.weight @ np.tanh(context + here.layer.offset[0])
    logits = logits + decoder.bias
    if here.allowed is not None:
        logits = np.where(here.allowed[0], logits, -np.inf)
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def decided_without(attention, decoder, row, erased):
    return decoder.predicted(probabilities_without(attention, decoder, row, erased))


@each_kind
def test_one_weight_erased_is_the_definition(kind):
    attention, decoder = documents(0, **kind)
    position = np.array([n // 2 for n in LENGTHS])
    found = erased_probabilities(attention, decoder, position)
    for row, erased in enumerate(position):
        expected = probabilities_without(attention, decoder, row, [erased])
        np.testing.assert_allclose(found[row], expected, rtol=1e-9, atol=1e-12)


def test_one_weight_erased_by_hand():
    attention = Ragged.from_lists([[0.5, 0.3, 0.2]])
    decoder = binary(attention.with_values(np.array([2.0, -1.0, 1.0])), 0.1)
    # (.3 × -1 + .2 × 1) / .5 + .1 = -.1
    found = erased_probabilities(attention, decoder, np.array([0]))
    np.testing.assert_allclose(found, [[1 / (1 + np.exp(0.1))]], rtol=1e-12)


@pytest.mark.parametrize("erase_all", [False, True])
@each_kind
def test_flips_are_those_of_erasing_one_after_another(kind, erase_all):
    flipped = 0
    for seed in range(8):
        attention, decoder = documents(seed, **kind)
        order = shuffled(attention, np.random.default_rng(seed))
        found = first_flips(attention, decoder, order, erase_all=erase_all)
        for row, n in enumerate(LENGTHS):
            own = decided_without(attention, decoder, row, [])
            most = n if erase_all else n - 1
            expected = next(
                (
                    k
                    for k in range(1, most + 1)
                    if decided_without(attention, decoder, row, order[row][:k]) != own
                ),
                -1,
            )
            assert found.count[row] == expected
            if expected > 0:
                mass = attention[row].astype(np.float64)[order[row][:expected]].sum()
                assert found.mass[row] == pytest.approx(mass, rel=1e-12)
                flipped += 1
            else:
                assert np.isnan(found.mass[row])
    assert 8 < flipped < 8 * len(LENGTHS)


def test_erasing_everything_leaves_the_bias():
    attention = Ragged.from_lists([[1.0], [0.5, 0.5]])
    decoder = binary(attention.with_values(np.array([5.0, 5.0, 5.0])), -0.1)
    order = descending(attention)
    assert first_flips(attention, decoder, order).count.tolist() == [-1, -1]
    assert first_flips(attention, decoder, order, erase_all=True).count.tolist() == [1, 2]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(1, 7), min_size=1, max_size=4),
    outputs=st.integers(2, 4),
)
def test_the_smallest_set_is_the_smallest_of_all_sets(seed, lengths, outputs):
    attention, decoder = documents(seed, lengths, outputs)
    found = smallest_flips(attention, decoder)
    for row, n in enumerate(lengths):
        own = decided_without(attention, decoder, row, [])
        sizes = [
            k
            for k in range(1, n)
            if any(
                decided_without(attention, decoder, row, chosen) != own
                for chosen in combinations(range(n), k)
            )
        ]
        assert found.count[row] == (min(sizes) if sizes else -1)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), outputs=st.integers(2, 4))
def test_no_order_needs_fewer_than_the_smallest_set(seed, outputs):
    attention, decoder = documents(seed, [3, 20, 60, 11], outputs, spread=4.0)
    smallest = smallest_flips(attention, decoder)
    gradient = decision_gradient(attention, decoder)
    product = gradient.with_values(gradient.values * attention.values)
    for score in (attention, gradient, product):
        found = first_flips(attention, decoder, descending(score))
        flips = found.count >= 0
        assert (smallest.count[flips] >= 1).all()
        assert (smallest.count[flips] <= found.count[flips]).all()


def test_of_two_equal_classes_the_first_is_decided():
    attention = Ragged.from_lists([[0.5, 0.25, 0.25]])
    # Without the first weight the logit is exactly 0, which is class 0.
    decoder = binary(attention.with_values(np.array([3.0, 1.0, -1.0])), 0.0)
    assert first_flips(attention, decoder, descending(attention)).count.tolist() == [1]
    assert smallest_flips(attention, decoder).count.tolist() == [1]


def test_the_smallest_set_is_refused_where_the_decoder_is_not_linear():
    attention, decoder = documents(0, outputs=4, pairs=True)
    with pytest.raises(ValueError, match="linear"):
        smallest_flips(attention, decoder)


@each_kind
def test_the_gradient_is_autograds(kind):
    attention, decoder = documents(3, **kind)
    found = decision_gradient(attention, decoder)
    for row in range(len(LENGTHS)):
        here = decoder.take(np.array([row]))
        weights = torch.from_numpy(attention[row].astype(np.float64)).requires_grad_()
        context = weights @ torch.from_numpy(np.asarray(here.projected[0], np.float64))
        if decoder.outputs == 1:
            positive = torch.sigmoid(context[0] + float(decoder.bias[0]))
            largest = torch.maximum(positive, 1 - positive)
        else:
            logits = context
            if decoder.layer is not None:
                inner = torch.tanh(context + torch.from_numpy(here.layer.offset[0]))
                logits = torch.from_numpy(decoder.layer.weight) @ inner
            logits = logits + torch.from_numpy(decoder.bias)
            if here.allowed is not None:
                logits = logits.masked_fill(~torch.from_numpy(here.allowed[0]), -torch.inf)
            largest = torch.softmax(logits, dim=0).max()
        (expected,) = torch.autograd.grad(largest, weights)
        np.testing.assert_allclose(found[row], expected.numpy(), rtol=1e-8, atol=1e-12)


def test_orders_are_descending_and_of_each_document():
    score = Ragged.from_lists([[0.1, 0.7, 0.2], [0.5], [0.3, 0.3, 0.4]])
    assert [row.tolist() for row in descending(score)] == [[1, 2, 0], [0], [2, 0, 1]]


def test_shuffled_orders_are_each_equally_likely():
    like = Ragged.from_lengths(np.zeros(3 * 6_000), [3] * 6_000)
    orders = shuffled(like, np.random.default_rng(0)).values.reshape(-1, 3)
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 6
    assert chisquare(counts).pvalue > 1e-4


def test_the_random_other_weight_is_any_but_the_given_one():
    position, lengths = np.repeat([0, 2, 3], 4_000), np.full(12_000, 4)
    drawn = random_other(position, lengths, np.random.default_rng(0))
    assert (drawn != position).all()
    for given_one in (0, 2, 3):
        _, counts = np.unique(drawn[position == given_one], return_counts=True)
        assert len(counts) == 3
        assert chisquare(counts).pvalue > 1e-4
    with pytest.raises(ValueError, match="at least two tokens"):
        random_other(np.array([0]), np.array([1]), np.random.default_rng(0))
