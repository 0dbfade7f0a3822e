"""The correlation table: values, and why some are missing."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from attnnn.importance.correlation import PAIRS, correlate_pairs
from attnnn.ragged import Ragged


def ragged(*rows):
    return Ragged.from_lists(rows, np.float32)


@pytest.fixture
def columns():
    per_token = {
        "attention": ragged([0.5, 0.3, 0.2], [1.0], [0.5, 0.5], [0.9, 0.1], [0.5, 0.5]),
        "gradient": ragged([0.2, 0.3, 0.1], [0.4], [0.1, 0.3], [0.2, 0.2], [0.0, 0.0]),
        "leave_one_out": ragged([0.3, 0.2, 0.1], [np.nan], [0.1, 0.3], [0.2, 0.1], [np.nan, 0.1]),
    }
    return correlate_pairs(np.array([7, 3, 9, 4, 5]), np.array([0, 1, 1, 0, 1]), per_token)


def cells(columns, pair, name):
    return [
        value for value, here in zip(columns[name], columns["pair"], strict=True) if here == pair
    ]


def test_every_document_has_a_row_for_every_pair(columns):
    assert sorted(set(columns["pair"])) == sorted(f"{x}~{y}" for x, y in PAIRS)
    for first, second in PAIRS:
        assert cells(columns, f"{first}~{second}", "document") == [7, 3, 9, 4, 5]
        assert cells(columns, f"{first}~{second}", "predicted") == [0, 1, 1, 0, 1]
        assert cells(columns, f"{first}~{second}", "tokens") == [3, 1, 2, 2, 2]


def test_tau_and_p_value(columns):
    expected = kendalltau([0.5, 0.3, 0.2], [0.2, 0.3, 0.1])
    assert cells(columns, "attention~gradient", "tau")[0] == pytest.approx(expected.statistic)
    assert cells(columns, "attention~gradient", "p_value")[0] == pytest.approx(expected.pvalue)


def test_reasons(columns):
    assert cells(columns, "attention~gradient", "excluded") == [
        None,
        "one token",
        "constant attention",
        "constant gradient",
        "constant attention, constant gradient",
    ]
    assert cells(columns, "attention~leave_one_out", "excluded")[3:] == [
        None,
        "constant attention, undefined leave_one_out",
    ]


def test_tau_is_null_exactly_where_there_is_a_reason(columns):
    for tau, p_value, reason in zip(
        columns["tau"], columns["p_value"], columns["excluded"], strict=True
    ):
        assert (tau is None) == (p_value is None) == (reason is not None)
