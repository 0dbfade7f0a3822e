"""The top-k Kendall distance: by hand, against a loop over pairs, and its bounds."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnnn.measures import top_k_distance, top_k_of
from attnnn.tables.ragged import Ragged


def distance(x, y, k, **options):
    return float(top_k_distance(Ragged.from_lists([x]), Ragged.from_lists([y]), k, **options)[0])


@pytest.mark.parametrize(
    ("x", "y", "k", "expected"),
    [
        # Tokens a, b, c, d. Lists ab and cd: four pairs contradict, ab and cd are each in one list
        # alone and count one half: 5, which is the most that two lists of 2 of 4 can have.
        ([9, 8, 1, 0], [1, 0, 9, 8], 2, 1.0),
        # ab and bc: a before b though b alone is in the second, 1; b before c as expected, 0; a and
        # c in one list each, 1: 2 of 5.
        ([9, 8, 1, 0], [1, 9, 8, 0], 2, 0.4),
        # ab and ba: one pair, in opposite orders.
        ([9, 8, 1, 0], [8, 9, 1, 0], 2, 0.2),
        # ab and ab, whatever the others' order.
        ([9, 8, 1, 0], [9, 8, 0, 1], 2, 0.0),
        # Lists of all three tokens: Kendall's distance, one of three pairs being discordant.
        ([3, 2, 1], [3, 1, 2], 10, 1 / 3),
        # abc and adc of four: (a,b) 0, (a,c) 0, (a,d) 0, (b,c): b before c, c alone in the second, 1;
        # (b,d) 1; (c,d): d before c, c alone in the first, 1. The most, with one token alone in each
        # list and two common and opposite ones below it: 1 + 1 + 2·1·2 = 6.
        ([9, 8, 7, 0], [9, 0, 7, 8], 3, 0.5),
        # Equal scores: the earlier token ranks higher.
        ([1, 1, 1], [3, 2, 1], 2, 0.0),
    ],
)
def test_by_hand(x, y, k, expected):
    assert distance(x, y, k) == pytest.approx(expected)


def test_penalty_is_for_pairs_that_one_list_alone_orders():
    # Lists ab and cd: 4 + 2p, of as much at most; lists ab and bc have no such pair: 2 of 4 + 2p.
    assert distance([9, 8, 1, 0], [1, 0, 9, 8], 2, penalty=0) == 1
    assert distance([9, 8, 1, 0], [1, 9, 8, 0], 2, penalty=0) == 0.5
    # abc and dbe of five: a-d, a-e, c-d, c-e, b-e agrees: 0, a-b 1, b-c 0, b-d 1: six, and p for ac and de.
    # At most: 4 + 2·2·1 + 2p = 8 + 2p.
    x, y = [9, 8, 7, 1, 0], [1, 8, 0, 9, 7]
    assert distance(x, y, 3, penalty=0) == pytest.approx(6 / 8)
    assert distance(x, y, 3) == pytest.approx(7 / 9)


def naive(x, y, k, penalty=0.5):
    """K^(p) by the four cases of Fagin, Kumar & Sivakumar 2003, section 3.1."""
    first, second = (list(np.argsort(-np.asarray(row), kind="stable")[:k]) for row in (x, y))
    total = 0.0
    for i, j in itertools.combinations(sorted(set(first) | set(second)), 2):
        lists = [[token for token in one if token in (i, j)] for one in (first, second)]
        if len(lists[0]) == len(lists[1]) == 2:
            total += lists[0] != lists[1]
        elif {len(one) for one in lists} == {1, 2}:
            pair, single = sorted(lists, key=len, reverse=True)
            total += pair[0] != single[0]
        elif {len(one) for one in lists} == {0, 2}:
            total += penalty
        else:
            total += 1
    return total


@given(
    st.integers(2, 9), st.integers(1, 6), st.integers(0, 2**32 - 1), st.sampled_from([0, 0.3, 0.5])
)
def test_equals_the_sum_over_pairs_in_units_of_opposite_orders(n, k, seed, penalty):
    rng = np.random.default_rng(seed)
    ascending = np.arange(n)
    rows = [rng.permutation(n) for _ in range(4)]
    x, y = (
        Ragged.from_lists([rows[0], *rows[:3], ascending]),
        Ragged.from_lists([*rows, -ascending]),
    )
    found = top_k_distance(x, y, k, penalty=penalty)
    opposite = naive(ascending, -ascending, k, penalty)
    expected = [naive(a, b, k, penalty) / opposite for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert (found[0], found[-1]) == (0, 1)


@pytest.mark.parametrize(("n", "k"), [(3, 1), (4, 2), (5, 3), (6, 3), (5, 4), (5, 9)])
def test_no_two_lists_are_further_apart_than_1(n, k):
    orders = list(itertools.permutations(range(n)))
    found = top_k_distance(
        Ragged.from_lists([orders[0]] * len(orders)), Ragged.from_lists(orders), k
    )
    assert found.max() == 1
    assert found.min() == 0


def test_undefined():
    x = Ragged.from_lists([[1.0], [], [np.nan, 1.0], [1.0, 2.0]])
    assert np.isnan(top_k_distance(x, x, 3)).tolist() == [True, True, True, False]


def test_long_and_short_documents_side_by_side():
    rng = np.random.default_rng(5)
    lengths = [3, 400, 12, 2, 90]
    x, y = ([rng.random(n) for n in lengths] for _ in range(2))
    found = top_k_distance(Ragged.from_lists(x), Ragged.from_lists(y), 10)
    alone = [distance(a, b, 10) for a, b in zip(x, y, strict=True)]
    np.testing.assert_array_equal(found, alone)


@pytest.mark.parametrize(
    ("lengths", "k"), [([5, 7], 10), ([100, 100], 10), ([179, 180], 18), ([200], 20), ([], 10)]
)
def test_k_is_a_tenth_of_the_mean_length_but_at_least_10(lengths, k):
    assert top_k_of(np.array(lengths, dtype=np.int64)) == k


def test_mistakes_are_refused():
    x, y = Ragged.from_lists([[1.0, 2.0]]), Ragged.from_lists([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="differ in length"):
        top_k_distance(x, y, 2)
    with pytest.raises(ValueError, match="k of at least 1"):
        top_k_distance(x, x, 0)
    with pytest.raises(ValueError, match="penalty"):
        top_k_distance(x, x, 2, penalty=0.7)
