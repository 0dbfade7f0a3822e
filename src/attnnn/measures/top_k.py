"""How far the most important tokens by two scores are from each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnnn.measures.rank import _count_pairs, _portions
from attnnn.tables.ragged import Ragged

_LEAST, _SHARE = 10, 0.1


def top_k_of(lengths: NDArray[np.int64]) -> int:
    """How many tokens of a document are at its top: 10, or a tenth of the mean length if that is more.

    Args:
        lengths: tokens of each document, shape (documents,).

    Source: Jain & Wallace's released code.
    """
    mean = float(np.mean(lengths)) if len(lengths) else 0.0
    return max(_LEAST, round(_SHARE * mean))


def top_k_distance(x: Ragged, y: Ragged, k: int, *, penalty: float = 0.5) -> NDArray[np.float64]:
    """Kendall's distance between the k highest-scoring tokens by `x` and by `y`, of every document.

    Over the pairs of tokens in either list, a pair counts 1 if the lists contradict each other on its order
    (a token outside a list comes after all those in it), `penalty` if both tokens are in one list and
    neither in the other, which is silent on their order, and 0 otherwise. The sum is divided by the
    largest that two lists of so many tokens can have: 0 means the same tokens in the same order, 1 that the
    lists have as few tokens in common as the document allows, and are opposite in those. Of tokens with
    equal scores the earlier one ranks higher.

    Args:
        x: one number for every token, higher being more important.
        y: another one for the same tokens.
        k: length of the lists; a document of fewer tokens has lists of all its tokens.
        penalty: for pairs that only one list orders, from 0 to 1/2.

    Returns:
        Shape (documents,), in [0, 1]; NaN of a document of fewer than two tokens, or with a NaN among
        its values.

    Raises:
        ValueError: the documents differ in length, k is below 1, or the penalty is out of range.

    Source: Fagin, Kumar & Sivakumar 2003, SIAM Journal on Discrete Mathematics 17, section 3.1,
    K^(p) with p = 1/2.
    """
    if not np.array_equal(x.offsets, y.offsets):
        raise ValueError("expected two values for every token, but the documents differ in length")
    if k < 1 or not 0 <= penalty <= 0.5:
        raise ValueError(
            f"expected k of at least 1 and a penalty from 0 to 1/2, got {k}, {penalty}"
        )
    distance = np.full(len(x), np.nan)
    missing = x.with_values(np.isnan(x.values) | np.isnan(y.values)).sums() > 0
    for documents in _portions(x.lengths, np.flatnonzero(~missing & (x.lengths >= 2))):
        first, second = (np.minimum(_ranks(v.take(documents)), k) for v in (x, y))
        lengths = x.lengths[documents]
        distance[documents] = _sum(first, second, lengths, k, penalty) / _largest(
            lengths, k, penalty
        )
    return distance


def _ranks(values: Ragged) -> NDArray[np.int64]:
    """Rank of every token in its document, 0 for the highest score."""
    order = np.lexsort((-values.values.astype(np.float64), values.documents))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = values.positions
    return ranks


def _sum(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    lengths: NDArray[np.int64],
    k: int,
    penalty: float,
) -> NDArray[np.float64]:
    """K^(p) of lists given as ranks, k being the common rank of all that is outside."""
    listed = (first < k) | (second < k)
    documents = np.repeat(np.arange(len(lengths)), lengths)
    union = np.bincount(documents[listed], minlength=len(lengths))
    # With that common rank, contradicting pairs are Kendall's discordant ones, and pairs that one
    # list alone orders are those tied in the other alone.
    pairs = _count_pairs(
        *(Ragged.from_lengths(ranks[listed].astype(np.float64), union) for ranks in (first, second))
    )
    tied_in_one = pairs.x.pairs + pairs.y.pairs - 2 * pairs.both
    return np.asarray(pairs.discordant + penalty * tied_in_one)


def _largest(lengths: NDArray[np.int64], k: int, penalty: float) -> NDArray[np.float64]:
    """The largest K^(p) of two lists of k of n tokens.

    As few tokens as possible are in both lists, below all others and in opposite orders. (Each token
    less in common adds more than it takes, whatever the penalty.)
    """
    listed = np.minimum(lengths, k).astype(np.float64)
    alone = np.minimum(listed, lengths - listed)
    common = listed - alone
    return np.asarray(
        common * (common - 1) / 2 + alone**2 + 2 * alone * common + penalty * alone * (alone - 1)
    )
