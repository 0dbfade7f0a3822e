"""The package's kernels equal the plain implementations of the papers' algorithms."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import torch

from attnnn.counterfactual.exact import exact_adversary
from attnnn.counterfactual.permuted import logit_moments, permuted_logits
from attnnn.importance.gradient import gradient
from attnnn.importance.leave_one_out import leave_one_out
from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged
from benchmarks import comparisons, comparisons_of_attention, kernels
from benchmarks.material import SIZES, generate
from benchmarks.plain import counterfactual, importance
from benchmarks.plain.model import PlainModel, pad
from benchmarks.sides import EFFORTS

# More documents than a batch of 32, of very different lengths, down to one token.
SMALL = replace(SIZES["quick"], train=70, test=40, shortest=1, longest=11)


@pytest.fixture
def material():
    return generate(SMALL, device="cpu", seed=4)


@pytest.fixture
def double(material):
    return replace(material, classifier=material.classifier.double())


def test_the_plain_model_is_the_classifier(double):
    plain = PlainModel.like(double.classifier)
    ids, lengths = pad(list(double.test), torch.device("cpu"))
    expected = double.classifier(Inputs(double.test).batch())
    torch.testing.assert_close(plain(ids, lengths), expected.logit, rtol=1e-12, atol=1e-12)
    states = plain.encode(plain.embedding(ids), lengths)
    torch.testing.assert_close(
        plain.attend(states, lengths), expected.attention, rtol=1e-12, atol=1e-12
    )


def test_training_has_the_losses_of_the_plain_loop(material):
    comparison = comparisons.training(material, EFFORTS["quick"])
    plain, fast = comparison.plain.setup()(), comparison.contenders["training"].side.setup()()
    assert len(plain) == 2
    assert plain[1] < plain[0]
    np.testing.assert_allclose(fast, plain, rtol=1e-5)


def test_the_encoder_has_the_gradients_of_the_packed_lstm(material):
    comparison = comparisons.encoder(material, EFFORTS["quick"])
    plain, fast = comparison.plain.setup()(), comparison.contenders["encoder"].side.setup()()
    assert len(plain) == 3  # 70 documents, 32 at a time
    for expected, found in zip(plain, fast, strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)


def test_gradient_equals_the_plain_one(double):
    expected = importance.gradient(PlainModel.like(double.classifier), double.test)
    found = gradient(double.classifier, Inputs(double.test)).signed
    assert np.abs(expected.values).max() > 1e-4
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-9, atol=1e-13)


def test_leave_one_out_equals_the_plain_one(double):
    expected = importance.leave_one_out(PlainModel.like(double.classifier), double.test)
    assert np.isnan(expected.values).sum() == (double.test.lengths == 1).sum() > 0
    found = leave_one_out(double.classifier, Inputs(double.test)).signed
    np.testing.assert_allclose(found.values, expected.values, rtol=0, atol=1e-10)


def test_a_part_of_leave_one_out_is_every_second_token(double):
    model = PlainModel.like(double.classifier)
    whole, part = (importance.leave_one_out(model, double.test, every=k) for k in (1, 2))
    deleted = double.test.positions % 2 == 0
    np.testing.assert_array_equal(part.values[deleted], whole.values[deleted])
    assert np.isnan(part.values[~deleted]).all()


def test_permutations_have_the_same_outcomes_and_moments(double):
    attention, decoder = kernels.own(double, np.arange(len(double.test)))
    model, count = PlainModel.like(double.classifier), 3_000
    encoded = counterfactual.encode(model, double.test)
    plain = counterfactual.permuted_logits(
        model, encoded, permutations=count, rng=np.random.default_rng(0)
    )
    fast = permuted_logits(
        attention, decoder, permutations=count, generator=np.random.default_rng(1)
    )
    moments = logit_moments(attention, decoder)
    for logits in (plain, fast):
        error = 5 * moments.std / np.sqrt(count) + 1e-5
        assert (np.abs(logits.mean(axis=1) - moments.mean) <= error).all()
        np.testing.assert_allclose(logits.std(axis=1), moments.std, rtol=0.1, atol=1e-5)
    row = np.flatnonzero(attention.lengths == 3)[0]
    pieces = decoder.contribution[row].astype(np.float64)
    possible = [
        np.dot(order, pieces) + float(decoder.bias[0]) for order in permutations(attention[row])
    ]
    for logits in (plain, fast):
        gaps = np.abs(logits[row][:, None] - possible)
        assert gaps.min(axis=1).max() < 1e-5
        assert set(gaps.argmin(axis=1)) == set(range(6))


def test_the_search_ends_where_the_plain_one_does(material):
    comparison = comparisons_of_attention.adversary(material, EFFORTS["quick"])
    contender = comparison.contenders["searched_adversary"]
    plain = comparison.plain.setup()()
    for attention in plain:
        torch.testing.assert_close(attention.sum(-1), torch.ones(attention.shape[:2]))
    assert contender.difference(plain, None) < 1e-4


def test_the_plain_search_leaves_the_models_attention_but_keeps_its_prediction(material):
    model = PlainModel.like(material.classifier)
    (batch, *_) = counterfactual.encode(model, material.test.take(np.arange(10, 30)))
    start = torch.zeros(2, *batch.attention.shape)
    start[0, :, 1] = 1.0
    attention, probability = counterfactual.search(
        model, batch, start, counterfactual.Search(steps=300)
    )
    assert ((probability - batch.probability).abs() < 0.05).float().mean() > 0.9
    moved = (attention - batch.attention).abs().sum(-1)
    assert moved.median() > 0.3


@pytest.mark.parametrize("epsilon", [0.01, 0.05, 0.4])
def test_the_exact_adversary_equals_trying_every_vertex(double, epsilon):
    attention, decoder = kernels.own(double, np.arange(len(double.test)))
    expected = [
        counterfactual.exact_jsd(
            weights.astype(np.float64), pieces.astype(np.float64), float(decoder.bias[0]), epsilon
        )
        for weights, pieces in zip(attention, decoder.contribution, strict=True)
    ]
    found = exact_adversary(attention, decoder, epsilon)
    # The kernel draws its bounds in by 1e-12, which moves a vertex by little.
    np.testing.assert_allclose(found.jsd, expected, rtol=0, atol=1e-6)


def test_erasure_takes_as_many_weights_as_the_plain_one(double):
    comparison = comparisons_of_attention.erasure(double, EFFORTS["quick"])
    contender = comparison.contenders["erasure"]
    plain, fast = comparison.plain.setup()(), contender.side.setup()()
    assert set(plain) == set(fast) - {"smallest"}
    assert len(plain) == 7
    assert all((counts > 0).any() for counts in plain.values())
    assert len({tuple(counts) for counts in plain.values()}) > 5
    assert contender.difference(plain, fast) == 0


def test_kendall_tau_equals_scipy_even_with_ties(material):
    tokens = material.test.take(np.flatnonzero(material.test.lengths > 3))
    rng = np.random.default_rng(0)
    x, y = (Ragged(rng.integers(0, 6, len(tokens.values)) * 1.0, tokens.offsets) for _ in range(2))
    comparison = comparisons_of_attention.kendall_tau(material, EFFORTS["quick"])
    plain = importance.kendall_tau(x, y)
    from attnnn.measures import kendall_tau

    for found, expected in zip(kendall_tau(x, y), plain, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert comparison.plain.share == 1
