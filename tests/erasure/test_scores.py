"""Slopes against autograd; contributions by hand and by what they must add up to."""

import numpy as np
import pytest
import torch

from attnnn.erasure.class_scores import (
    class_contributions,
    class_gradients,
    decision_gradient,
    of_class,
    predicted_classes,
    weighted,
)
from attnnn.tables.ragged import Ragged
from tests.erasure.naive import KINDS, LENGTHS, LINEAR_KINDS, decided_without, documents
from tests.support import binary, multiclass

each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
each_linear_kind = pytest.mark.parametrize("kind", LINEAR_KINDS.values(), ids=LINEAR_KINDS)


def by_autograd(attention, readout, row):
    """∂p_c/∂α_t of one document by torch, shape (n, classes)."""
    here = readout.take(np.array([row]))
    weights = torch.from_numpy(attention[row].astype(np.float64)).requires_grad_()
    context = weights @ torch.from_numpy(np.asarray(here.projected[0], np.float64))
    logits = context
    if readout.layer is not None:
        inner = torch.tanh(context + torch.from_numpy(here.layer.offset[0]))
        logits = torch.from_numpy(readout.layer.weight) @ inner
    logits = logits + torch.from_numpy(readout.bias)
    if readout.outputs == 1:
        logits = torch.cat([torch.zeros(1), logits])
    if here.allowed is not None:
        logits = logits.masked_fill(~torch.from_numpy(here.allowed[0]), -torch.inf)
    probability = torch.softmax(logits, dim=0)
    slopes = [torch.autograd.grad(p, weights, retain_graph=True)[0] for p in probability]
    return torch.stack(slopes, dim=1).numpy()


@each_kind
def test_gradients_of_every_class_are_autograds(kind):
    attention, readout = documents(3, **kind)
    found, decided = class_gradients(attention, readout), decision_gradient(attention, readout)
    assert found.values.shape == (len(attention.values), readout.classes)
    for row in range(len(LENGTHS)):
        expected = by_autograd(attention, readout, row)
        np.testing.assert_allclose(found[row], expected, rtol=1e-8, atol=1e-12)
        own = decided_without(attention, readout, row, [])
        np.testing.assert_allclose(decided[row], expected[:, own], rtol=1e-8, atol=1e-12)
    # Probabilities sum to 1.
    assert found.values.sum(axis=1) == pytest.approx(0, abs=1e-12)


def test_gradients_by_hand():
    attention = Ragged.from_lists([[0.5, 0.3, 0.2]])
    readout = binary(attention.with_values(np.array([2.0, -1.0, 1.0])), 0.1)
    # Logit 1: p (1 - p) = .19661.
    slope = 0.19661193324148185 * np.array([2.0, -1.0, 1.0])
    assert class_gradients(attention, readout).values == pytest.approx(np.stack([-slope, slope], 1))
    product = weighted(attention, class_gradients(attention, readout)).values[:, 1]
    assert product == pytest.approx(slope * [0.5, 0.3, 0.2])


def test_gradients_of_saturated_predictions_keep_their_order():
    # p differs from 1 by 3e-22, which float64 does not see beside 1.
    attention = Ragged.from_lists([[0.5, 0.3, 0.2]])
    states = np.array([50.0, 40.0, 60.0])
    two = class_gradients(attention, binary(attention.with_values(states), 0.0))
    assert two.values[:, 1] == pytest.approx(np.exp(-49.0) * states, rel=1e-9, abs=0)
    columns = np.stack([np.zeros(3), states, states - 60], axis=1)
    more = class_gradients(attention, multiclass(attention.with_values(columns), np.zeros(3)))
    # The third class is less likely than the first by e^-11.
    expected = np.exp(-49.0) * states + np.exp(-60.0) * 60
    assert more.values[:, 1] == pytest.approx(expected, rel=1e-9, abs=0)


def test_contributions_by_hand():
    attention = Ragged.from_lists([[0.5, 0.3, 0.2]])
    projected = attention.with_values(np.array([[3.0, 0, 1], [0, 2, 1], [0, 1, 2]]))
    found = class_contributions(multiclass(projected, np.ones(3)))
    # Class 0 of the first token: 3 - (0 + 1) / 2.
    expected = np.array([[2.5, -2, -0.5], [-1.5, 1.5, 0], [-1.5, 0, 1.5]])
    assert found.values == pytest.approx(expected)
    allowed = np.array([[True, False, True]])
    some = class_contributions(multiclass(projected, np.ones(3), allowed=allowed)).values
    np.testing.assert_allclose(some, [[2, np.nan, -2], [-1, np.nan, 1], [-2, np.nan, 2]])
    two = class_contributions(binary(attention.with_values(np.array([2.0, -1.0, 1.0])), 0.1))
    assert two.values == pytest.approx(np.array([[-2.0, 2.0], [1, -1], [-1, 1]]))


@each_linear_kind
def test_contributions_add_up_to_the_logit_against_the_others(kind):
    attention, readout = documents(4, **kind)
    sums = weighted(attention, class_contributions(readout)).sums()
    logits = readout.logits(readout.context(attention))
    if readout.outputs == 1:
        logits, bias = np.concatenate([-logits / 2, logits / 2], 1), readout.bias * [-0.5, 0.5]
    else:
        bias = readout.bias
    for row, found in enumerate(sums):
        some = np.isfinite(logits[row])
        left = (logits[row] - bias)[some]
        others = (left.sum() - left) / (len(left) - 1)
        np.testing.assert_allclose(found[some], left - others, atol=1e-9)
        assert np.isnan(found[~some]).all()


def test_contributions_and_gradients_ignore_what_all_classes_share():
    attention, readout = documents(6, outputs=5)
    shared = np.random.default_rng(0).normal(0, 9, len(attention.values))[:, None]
    moved = readout.projected.with_values(readout.projected.values + shared)
    other = multiclass(moved, readout.bias)
    for one, two in (
        (class_contributions(readout), class_contributions(other)),
        (class_gradients(attention, readout), class_gradients(attention, other)),
    ):
        np.testing.assert_allclose(one.values, two.values, atol=1e-12)
        assert np.abs(one.values).max() > 0.1


def test_contributions_do_not_exist_where_the_readout_is_not_linear():
    _, readout = documents(0, **KINDS["pairs"])
    with pytest.raises(ValueError, match="linear"):
        class_contributions(readout)


def test_one_class_for_each_document():
    scores = Ragged.from_lengths(np.arange(12.0).reshape(4, 3), [1, 3])
    assert of_class(scores, np.array([2, 0])).values.tolist() == [2.0, 3.0, 6.0, 9.0]


@each_kind
def test_predicted_classes_are_the_definitions(kind):
    attention, readout = documents(8, **kind)
    expected = [decided_without(attention, readout, row, []) for row in range(len(LENGTHS))]
    assert predicted_classes(attention, readout).tolist() == expected
    assert len({*expected}) > 1
