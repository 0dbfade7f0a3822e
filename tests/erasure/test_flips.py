"""Weights erased one after the other: by hand, and against doing just that."""

import numpy as np
import pytest
from scipy.stats import chisquare

from attnnn.erasure import blocks, class_scores, rankings
from attnnn.erasure.flips import first_flips
from attnnn.erasure.rankings import RANKINGS, random_score, ranking_flips
from attnnn.erasure.reasons import Reason, tally
from attnnn.tables.ragged import Ragged
from tests.erasure.naive import KINDS, LENGTHS, documents, erased_in_order
from tests.support import binary, multiclass

each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)

# Logit (-.5 + .9 + .3) + .2 = .9: class 1.
HAND = Ragged.from_lists([[0.5, 0.3, 0.2]])
HAND_READOUT = binary(HAND.with_values(np.array([-1.0, 3.0, 1.5])), 0.2)


def flips_by(score, attention, readout, **how):
    return first_flips(attention, readout, {"score": score}, **how)["score"]


def test_every_ranking_of_three_tokens_by_hand():
    # Without the second token the logit is (-.5 + .3) / .7 + .2 = -.086: one erasure, of mass .3, is the
    # fewest. The gradient (slopes as -1, 3, 1.5), its product with attention, which is the contribution too
    # (as -.5, .9, .3), and the given score begin with it.
    # In order of attention: (.9 + .3) / .5 + .2 > 0, then 1.5 + .2 > 0, and one token stays.
    # Backwards: (-.5 + .9) / .8 + .2 > 0, then -1 + .2 < 0: two erasures of mass .5.
    found = ranking_flips(
        HAND,
        HAND_READOUT,
        generator=np.random.default_rng(0),
        given={"leave_one_out": HAND.with_values(np.array([0.0, 0.2, -0.1]))},
    )
    at_once = {"gradient", "attention_gradient", "contribution", "leave_one_out", "smallest"}
    assert set(found) == {*at_once, "attention", "ascending_attention", "random"}
    for name in at_once:
        assert (found[name].count, found[name].reason) == ([1], [Reason.NONE]), name
        assert (found[name].mass, found[name].fraction) == (pytest.approx([0.3]), [1 / 3]), name
    attention, ascending = found["attention"], found["ascending_attention"]
    assert (attention.count, attention.reason) == ([-1], [Reason.NEVER])
    assert np.isnan([attention.mass, attention.fraction]).all()
    assert (ascending.count, ascending.mass) == ([2], pytest.approx([0.5]))
    assert ascending.fraction == pytest.approx([2 / 3])


def test_three_tokens_of_three_classes_by_hand():
    # Logits .5·3, .3·2 + .2·1, .5·1 + .3·1 + .2·2 = 1.5, .8, 1.2: class 0.
    attention = Ragged.from_lists([[0.5, 0.3, 0.2]])
    projected = attention.with_values(np.array([[3.0, 0, 1], [0, 2, 1], [0, 1, 2]]))
    readout = multiclass(projected, np.zeros(3))
    # Without the first, (0, .8, .7) / .5: class 1. From the end: (1.5, .6, .8) / .8, then (1.5, 0, .5) / .5.
    assert flips_by(attention, attention, readout).count == [1]
    backwards = attention.with_values(-attention.values)
    assert flips_by(backwards, attention, readout).reason == [Reason.NEVER]


@pytest.mark.parametrize("erase_all", [False, True])
@each_kind
def test_flips_are_those_of_erasing_one_after_another(kind, erase_all):
    flipped = 0
    for seed in range(8):
        attention, readout = documents(seed, **kind)
        score = random_score(attention, np.random.default_rng(seed))
        found = flips_by(score, attention, readout, erase_all=erase_all)
        for row, n in enumerate(LENGTHS):
            order = np.argsort(-score[row])
            most = 0 if n == 1 else n if erase_all else n - 1
            expected = erased_in_order(attention, readout, row, order, most)
            assert found.count[row] == expected
            if expected > 0:
                mass = attention[row].astype(np.float64)[order][:expected].sum()
                assert found.mass[row] == pytest.approx(mass, rel=1e-12)
                assert found.fraction[row] == pytest.approx(expected / n)
                assert found.reason[row] == Reason.NONE
                flipped += 1
            else:
                assert np.isnan(found.mass[row])
                assert found.reason[row] == (Reason.ONE_TOKEN if n == 1 else Reason.NEVER)
    assert 8 < flipped < 8 * len(LENGTHS)


def test_erasing_everything_leaves_the_bias():
    attention = Ragged.from_lists([[1.0], [0.5, 0.5], [0.0, 1.0, 0.0]])
    readout = binary(attention.with_values(np.full(6, 5.0)), -0.1)
    kept = flips_by(attention, attention, readout)
    assert kept.count.tolist() == [-1, -1, -1]
    assert kept.reason.tolist() == [Reason.ONE_TOKEN, Reason.NEVER, Reason.ONE_WEIGHT]
    # The released code leaves documents of one token out too.
    erased = flips_by(attention, attention, readout, erase_all=True)
    assert erased.count.tolist() == [-1, 2, 1]
    assert erased.mass[1:].tolist() == [1.0, 1.0]
    backwards = attention.with_values(-attention.values)
    assert flips_by(backwards, attention, readout, erase_all=True).count.tolist() == [-1, 2, 3]


def test_of_two_equal_classes_the_first_is_decided_and_of_two_equal_scores_the_earlier_erased():
    attention = Ragged.from_lists([[0.5, 0.25, 0.25]])
    # Without the first weight the logit is exactly 0, which is class 0.
    readout = binary(attention.with_values(np.array([3.0, 1.0, -1.0])), 0.0)
    assert flips_by(attention, attention, readout).count == [1]
    # Class 0, and only the second token is for it: it is erased before the third, as it is the earlier.
    readout = binary(attention.with_values(np.array([1.0, -4.0, 1.0])), 0.0)
    equal = attention.with_values(np.array([-np.inf, 0.5, 0.5]))
    assert flips_by(equal, attention, readout).count == [1]


def test_a_token_without_weight_counts_when_its_turn_comes():
    attention = Ragged.from_lists([[0.0, 0.5, 0.3, 0.2], [0.5, 0.0, 0.3, 0.2]])
    readout = binary(
        attention.with_values(np.array([9.0, -1.0, 3.0, 1.5, -1.0, 9.0, 3.0, 1.5])), 0.2
    )
    # HAND with a fourth token that the model does not read, but has a large gradient.
    found = ranking_flips(attention, readout, generator=np.random.default_rng(0))
    assert found["gradient"].count.tolist() == [2, 2]
    assert found["gradient"].fraction.tolist() == [0.5, 0.5]
    assert found["gradient"].mass == pytest.approx([0.3, 0.3])
    assert found["attention_gradient"].count.tolist() == [1, 1]
    assert found["smallest"].count.tolist() == [1, 1]
    assert found["ascending_attention"].count.tolist() == [3, 3]


def test_equal_contributions_never_flip():
    # All states alike: the logit is their value plus the bias, whatever is erased, also when that is 0.
    rng = np.random.default_rng(0)
    attention = Ragged.from_lists([rng.dirichlet(np.ones(9)) for _ in range(40)])
    for value in (0.7, 0.1):
        readout = binary(attention.with_values(np.full(360, value)), -0.1)
        found = ranking_flips(attention, readout, generator=rng)
        for name, flips in found.items():
            assert (flips.reason == Reason.NEVER).all(), (name, value)


BAD = Ragged.from_lists(
    [
        *([], [0.4, np.nan, 0.6], [1.0], [0.0, 0.0], [1.5, -0.5], [np.inf, 0], [1.0, 0.0]),
        *([0.6, 0.4], [0.3, 0.7], [0.5, 0.5]),
    ]
)
BAD_REASONS = [
    Reason.NO_TOKEN,
    Reason.INVALID_ATTENTION,
    Reason.ONE_TOKEN,
    *[Reason.INVALID_ATTENTION] * 3,
    Reason.ONE_WEIGHT,
    Reason.INVALID_STATES,
    Reason.INVALID_SCORE,
    Reason.NONE,
]


def bad_readout():
    states = np.tile([2.0, -4.0], 10)[: len(BAD.values)]
    states[BAD.offsets[7]] = np.nan
    states[BAD.offsets[9] :] = 2.0, -4.0
    return binary(BAD.with_values(states), 0.5)


def test_documents_that_cannot_be_tested_have_a_reason():
    score = BAD.with_values(np.zeros(len(BAD.values)))
    score.values[BAD.offsets[8]] = np.nan
    flips = flips_by(score, BAD, bad_readout())
    # (1 - 2) + .5 < 0: class 0; the second token alone is for it, the first is erased first.
    assert flips.reason.tolist() == [*BAD_REASONS[:-1], Reason.NEVER]
    assert (flips.count == -1).all()
    found = ranking_flips(
        BAD, bad_readout(), generator=np.random.default_rng(0), given={"a": score}
    )
    for name in set(found) - {"a"}:
        assert found[name].reason[:8].tolist() == BAD_REASONS[:8], name
        assert (found[name].count[:8] == -1).all()
    assert found["smallest"].count[9] == 1
    assert found["a"].reason.tolist() == flips.reason.tolist()


def test_reasons_are_counted_by_class_also_of_one_never_predicted():
    reason = np.array([Reason.NONE, Reason.NEVER, Reason.NEVER, Reason.NO_TOKEN], np.int8)
    counts = tally(reason, np.array([0, 0, 2, 0]), classes=4)
    assert counts.shape == (4, len(Reason))
    assert counts[0, [Reason.NONE, Reason.NEVER, Reason.NO_TOKEN]].tolist() == [1, 1, 1]
    assert counts[2, Reason.NEVER] == 1
    assert counts[[1, 3]].sum() == 0
    assert counts.sum() == 4
    assert Reason.ONE_TOKEN.words == "one token"
    assert Reason.NONE.words == ""


@each_kind
def test_no_result_depends_on_how_documents_are_cut_into_blocks(kind, monkeypatch):
    lengths = [0, *LENGTHS, 30, 1, 12]
    attention, readout = documents(5, [n or 1 for n in lengths], **kind)
    rng = np.random.default_rng(1)
    given = {"leave_one_out": attention.with_values(rng.normal(size=len(attention.values)))}

    def found():
        return ranking_flips(attention, readout, generator=np.random.default_rng(2), given=given)

    whole = found()
    for module, name in ((blocks, "HELD"), (rankings, "_PART"), (class_scores, "_HELD")):
        monkeypatch.setattr(module, name, 24)
    for name, flips in found().items():
        np.testing.assert_array_equal(flips.count, whole[name].count)
        np.testing.assert_array_equal(flips.reason, whole[name].reason)
        np.testing.assert_allclose(flips.mass, whole[name].mass, rtol=1e-12)
    assert sum((flips.count > 0).sum() for flips in whole.values()) > 20


@each_kind
def test_the_order_of_tokens_does_not_matter(kind):
    attention, readout = documents(7, **kind)
    rng = np.random.default_rng(3)
    moved = np.concatenate(
        [attention.offsets[row] + rng.permutation(n) for row, n in enumerate(LENGTHS)]
    )
    turned = documents(7, **kind)[1]
    projected = turned.projected.with_values(turned.projected.values[moved])
    turned = type(turned)(projected, turned.bias, turned.layer, turned.allowed)
    one = ranking_flips(attention, readout, generator=rng)
    other = ranking_flips(attention.with_values(attention.values[moved]), turned, generator=rng)
    for name in set(one) - {"random"}:
        np.testing.assert_array_equal(one[name].count, other[name].count, err_msg=name)
        np.testing.assert_allclose(one[name].mass, other[name].mass, rtol=1e-9)


def test_a_given_score_needs_a_name_of_its_own():
    with pytest.raises(ValueError, match="attention"):
        ranking_flips(
            HAND, HAND_READOUT, generator=np.random.default_rng(0), given={"attention": HAND}
        )


def test_contributions_have_a_reason_where_the_readout_is_not_linear():
    attention, readout = documents(0, **KINDS["pairs"])
    found = ranking_flips(attention, readout, generator=np.random.default_rng(0))
    several = np.array(LENGTHS) > 1
    assert (found["contribution"].reason[several] == Reason.INVALID_SCORE).all()
    assert (found["smallest"].reason[several] == Reason.NOT_LINEAR).all()
    for name in ("smallest", "contribution"):
        assert (found[name].count == -1).all()
    assert (found["attention"].count > 0).any()


def test_random_orders_are_each_equally_likely():
    like = Ragged.from_lengths(np.zeros(3 * 6_000), [3] * 6_000)
    drawn = random_score(like, np.random.default_rng(0)).values.reshape(-1, 3)
    _, counts = np.unique(np.argsort(-drawn, axis=1), axis=0, return_counts=True)
    assert len(counts) == 6
    assert chisquare(counts).pvalue > 1e-4


def test_rankings_are_what_their_names_say():
    # Slopes as -1, 3, 1.5 at p = σ(.9).
    slope = np.exp(-0.9) / (1 + np.exp(-0.9)) ** 2
    expected = {
        "attention": [0.5, 0.3, 0.2],
        "ascending_attention": [-0.5, -0.3, -0.2],
        "gradient": [-slope, 3 * slope, 1.5 * slope],
        "attention_gradient": [-0.5 * slope, 0.9 * slope, 0.3 * slope],
        "contribution": [-0.5, 0.9, 0.3],
    }
    assert set(expected) == set(RANKINGS)
    for name, values in expected.items():
        assert RANKINGS[name](HAND, HAND_READOUT).values == pytest.approx(values), name
