"""One weight erased: by hand, and against the definition."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import chisquare

from attnnn.erasure import blocks, class_scores, rankings
from attnnn.erasure.choices import CHOICES, single_weights
from attnnn.erasure.reasons import Reason
from attnnn.erasure.single_weight import contrast, erase_each, flip_table, random_others, ranked
from attnnn.measures import mcnemar_test
from attnnn.tables.ragged import Ragged
from tests.erasure.naive import KINDS, LENGTHS, decided_without, documents, probabilities_without
from tests.erasure.test_flips import BAD, BAD_REASONS, bad_readout
from tests.support import binary, multiclass

each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def erase(attention, readout, position, **how):
    return erase_each(attention, readout, {"chosen": position}, **how)["chosen"]


def bernoulli_js(one, other):
    """JS of two logits by its definition, in nats."""
    first, second = (
        np.array([1 / (1 + math.exp(x)), 1 / (1 + math.exp(-x))]) for x in (one, other)
    )
    mid = (first + second) / 2
    return (first @ np.log(first / mid) + second @ np.log(second / mid)) / 2


def test_three_tokens_by_hand():
    attention = Ragged.from_lists([[0.5, 0.3, 0.2]])
    readout = binary(attention.with_values(np.array([2.0, -1.0, 1.0])), 0.1)
    # With all of them (1 - .3 + .2) + .1 = 1. Without the first (-.3 + .2) / .5 + .1 = -.1, which flips;
    # without the second (1 + .2) / .7 + .1, without the third (1 - .3) / .8 + .1 = .975, which do not.
    highest = ranked(attention, 0)
    chosen = erase(attention, readout, highest)
    others = erase(attention, readout, np.array([[1, 2]]))
    assert (highest.tolist(), chosen.weight.tolist()) == ([[0]], [[0.5]])
    assert (chosen.flips.tolist(), others.flips.tolist()) == ([[True]], [[False, False]])
    js = bernoulli_js(1, -0.1), bernoulli_js(1, 1.2 / 0.7 + 0.1), bernoulli_js(1, 0.975)
    assert chosen.js == pytest.approx(np.array([[js[0]]]), rel=1e-10)
    found = contrast(chosen, others)
    assert found.weight == pytest.approx(np.array([[0.2, 0.3]]))
    assert found.js == pytest.approx(np.array([[js[0] - js[1], js[0] - js[2]]]), rel=1e-9)


def test_three_tokens_of_three_classes_by_hand():
    attention = Ragged.from_lists([[0.5, 0.25, 0.25]])
    # Without the first, logits ln 2 · (2 + 0, 0 + 2, 0) / 2 = ln 2 · (1, 1, 0): p = .4, .4, .2, and the tie
    # is class 0's. With all of them ln 2 · (1, 2.5, 0): class 1; p = (2, 2^2.5, 1) / (3 + 2^2.5).
    projected = attention.with_values(np.log(2) * np.array([[1.0, 4, 0], [2, 0, 0], [0, 2, 0]]))
    found = erase(attention, multiclass(projected, np.zeros(3)), np.array([[0]]))
    before = np.array([2, 2**2.5, 1]) / (3 + 2**2.5)
    assert found.flips.tolist() == [[True]]
    assert found.js[0, 0] == pytest.approx(jensenshannon(before, [0.4, 0.4, 0.2]) ** 2, rel=1e-10)


@each_kind
def test_one_weight_erased_is_the_definition(kind):
    flips = 0
    for seed in range(6):
        attention, readout = documents(seed, **kind)
        rng = np.random.default_rng(seed)
        position = np.stack([rng.integers(0, n, 3) for n in LENGTHS])
        found = erase(attention, readout, position)
        for row, n in enumerate(LENGTHS):
            if n == 1:
                assert found.reason[row] == Reason.ONE_TOKEN
                assert np.isnan([found.js[row], found.weight[row]]).all()
                continue
            before = probabilities_without(attention, readout, row, [])
            for draw, erased in enumerate(position[row]):
                after = probabilities_without(attention, readout, row, [erased])
                assert found.js[row, draw] == pytest.approx(
                    jensenshannon(before, after) ** 2, abs=1e-13
                )
                assert found.flips[row, draw] == (before.argmax() != after.argmax())
                assert found.weight[row, draw] == attention[row][erased]
                flips += found.flips[row, draw]
    assert 5 < flips < 50


def test_a_weight_near_one_leaves_more_than_rounding():
    attention = Ragged.from_lists([[1e-13, 1 - 3e-13, 2e-13]])
    readout = binary(attention.with_values(np.array([6.0, 1.0, -9.0])), 0.0)
    # What is left is (6 + 2 · -9) / 3 = -4.
    found = erase(attention, readout, np.array([[1]]))
    assert found.js[0, 0] == pytest.approx(bernoulli_js(1, -4), rel=1e-9)
    assert found.flips.tolist() == [[True]]


def test_a_weight_of_zero_changes_nothing():
    attention = Ragged.from_lists([[0.5, 0.0, 0.5]])
    readout = binary(attention.with_values(np.array([2.0, 50.0, -1.0])), 0.1)
    found = erase(attention, readout, np.array([[1]]))
    assert (found.js.tolist(), found.flips.tolist()) == ([[0.0]], [[False]])
    assert (found.weight.tolist(), found.reason.tolist()) == ([[0.0]], [Reason.NONE])


def test_all_weight_on_one_of_several_tokens():
    attention = Ragged.from_lists([[0.0, 1.0]])
    readout = binary(attention.with_values(np.array([7.0, 1.0])), -0.5)
    assert erase(attention, readout, np.array([[1]])).reason == [Reason.ONE_WEIGHT]
    # The released code lets the bias decide: from .5 to -.5.
    found = erase(attention, readout, np.array([[1, 0]]), erase_all=True)
    assert found.js[0] == pytest.approx([bernoulli_js(0.5, -0.5), 0], rel=1e-10)
    assert found.flips.tolist() == [[True, False]]


def test_documents_that_cannot_be_tested_have_a_reason():
    position = np.maximum(ranked(BAD, 0), 0)
    position[8] = -1
    found = erase(BAD, bad_readout(), position)
    assert found.reason.tolist() == BAD_REASONS
    assert np.isnan(found.js[:9]).all()
    assert np.isnan(found.weight[:9]).all()
    assert not found.flips[:9].any()
    assert found.position[0] == -1
    assert found.js[9] > 0


def test_saturated_predictions_keep_the_order_of_their_changes():
    # p is 1 but for e^-30; what erasing does to it is far below what float64 adds to 1.
    attention = Ragged.from_lists([[0.5, 0.3, 0.2]])
    readout = binary(attention.with_values(np.array([30.0, 31.0, 29.0])), 0.0)
    found = erase(attention, readout, np.array([[0, 1, 2]]))
    shares = np.exp([-30.1, -151 / 5, -20.8 / 0.7, -24.3 / 0.8])
    # For tiny q, JS of q and r is half of q ln(2q / (q + r)) + r ln(2r / (q + r)).
    q, r = shares[0], shares[1:]
    expected = (q * np.log(2 * q / (q + r)) + r * np.log(2 * r / (q + r))) / 2
    assert found.js[0] == pytest.approx(expected, rel=1e-6, abs=0)


def test_places_in_a_ranking():
    score = Ragged.from_lists([[0.1, 0.7, 0.2], [0.5], [0.3, 0.3, 0.4], [], [np.nan, 1.0]])
    falling = score.with_values(-score.values)
    assert ranked(score, 0)[:, 0].tolist() == [1, 0, 2, -1, -1]
    assert ranked(score, 1)[:, 0].tolist() == [2, -1, 0, -1, -1]
    assert ranked(falling, 0)[:, 0].tolist() == [0, 0, 0, -1, -1]
    assert ranked(falling, 1)[:, 0].tolist() == [2, -1, 1, -1, -1]


def test_the_flip_table_by_hand():
    # Three documents of two equal weights: the logit after one erasure is the other's; b = 0.
    attention = Ragged.from_lists([[0.5, 0.5]] * 3 + [[1.0]])
    states = [3.0, -1.0, 3.0, 1.0, -1.0, 3.0, 9.0]
    readout = binary(attention.with_values(np.array(states)), 0.0)
    first = erase(attention, readout, np.zeros((4, 1), int))
    second = erase(attention, readout, np.array([[1], [1], [1], [0]]))
    # All three are class 1. Without the first token: 0, 1, 1; without the second: 1, 1, 0.
    assert flip_table(first, second).tolist() == [[1, 1], [1, 0]]
    assert mcnemar_test(1, 1) == 1.0


@each_kind
def test_the_flip_table_counts_every_tested_document_once(kind):
    attention, readout = documents(2, LENGTHS * 20, **kind)
    highest = ranked(attention, 0)
    others = random_others(highest, attention.lengths, np.random.default_rng(0), draws=2)
    chosen = erase(attention, readout, highest)
    drawn = erase(attention, readout, others)
    for draw in (0, 1):
        table = np.zeros((2, 2), int)
        for row in np.flatnonzero(attention.lengths > 1):
            own = decided_without(attention, readout, row, [])
            table[
                int(decided_without(attention, readout, row, highest[row]) != own),
                int(decided_without(attention, readout, row, others[row, draw : draw + 1]) != own),
            ] += 1
        assert flip_table(chosen, drawn, draw=draw).tolist() == table.tolist()


def test_random_others_are_any_but_the_chosen_one():
    position, lengths = np.repeat([0, 2, 3], 4_000)[:, None], np.full(12_000, 4)
    drawn = random_others(position, lengths, np.random.default_rng(0), draws=2)
    assert drawn.shape == (12_000, 2)
    assert (drawn != position).all()
    for chosen in (0, 2, 3):
        _, counts = np.unique(drawn[position[:, 0] == chosen], return_counts=True)
        assert len(counts) == 3
        assert chisquare(counts).pvalue > 1e-4
    assert np.corrcoef(drawn[:4_000].T)[0, 1] == pytest.approx(0, abs=0.06)


def test_random_positions_of_the_released_code_may_be_the_chosen_one_and_never_the_first():
    position, lengths = np.full((9_000, 1), 2), np.full(9_000, 4)
    generator = np.random.default_rng(0)
    drawn = random_others(position, lengths, generator, among="positions")
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [1, 2, 3]
    assert chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("among", ["others", "positions"])
def test_documents_without_another_token_have_no_random_one(among):
    lengths = np.array([0, 1, 2])
    position = np.array([[-1], [0], [0]])
    drawn = random_others(position, lengths, np.random.default_rng(0), draws=3, among=among)
    assert drawn.tolist() == [[-1] * 3, [-1] * 3, [1] * 3]


def test_every_rule_of_choosing_by_hand():
    # Slopes as -1, 3, 1.5; attention × gradient and contributions as -.5, .9, .3: class 1, as for rankings.
    attention = Ragged.from_lists([[0.5, 0.3, 0.2]])
    readout = binary(attention.with_values(np.array([-1.0, 3.0, 1.5])), 0.2)
    found = single_weights(attention, readout, generator=np.random.default_rng(0), draws=4)
    expected = {
        "highest": 0,
        "second_highest": 1,
        "lowest": 2,
        "second_lowest": 1,
        "gradient": 1,
        "attention_gradient": 1,
        "contribution": 1,
    }
    assert set(found) == set(expected) == set(CHOICES)
    for name, position in expected.items():
        chosen, others = found[name]
        assert chosen.position.tolist() == [[position]], name
        assert others.position.shape == (1, 4)
        assert (others.position != position).all()
        # Only without the second token is the logit below 0: (-.5 + .3) / .7 + .2.
        assert chosen.flips.tolist() == [[position == 1]]
        assert np.array_equal(others.flips, others.position == 1)


def test_random_tokens_are_the_same_for_every_rule_where_positions_are_drawn():
    attention, readout = documents(0, LENGTHS * 5, outputs=3)
    how = {"draws": 3, "among": "positions"}
    found = single_weights(attention, readout, generator=np.random.default_rng(1), **how)
    several = attention.lengths > 1
    drawn = {name: test.others.position[several] for name, test in found.items()}
    assert all(np.array_equal(one, drawn["highest"]) for one in drawn.values())
    assert drawn["highest"].min() == 1
    assert (found["highest"].others.js[several] > 0).any()
    again = single_weights(attention, readout, generator=np.random.default_rng(1), **how)
    np.testing.assert_array_equal(again["lowest"].others.js, found["lowest"].others.js)


def test_bad_documents_have_the_same_reason_by_every_rule():
    found = single_weights(BAD, bad_readout(), generator=np.random.default_rng(0))
    for chosen, others in found.values():
        assert chosen.reason[:8].tolist() == BAD_REASONS[:8] == others.reason[:8].tolist()
        assert chosen.reason[8:].tolist() == [Reason.NONE, Reason.NONE]


def test_a_rule_that_does_not_exist_is_a_reason():
    attention, readout = documents(0, **KINDS["pairs"])
    found = single_weights(attention, readout, generator=np.random.default_rng(0))
    several = attention.lengths > 1
    for part in found["contribution"]:
        assert (part.reason[several] == Reason.INVALID_SCORE).all()
        assert np.isnan(part.js).all()
    assert (found["gradient"].chosen.reason[several] == Reason.NONE).all()


@each_kind
def test_no_result_depends_on_how_documents_are_cut_into_blocks(kind, monkeypatch):
    attention, readout = documents(5, [*LENGTHS, 30, 1, 12], **kind)
    whole = single_weights(attention, readout, generator=np.random.default_rng(2))
    for module, name in ((blocks, "HELD"), (rankings, "_PART"), (class_scores, "_HELD")):
        monkeypatch.setattr(module, name, 24)
    for name, test in single_weights(
        attention, readout, generator=np.random.default_rng(2)
    ).items():
        for cut, expected in zip(test, whole[name], strict=True):
            np.testing.assert_array_equal(cut.position, expected.position)
            np.testing.assert_array_equal(cut.flips, expected.flips)
            np.testing.assert_allclose(cut.js, expected.js, rtol=1e-9, atol=1e-15)
    assert any(test.chosen.flips.any() for test in whole.values())
