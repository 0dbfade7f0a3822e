"""Exact tests and intervals of proportions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def mcnemar_test(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Exact two-sided McNemar test of paired outcomes.

    If neither side is favoured, the number of differing pairs on one side is binomial with probability ½.
    This is the sign test. `proportion_interval(first, first + second)` says how far from ½ the share is.

    Args:
        first: how many pairs have the outcome on the first side alone.
        second: how many have it on the second side alone, broadcast against `first`.

    Returns:
        p-values; 1 where no pair differs.

    Source: McNemar 1947, Psychometrika 12, with the exact binomial distribution.
    """
    from scipy.special import bdtr

    one, other = np.asarray(first, np.int64), np.asarray(second, np.int64)
    return np.asarray(np.minimum(1.0, 2 * bdtr(np.minimum(one, other), one + other, 0.5)))


def proportion_interval(
    count: ArrayLike, of: ArrayLike, *, level: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Exact interval of a proportion, which covers it with at least the level.

    Args:
        count: successes.
        of: trials, broadcast against `count`.
        level: probability content.

    Returns:
        Lower and upper end; both NaN of no trial.

    Source: Clopper & Pearson 1934, Biometrika 26.
    """
    from scipy.special import betaincinv

    k, n = np.broadcast_arrays(np.asarray(count, np.float64), np.asarray(of, np.float64))
    tail = (1 - level) / 2
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail), 1.0)
    some = n > 0
    return np.where(some, low, np.nan), np.where(some, high, np.nan)
