"""Exact tests and intervals of proportions: hand numbers, scipy, and what they promise."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from attnnn.measures import mcnemar_test, proportion_interval


def test_mcnemar_by_hand():
    # 1 of 5: 2 (1 + 5) / 2⁵; 0 of 3: 2 / 2³; as many on either side, or none at all: 1.
    found = mcnemar_test([1, 4, 0, 2, 0], [4, 1, 3, 2, 0])
    assert found == pytest.approx([0.375, 0.375, 0.25, 1.0, 1.0], rel=1e-12)


def test_mcnemar_is_the_binomial_test_of_pairs_that_differ():
    first, second = np.meshgrid(np.arange(25), [0, 1, 7, 24, 300])
    found = mcnemar_test(first, second)
    for (at, p), other in zip(np.ndenumerate(found), second.ravel(), strict=True):
        pairs = int(first[at]) + int(other)
        assert p == pytest.approx(binomtest(int(first[at]), pairs).pvalue if pairs else 1, rel=1e-9)


def test_intervals_by_hand():
    # None of 10: 1 - (α/2)^(1/10); all of 10 is its mirror; of nothing, nothing is known.
    low, high = proportion_interval([0, 10, 0], [10, 10, 0])
    end = 1 - 0.025**0.1
    np.testing.assert_allclose(low, [0, 1 - end, np.nan], rtol=1e-12)
    np.testing.assert_allclose(high, [end, 1, np.nan], rtol=1e-12)


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_intervals_equal_scipy(level):
    for n in (1, 2, 17, 4_000):
        for k in {0, 1, n // 3, n}:
            expected = binomtest(k, n).proportion_ci(level, method="exact")
            low, high = proportion_interval(k, n, level=level)
            assert (low, high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_intervals_cover_with_at_least_their_level():
    k = np.arange(41)
    low, high = proportion_interval(k, 40)
    for share in np.linspace(0.01, 0.99, 50):
        assert binom.pmf(k, 40, share)[(low <= share) & (share <= high)].sum() >= 0.95
