"""The smallest set: by hand, against all sets, and against every ranking."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnnn.erasure.efficiency import Comparison, compare, times_smallest
from attnnn.erasure.flips import Flips, first_flips
from attnnn.erasure.rankings import ranking_flips
from attnnn.erasure.reasons import Reason
from attnnn.erasure.smallest import smallest_flips
from attnnn.tables.ragged import Ragged
from tests.erasure.naive import KINDS, LINEAR_KINDS, decided_without, documents
from tests.support import binary, multiclass

each_linear_kind = pytest.mark.parametrize("kind", LINEAR_KINDS.values(), ids=LINEAR_KINDS)


def test_the_bias_is_what_attention_times_gradient_misses():
    # b = 2. αs = .12, .2, -1.2, so attention × gradient begins with the second token. α(s + b) = 1.32, .6,
    # -.8, so erasing the first alone leaves -.2 (logit -.5), erasing the second .52, both -.8.
    attention = Ragged.from_lists([[0.6, 0.2, 0.2]])
    readout = binary(attention.with_values(np.array([0.2, 1.0, -6.0])), 2.0)
    found = ranking_flips(attention, readout, generator=np.random.default_rng(0))
    assert found["smallest"].count == [1]
    assert found["smallest"].mass == pytest.approx([0.6])
    assert found["attention_gradient"].count == [2]
    assert times_smallest(found["attention_gradient"], found["smallest"]) == [2.0]
    assert times_smallest(found["attention"], found["smallest"]) == [1.0]


def test_the_nearest_rival_is_not_always_the_cheapest():
    # Five tokens of weight .2. Class 0 has logit 0, class 1 .2 (-10 + 4 · 1.5) = -.8, class 2
    # .2 (-4 · .6 + 1.5) = -.18. Erasing the first token leaves class 1 4 · 1.5 > 0; class 2 needs two of the
    # first four gone: -3 · .6 + 1.5 < 0, then -2 · .6 + 1.5 > 0.
    attention = Ragged.from_lists([[0.2] * 5] * 3)
    one = np.array([[0, -10, -0.6], *[[0, 1.5, -0.6]] * 3, [0, 1.5, 1.5]])
    projected = attention.with_values(np.tile(one, (3, 1)))
    allowed = np.array([[True, True, True], [True, True, False], [True, False, True]])
    found = smallest_flips(attention, multiclass(projected, np.zeros(3), allowed=allowed))
    assert found.count.tolist() == [1, 1, 2]
    assert found.mass == pytest.approx([0.2, 0.2, 0.4])


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(1, 8), min_size=1, max_size=3),
    kind=st.sampled_from(sorted(LINEAR_KINDS)),
    erase_all=st.booleans(),
    zeros=st.booleans(),
)
def test_the_smallest_set_is_the_smallest_of_all_sets(seed, lengths, kind, erase_all, zeros):
    attention, readout = documents(seed, lengths, **LINEAR_KINDS[kind])
    if zeros:
        some = np.random.default_rng(seed).random(len(attention.values)) < 0.3
        attention = attention.with_values(np.where(some, 0, attention.values))
    found = smallest_flips(attention, readout, erase_all=erase_all)
    for row, n in enumerate(lengths):
        weights = attention[row]
        if n == 1 or not weights.any():
            assert found.count[row] == -1
            continue
        own = decided_without(attention, readout, row, [])
        sets = [
            chosen
            for size in range(1, n + 1)
            for chosen in combinations(range(n), size)
            if erase_all or np.delete(weights, chosen).any()
        ]
        expected = next(
            (len(s) for s in sets if decided_without(attention, readout, row, s) != own), -1
        )
        assert found.count[row] == expected
        of_that_size = [
            weights[list(s)].sum(dtype=np.float64)
            for s in sets
            if len(s) == expected and decided_without(attention, readout, row, s) != own
        ]
        if expected > 0:
            assert np.abs(np.subtract(of_that_size, found.mass[row])).min() < 1e-12
            assert found.fraction[row] == expected / n


@each_linear_kind
def test_a_set_exists_exactly_where_a_token_alone_would_decide_otherwise(kind):
    attention, readout = documents(1, [2, 3, 5, 8] * 10, spread=1.0, **kind)
    found = smallest_flips(attention, readout)
    for row, n in enumerate(attention.lengths):
        own = decided_without(attention, readout, row, [])
        alone = [decided_without(attention, readout, row, np.delete(range(n), t)) for t in range(n)]
        assert (found.count[row] > 0) == any(decided != own for decided in alone)
    assert {*found.reason} == {Reason.NONE, Reason.NEVER}


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(sorted(LINEAR_KINDS)),
    erase_all=st.booleans(),
)
def test_no_ranking_needs_fewer_than_the_smallest_set(seed, kind, erase_all):
    attention, readout = documents(seed, [3, 20, 60, 11], spread=4.0, **LINEAR_KINDS[kind])
    found = ranking_flips(
        attention, readout, generator=np.random.default_rng(seed), erase_all=erase_all
    )
    smallest = found.pop("smallest")
    for flips in found.values():
        flipped = flips.count > 0
        assert (smallest.count[flipped] >= 1).all()
        times = times_smallest(flips, smallest)
        assert (times[flipped] >= 1).all()
        assert np.isnan(times[~flipped]).all()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_of_two_classes_without_a_bias_attention_times_gradient_is_optimal(seed):
    attention, readout = documents(seed, [3, 20, 60, 11], spread=4.0)
    readout = binary(readout.contribution, 0.0)
    found = ranking_flips(attention, readout, generator=np.random.default_rng(seed))
    for name in ("attention_gradient", "contribution"):
        assert found[name].count.tolist() == found["smallest"].count.tolist()


def test_more_than_two_classes_have_no_such_order():
    # Without a bias too: the gradient weighs rivals by their probability, the optimum picks one.
    beyond = 0
    for seed in range(10):
        attention, readout = documents(seed, [40] * 20, outputs=5, spread=4.0)
        readout = multiclass(readout.projected, np.zeros(5))
        found = ranking_flips(attention, readout, generator=np.random.default_rng(seed))
        beyond += (found["attention_gradient"].count > found["smallest"].count).sum()
    assert beyond > 10


def test_a_tie_is_no_flip_where_the_predicted_class_comes_first():
    # Class 0; without the first token 1 - 1 = 0, still class 0; without the third too, 1.
    attention = Ragged.from_lists([[0.5, 0.25, 0.25]])
    readout = binary(attention.with_values(np.array([-3.0, 1.0, -1.0])), 0.0)
    found = ranking_flips(attention, readout, generator=np.random.default_rng(0))
    assert found["smallest"].count == [2]
    assert found["attention_gradient"].count == [2]


def test_ties_fall_to_the_first_class_but_not_where_no_weight_is_left():
    attention = Ragged.from_lists([[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]])
    # In the first, without the first token, 1 - 1 = 0, which is class 0. In the second the sum over what is
    # left is 0 only when nothing is.
    readout = binary(attention.with_values(np.array([3.0, 1.0, -1.0, 3.0, 1.0, -1.0])), 0.0)
    found = smallest_flips(attention, readout)
    assert found.count.tolist() == [1, -1]
    assert found.reason.tolist() == [Reason.NONE, Reason.NEVER]
    assert smallest_flips(attention, readout, erase_all=True).count.tolist() == [1, 2]


def test_the_smallest_set_is_unknown_where_the_readout_is_not_linear():
    attention, readout = documents(0, **KINDS["pairs"])
    found = smallest_flips(attention, readout)
    alone = attention.lengths == 1
    assert (found.reason[alone] == Reason.ONE_TOKEN).all()
    assert (found.reason[~alone] == Reason.NOT_LINEAR).all()
    assert (found.count == -1).all()
    assert np.isnan(found.mass).all()


def made(counts, reasons):
    reason = np.array(reasons, np.int8)
    numbers = np.where(reason == Reason.NONE, 0.5, np.nan)
    return Flips(np.array(counts), numbers, numbers, reason)


def test_two_rankings_compared_by_hand():
    never, one = Reason.NEVER, Reason.ONE_TOKEN
    first = made([1, 3, 2, 5, -1, -1, -1, 4], [0, 0, 0, 0, never, never, one, 0])
    second = made([2, 1, 2, -1, 7, -1, -1, -1], [0, 0, 0, never, 0, never, one, Reason.NOT_LINEAR])
    # Document by document: fewer, more, equal, fewer (it alone flips), more, neither, untested twice.
    assert compare(first, second) == Comparison(fewer=2, more=2, equal=1, neither=1, untested=2)
    np.testing.assert_array_equal(times_smallest(first, second), [0.5, 3.0, 1.0, *[np.nan] * 5])


def test_the_sorted_pushes_are_an_order_that_reaches_the_smallest_count():
    attention, readout = documents(11, [30] * 30, spread=3.0)
    margin = attention.values * (readout.contribution.values + readout.bias)
    own = np.where(readout.probabilities(attention)[:, 0] > 0.5, 1.0, -1.0)
    score = attention.with_values(own[attention.documents] * margin)
    found = first_flips(attention, readout, {"best": score})["best"]
    smallest = smallest_flips(attention, readout)
    assert found.count.tolist() == smallest.count.tolist()
    assert (found.count > 0).any()
