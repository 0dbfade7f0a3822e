"""Kendall's τ-b with its p-value for all documents in one call."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from attnnn.ragged import Ragged

# Documents are counted in portions of about this many tokens, small enough for the processor's cache.
_PORTION = 1 << 15

# Up to this length, and without ties, p-values are exact (as in scipy's `kendalltau`).
_EXACT_UP_TO = 33


def kendall_tau(x: Ragged, y: Ragged) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Kendall's τ-b between two values per token, and its two-sided p-value, for every document.

    τ-b = (C − D) / √((C + D + T_x)(C + D + T_y)) with C concordant and D discordant pairs of tokens and
    T_x, T_y pairs tied in x or y alone. The p-value tests τ = 0: exactly (Kendall's recursion) where no
    values are tied and n ≤ 33 or at most one pair breaks a perfect order; otherwise with the normal
    approximation and the tie-corrected variance. These are the rules of scipy's ``kendalltau``.

    Time is O(n log n) a document; beyond its input it needs memory for the longest document only.

    Args:
        x: one number for every token.
        y: another one for the same tokens.

    Returns:
        τ-b in [−1, 1] and p-value, each of shape (documents,). Both are NaN where τ is undefined: fewer
        than two tokens, a constant vector, or a NaN among the values.

    Raises:
        ValueError: the documents differ in length.

    Source: Kendall 1938, Biometrika 30 (τ and its distribution); Kendall 1945, Biometrika 33 (ties);
    Kendall 1970, Rank Correlation Methods, chapters 4 and 5. Used as in Jain & Wallace 2019, section 4.1.
    """
    if not np.array_equal(x.offsets, y.offsets):
        raise ValueError("expected two values for every token, but the documents differ in length")
    tau, p_value = np.full(len(x), np.nan), np.full(len(x), np.nan)
    x, y = (v if v.values.dtype.kind == "f" else _as_float(v) for v in (x, y))
    finite = ~(_any_nan(x) | _any_nan(y))
    for documents in _portions(x.lengths, np.flatnonzero(finite & (x.lengths >= 2))):
        pairs = _count_pairs(x.take(documents), y.take(documents))
        tau[documents], p_value[documents] = _tau(pairs), _p_value(pairs)
    return tau, p_value


@dataclass(frozen=True)
class _Ties:
    """Over the groups of c equal values in a document: sums of c(c−1)/2, c(c−1)(c−2), c(c−1)(2c+5)."""

    pairs: NDArray[np.float64]
    cubic: NDArray[np.float64]
    variance: NDArray[np.float64]


@dataclass(frozen=True)
class _Pairs:
    """Counts of pairs of tokens, shape (documents,); exact integers up to n of about 10^8."""

    n: NDArray[np.int64]
    x: _Ties
    y: _Ties
    both: NDArray[np.float64]
    discordant: NDArray[np.float64]

    @property
    def total(self) -> NDArray[np.float64]:
        return self.n * (self.n - 1.0) / 2

    @property
    def excess(self) -> NDArray[np.float64]:
        """Concordant minus discordant."""
        return self.total - self.x.pairs - self.y.pairs + self.both - 2 * self.discordant

    @property
    def defined(self) -> NDArray[np.bool_]:
        """Neither vector is constant."""
        return (self.x.pairs < self.total) & (self.y.pairs < self.total)


def _portions(lengths: NDArray[np.int64], usable: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Documents of alike length together: in a portion, none is twice as long as another."""
    if not len(usable):
        return []
    order = usable[np.argsort(lengths[usable], kind="stable")]
    octave = np.frexp(lengths[order])[1]
    share = np.cumsum(lengths[order]) // _PORTION
    return np.split(order, np.flatnonzero(np.diff(octave) | np.diff(share)) + 1)


def _as_float(values: Ragged) -> Ragged:
    return values.with_values(values.values.astype(np.float64))


def _any_nan(values: Ragged) -> NDArray[np.bool_]:
    return values.with_values(np.isnan(values.values)).sums() > 0


def _count_pairs(x: Ragged, y: Ragged) -> _Pairs:
    by_y = _order(y)
    y_in_order = y.with_values(y.values[by_y])
    y_opens = _opens_run(y_in_order)
    # A stable sort by x of what is sorted by y: ties in x ascend in y, so that a pair is discordant
    # iff its y descends.
    x_by_y = x.with_values(x.values[by_y])
    by_x = _order(x_by_y)
    x_in_order = x.with_values(x_by_y.values[by_x])
    x_opens = _opens_run(x_in_order)
    y_rank = x.with_values(_dense_ranks(y_in_order, y_opens)[by_x])
    # Ties in y must not descend either: among equals, ranks follow the order by x.
    rank = np.empty_like(by_x)
    rank[_order(y_rank)] = np.arange(len(by_x))
    return _Pairs(
        n=x.lengths,
        x=_ties(x_in_order, x_opens),
        y=_ties(y_in_order, y_opens),
        both=_ties(y_rank, x_opens | _opens_run(y_rank)).pairs,
        discordant=_inversions(x.with_values(rank)),
    )


def _order(values: Ragged) -> NDArray[np.int64]:
    """Indices that sort every document within its own place, stably."""
    # Above every rank; and the sort being stable, padding stays on the right even of infinity.
    last = np.inf if values.values.dtype.kind == "f" else float(values.lengths.max())
    columns = np.argsort(values.padded(last), axis=1, kind="stable")
    real = np.arange(columns.shape[1]) < values.lengths[:, None]
    return columns[real] + np.repeat(values.offsets[:-1], values.lengths)


def _opens_run(in_order: Ragged) -> NDArray[np.bool_]:
    """Whether each value opens a run of equal values of its document; every document has values."""
    values = in_order.values
    opens = np.empty(len(values), np.bool_)
    opens[1:] = values[1:] != values[:-1]
    opens[in_order.offsets[:-1]] = True
    return opens


def _dense_ranks(in_order: Ragged, opens: NDArray[np.bool_]) -> NDArray[np.generic]:
    """Ranks 0, 1, … of sorted values, equal values sharing one; small integers sort fastest."""
    steps = np.cumsum(opens, dtype=np.int64)
    ranks = steps - np.repeat(steps[in_order.offsets[:-1]], in_order.lengths)
    return ranks if in_order.lengths.max() >= 1 << 15 else ranks.astype(np.int16)


def _ties(in_order: Ragged, opens: NDArray[np.bool_]) -> _Ties:
    starts = np.flatnonzero(opens)
    count = np.diff(starts, append=len(opens))
    tied = np.flatnonzero(count > 1)
    document = in_order.documents[starts[tied]]
    size = count[tied].astype(np.float64)

    def summed(terms: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(document, terms, len(in_order)).astype(np.float64)

    pairs = size * (size - 1)
    return _Ties(summed(pairs / 2), summed(pairs * (size - 2)), summed(pairs * (2 * size + 5)))


def _inversions(rank: Ragged) -> NDArray[np.float64]:
    """Pairs of positions whose ranks descend, in every document.

    `rank` holds a permutation of 0 … N−1 that maps each document onto its own range. The ranks are
    radix-sorted from the highest bit down, all documents side by side. Two ranks that descend part
    at the highest bit in which they differ, the larger one being in front: counted there, once.
    """
    start = np.repeat(rank.offsets[:-1], rank.lengths).astype(np.int32)
    local = rank.values.astype(np.int32) - start
    place = np.arange(len(local), dtype=np.int32)
    total = np.zeros(len(rank))
    for bit in reversed(range(int(rank.lengths.max() - 1).bit_length())):
        one = (local >> bit) & 1
        group = start + ((local >> (bit + 1)) << (bit + 1))
        ones_before = np.cumsum(one, dtype=np.int32) - one
        ones_before -= ones_before[group]
        total += np.add.reduceat(ones_before * (1 - one), rank.offsets[:-1], dtype=np.float64)
        # A group with a one holds all its 2^bit zeros, since its ranks have no gap.
        target = np.where(one, group + (1 << bit) + ones_before, place - ones_before)
        moved = np.empty_like(local)
        moved[target] = local
        local = moved
    return total


def _tau(pairs: _Pairs) -> NDArray[np.float64]:
    tau = np.full(len(pairs.n), np.nan)
    np.divide(
        pairs.excess,
        np.sqrt(pairs.total - pairs.x.pairs) * np.sqrt(pairs.total - pairs.y.pairs),
        out=tau,
        where=pairs.defined,
    )
    return np.asarray(np.clip(tau, -1.0, 1.0))


def _p_value(pairs: _Pairs) -> NDArray[np.float64]:
    p_value = np.full(len(pairs.n), np.nan)
    breaks = np.minimum(pairs.discordant, pairs.total - pairs.discordant).astype(np.int64)
    untied = (pairs.x.pairs == 0) & (pairs.y.pairs == 0)
    exact = untied & ((pairs.n <= _EXACT_UP_TO) | (breaks <= 1))
    for n in np.unique(pairs.n[exact]):
        chosen = exact & (pairs.n == n)
        p_value[chosen] = _exact_p_values(int(n))[breaks[chosen]]
    normal = pairs.defined & ~exact
    p_value[normal] = _normal_p_values(pairs)[normal]
    return p_value


@cache
def _exact_p_values(n: int) -> NDArray[np.float64]:
    """Two-sided p-value by number of discordant (or concordant) pairs, whichever is fewer.

    The table is whole up to n = 33 and has the entries 0 and 1 beyond. The number of permutations of n
    with c inversions comes from those of n − 1: the new largest element adds 0 … n − 1 inversions.
    """
    if n > _EXACT_UP_TO:
        # The log-gamma form underflows to 0 instead of overflowing.
        return np.exp(math.log(2) - np.array([math.lgamma(n + 1), math.lgamma(n)]))
    counts = [1]
    for size in range(2, n + 1):
        sums = [0]
        for count in counts + [0] * (size - 1):
            sums.append(sums[-1] + count)
        counts = [sums[c + 1] - sums[max(0, c + 1 - size)] for c in range(len(sums) - 1)]
    table, tail = [], 0
    for count in counts[: n * (n - 1) // 4 + 1]:
        tail += count
        table.append(min(1.0, 2 * tail / math.factorial(n)))
    return np.array(table)


def _normal_p_values(pairs: _Pairs) -> NDArray[np.float64]:
    from scipy.special import ndtr

    n, x, y = pairs.n.astype(np.float64), pairs.x, pairs.y
    ordered = n * (n - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (
            (ordered * (2 * n + 5) - x.variance - y.variance) / 18
            + 2 * x.pairs * y.pairs / ordered
            + x.cubic * y.cubic / (9 * ordered * (n - 2))
        )
        z = np.abs(pairs.excess) / np.sqrt(variance)
    return np.asarray(2 * ndtr(-z))
