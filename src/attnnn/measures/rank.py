"""Kendall's τ-b with its p-value for all documents in one call."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attnnn.tables.ragged import Ragged, unpadded

# Documents are counted in portions of about this many tokens, small enough for the processor's cache.
_PORTION = 1 << 15

# Bits of a rank where two share an integer.
_RANK_BITS = 31

# Columns within which ranks are compared pair by pair; a power of 2.
_COMPARED = 16

# Up to this length, and without ties, p-values are exact (as in scipy's `kendalltau`).
_EXACT_UP_TO = 33


def kendall_tau(x: Ragged, y: Ragged) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Kendall's τ-b between two values per token, and its two-sided p-value, for every document.

    τ-b = (C − D) / √((C + D + T_x)(C + D + T_y)) with C concordant and D discordant pairs of tokens and
    T_x, T_y pairs tied in x or y alone. The p-value tests τ = 0: exactly (Kendall's recursion) where no
    values are tied and n ≤ 33 or at most one pair breaks a perfect order; otherwise with the normal
    approximation and the tie-corrected variance. These are the rules of scipy's ``kendalltau``.

    Time is O(n log² n) per document; beyond its input it needs memory for the longest document only.

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
    (x_rank, x_ties), (y_rank, y_ties) = _ranked(x), _ranked(y)
    # Sorted by x, and by y where x is tied, so that a pair is discordant iff its y descends. Padding
    # is above every rank.
    width = int(x.lengths.max())
    pairs = x.with_values((x_rank << _RANK_BITS) | y_rank)
    both = pairs.padded((width << _RANK_BITS) | width).astype(np.int64, copy=False)
    both.sort(axis=1)
    in_order = unpadded(both, x.lengths)
    return _Pairs(
        n=x.lengths,
        x=x_ties,
        y=y_ties,
        both=_ties(in_order, _opens_run(in_order)).pairs,
        discordant=_inversions((both & ((1 << _RANK_BITS) - 1)).astype(np.int32)),
    )


def _ranked(values: Ragged) -> tuple[NDArray[np.int64], _Ties]:
    """Ranks 0, 1, … in each document, equal values sharing one, and how many share."""
    order = _order(values)
    in_order = values.with_values(values.values[order])
    opens = _opens_run(in_order)
    steps = np.cumsum(opens, dtype=np.int64)
    rank = np.empty_like(steps)
    rank[order] = steps - np.repeat(steps[values.offsets[:-1]], values.lengths)
    return rank, _ties(in_order, opens)


def _order(values: Ragged) -> NDArray[np.int64]:
    """Indices that sort every document within its own place."""
    # Padding is above every value, except that infinity needs a stable sort to stay in front of it.
    kind: Literal["stable"] | None = "stable" if np.isinf(values.values).any() else None
    columns = np.argsort(values.padded(np.inf), axis=1, kind=kind)
    real = np.arange(columns.shape[1]) < values.lengths[:, None]
    return columns[real] + np.repeat(values.offsets[:-1], values.lengths)


def _opens_run(in_order: Ragged) -> NDArray[np.bool_]:
    """Whether each value opens a run of equal values of its document; every document has values."""
    values = in_order.values
    opens = np.empty(len(values), np.bool_)
    opens[1:] = values[1:] != values[:-1]
    opens[in_order.offsets[:-1]] = True
    return opens


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


def _inversions(rank: NDArray[np.int32]) -> NDArray[np.float64]:
    """Pairs of columns that descend, of every row; padding on the right is above every rank.

    Pairs within 16 columns are compared. Then, as in a merge sort from the bottom up, each two halves
    are sorted together with the half as lowest bit, equal ranks of the left half first. Where the right
    half's w values then stand says how many values of the left half each has behind it: those at
    positions p have Σ (w − p) + w(w − 1)/2.
    """
    rows, longest = rank.shape
    half, width = _COMPARED, max(_COMPARED, 1 << int(longest - 1).bit_length())
    padded = np.full((rows, width), longest, np.int32)
    padded[:, :longest] = rank
    total = np.zeros(rows)
    # One distance between columns after the other, which needs no memory for all pairs.
    block = padded.reshape(rows, -1, half)
    for apart in range(1, half):
        total += (block[..., :-apart] > block[..., apart:]).sum(axis=(1, 2))
    while half < width:
        halves = (padded << 1).reshape(rows, -1, 2, half)
        halves[:, :, 1] |= 1
        merged = halves.reshape(rows, -1, 2 * half)
        merged.sort(axis=-1)
        places = ((merged & 1) * np.arange(2 * half, dtype=np.int32)).sum(
            axis=(1, 2), dtype=np.int64
        )
        total += merged.shape[1] * (half * half + half * (half - 1) / 2) - places
        padded, half = merged.reshape(rows, width) >> 1, 2 * half
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
