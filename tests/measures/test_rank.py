"""Kendall's τ-b and its p-value against scipy, document by document."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from attnnn.measures import kendall_tau, rank
from attnnn.tables.ragged import Ragged


def scipy_tau(x, y):
    """One scipy call a document; scipy warns of samples of fewer than two values."""
    rows = [kendalltau(a, b) if len(a) > 1 else (np.nan, np.nan) for a, b in zip(x, y, strict=True)]
    return np.array(rows).T.reshape(2, -1)


def assert_equals_scipy(x, y):
    tau, p_value = kendall_tau(x, y)
    expected_tau, expected_p = scipy_tau(x, y)
    np.testing.assert_allclose(tau, expected_tau, rtol=0, atol=1e-12)
    np.testing.assert_allclose(p_value, expected_p, rtol=1e-9, atol=1e-300)


@st.composite
def pairs(draw):
    """Documents of 0 to 45 tokens with few or many ties, constants and perfect orders included."""
    lengths = draw(st.lists(st.integers(0, 45), min_size=1, max_size=6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    levels = draw(st.sampled_from([1, 2, 3, 8, 10**6]))
    x = [rng.integers(levels, size=n) / 8 for n in lengths]
    kind = draw(st.sampled_from(["free", "equal", "opposite", "coarse"]))
    y = {
        "free": [rng.integers(levels, size=n) / 8 for n in lengths],
        "equal": x,
        "opposite": [-row for row in x],
        "coarse": [np.floor(row) for row in x],
    }[kind]
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    return Ragged.from_lists(x, dtype), Ragged.from_lists(y, dtype)


@given(pairs())
def test_equals_scipy(pair):
    assert_equals_scipy(*pair)


def test_by_hand():
    # Pairs (1,2) (1,3) (2,3): two concordant, one discordant, no ties: τ = 1/3, and 3 of the 6
    # orders of three are as far from even as that on either side: p = 1.
    x, y = Ragged.from_lists([[1, 2, 3]]), Ragged.from_lists([[1, 3, 2]])
    tau, p_value = kendall_tau(x, y)
    assert tau == pytest.approx([1 / 3])
    assert p_value == pytest.approx([1.0])


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7])
def test_exact_p_values_by_enumerating_all_orders(n):
    orders = list(itertools.permutations(range(n)))
    inversions = [sum(a > b for a, b in itertools.combinations(order, 2)) for order in orders]
    y = Ragged.from_lists(orders)
    x = Ragged.from_lists([np.arange(n)] * len(orders))
    _, p_value = kendall_tau(x, y)
    total = n * (n - 1) // 2
    for discordant in range(total + 1):
        fewer = min(discordant, total - discordant)
        share = np.mean([i <= fewer for i in inversions])
        here = p_value[np.equal(inversions, discordant)]
        assert here == pytest.approx(np.full(len(here), min(1.0, 2 * share)))


@pytest.mark.parametrize("n", [33, 34, 170, 171, 172, 400])
def test_perfect_and_almost_perfect_orders_of_long_documents(n):
    ascending = np.arange(n, dtype=float)
    swapped = ascending.copy()
    swapped[[4, 5]] = swapped[[5, 4]]
    x = Ragged.from_lists([ascending] * 4)
    y = Ragged.from_lists([ascending, swapped, -ascending, -swapped])
    tau, p_value = kendall_tau(x, y)
    expected_tau, expected_p = scipy_tau(x, y)
    np.testing.assert_allclose(tau, expected_tau, rtol=0, atol=1e-12)
    np.testing.assert_allclose(p_value, expected_p, rtol=1e-9, atol=1e-305)


@pytest.mark.parametrize("levels", [4, 40, 10**9])
def test_long_documents_among_short_ones(levels):
    rng = np.random.default_rng(3)
    lengths = [3000, 2, 180, 1, 1025, 33, 34, 4097, 512]
    x, y = (Ragged.from_lists([rng.integers(levels, size=n) for n in lengths]) for _ in range(2))
    assert_equals_scipy(x, y)


def test_portions_do_not_matter(monkeypatch):
    rng = np.random.default_rng(4)
    lengths = rng.integers(0, 60, 200)
    x, y = (Ragged.from_lengths(rng.integers(30, size=lengths.sum()), lengths) for _ in range(2))
    whole = kendall_tau(x, y)
    monkeypatch.setattr(rank, "_PORTION", 40)
    np.testing.assert_array_equal(np.array(kendall_tau(x, y)), np.array(whole))


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([1.0], [2.0]),
        ([1.0, 1.0], [1.0, 2.0]),
        ([1.0, 2.0, 3.0], [5.0, 5.0, 5.0]),
        ([1.0, np.nan, 2.0], [1.0, 2.0, 3.0]),
    ],
    ids=["no token", "one token", "two constant tokens", "constant", "nan"],
)
def test_undefined(x, y):
    defined = [1.0, 2.0, 3.0, 4.0]
    tau, p_value = kendall_tau(Ragged.from_lists([x, defined]), Ragged.from_lists([y, defined]))
    assert np.isnan([tau[0], p_value[0]]).all()
    assert tau[1] == 1.0
    assert p_value[1] == pytest.approx(2 / 24)


def test_infinite_values_have_ranks_too():
    x = Ragged.from_lists([[np.inf, 1.0, -np.inf], [1.0, 2.0, 3.0, 4.0, np.inf]])
    y = Ragged.from_lists([[2.0, 1.0, 0.0], [np.inf, 2.0, np.inf, 0.0, 1.0]])
    assert_equals_scipy(x, y)


def test_no_document():
    nothing = Ragged.from_lists([], np.float64)
    assert [len(part) for part in kendall_tau(nothing, nothing)] == [0, 0]


def test_documents_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="differ in length"):
        kendall_tau(Ragged.from_lists([[1.0, 2.0]]), Ragged.from_lists([[1.0, 2.0, 3.0]]))
