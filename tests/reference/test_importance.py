"""Predictions, importance and its correlation equal what Jain & Wallace's code computed."""

import numpy as np
import pytest

from attnnn.importance.gradient import gradient
from attnnn.importance.leave_one_out import leave_one_out
from attnnn.measures import kendall_tau
from attnnn.models.inputs import Inputs
from attnnn.models.prediction import predict

pytestmark = pytest.mark.reference


@pytest.fixture(scope="module")
def predictions(reference):
    return predict(reference.classifier, Inputs(reference.tokens))


def test_probabilities(reference, predictions):
    np.testing.assert_allclose(predictions.probability, reference["probability"], rtol=0, atol=1e-5)


def test_attention(reference, predictions):
    expected = reference.per_token("attention").values
    np.testing.assert_allclose(predictions.attention.values, expected, rtol=0, atol=1e-5)


def test_gradient(reference):
    found = gradient(reference.classifier, Inputs(reference.tokens)).signed
    expected = reference.per_token("gradient_times_input").values
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-5)


def test_leave_one_out(reference):
    found = leave_one_out(reference.classifier, Inputs(reference.tokens)).signed
    whole = reference["probability"].astype(np.float64)[found.documents]
    expected = reference.per_token("leave_one_out_probability").values - whole
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-5)


def assert_tau(found, expected):
    """τ to 1e-9, p-values to 1e-9 of themselves."""
    tau, p_value = found
    np.testing.assert_allclose(tau, expected[:, 0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(p_value, expected[:, 1], rtol=1e-9, atol=1e-300)


def test_tau_of_attention_and_gradient(reference):
    magnitude = reference.per_token("gradient_times_input")
    magnitude = magnitude.with_values(np.abs(magnitude.values))
    found = kendall_tau(reference.per_token("attention"), magnitude)
    assert_tau(found, reference["tau_attention_gradient"])


def test_tau_of_attention_and_leave_one_out(reference):
    without = reference.per_token("leave_one_out_probability")
    whole = reference["probability"][without.documents]
    change = without.with_values(np.abs(without.values - whole))
    found = kendall_tau(reference.per_token("attention"), change)
    assert_tau(found, reference["tau_attention_leave_one_out"])
