"""The correlation table: values, and why some are missing."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from attnnn.importance.correlated import PAIRS, correlate_classes, correlate_pairs, shuffled
from attnnn.tables.ragged import Ragged


def ragged(*rows):
    return Ragged.from_lists(rows, np.float32)


@pytest.fixture
def columns():
    per_token = {
        "attention": ragged([0.5, 0.3, 0.2], [1.0], [0.5, 0.5], [0.9, 0.1], [0.5, 0.5]),
        "gradient": ragged([0.2, 0.3, 0.1], [0.4], [0.1, 0.3], [0.2, 0.2], [0.0, 0.0]),
        "leave_one_out": ragged([0.3, 0.2, 0.1], [np.nan], [0.1, 0.3], [0.2, 0.1], [np.nan, 0.1]),
    }
    return correlate_pairs(
        np.array([7, 3, 9, 4, 5]),
        np.array([0, 1, 1, 0, 1]),
        per_token,
        generator=np.random.default_rng(1),
    )


def cells(columns, pair, name):
    return [
        value for value, here in zip(columns[name], columns["pair"], strict=True) if here == pair
    ]


def test_every_document_has_a_row_for_every_pair(columns):
    assert sorted(set(columns["pair"])) == sorted(f"{x}~{y}" for x, y in PAIRS)
    for first, second in PAIRS:
        assert cells(columns, f"{first}~{second}", "document") == [7, 3, 9, 4, 5]
        assert cells(columns, f"{first}~{second}", "predicted") == [0, 1, 1, 0, 1]
        assert cells(columns, f"{first}~{second}", "tokens") == [3, 1, 2, 2, 2]


def test_pairs_of_magnitudes_are_about_no_class(columns):
    assert set(columns["class"]) == {None}


def test_signed_scores_of_three_tokens_by_hand():
    """Attention .5, .3, .2; the second token speaks for class 0 and the others against it.

    Of the three pairs of tokens, attention and the score about class 0 agree on the order of the last two
    alone, so τ is (1 − 2) / 3; of class 1 all is opposite.
    """
    found = correlate_classes(
        np.array([8, 6]),
        np.array([1, 0]),
        {"attention": ragged([0.5, 0.3, 0.2], [0.6, 0.4])},
        {"contribution": ragged([[-2, 2], [3, -3], [-1, 1]], [[np.nan, 1], [np.nan, 2]])},
        np.array([[True, True], [True, False]]),
        k=10,
        generator=np.random.default_rng(1),
    )
    assert found["document"] == [8, 8, 6]
    assert found["predicted"] == [1, 1, 0]
    assert found["class"] == [0, 1, 0]
    assert set(found["pair"]) == {"attention~contribution"}
    assert found["tokens"] == [3, 3, 2]
    assert found["tau"] == [pytest.approx(-1 / 3), pytest.approx(1 / 3), None]
    # Half of 1 − τ, as all tokens are among the ten highest.
    assert found["top_k_distance"] == [pytest.approx(2 / 3), pytest.approx(1 / 3), None]
    assert found["excluded"] == [None, None, "undefined contribution"]
    assert [value is None for value in found["tau_shuffled"]] == [False, False, True]


def test_every_class_is_correlated_as_a_score_of_its_own():
    rng = np.random.default_rng(9)
    lengths = np.array([1, 7, 30])
    magnitudes = {
        name: Ragged.from_lengths(rng.random(lengths.sum()), lengths)
        for name in ("attention", "gradient")
    }
    scores = Ragged.from_lengths(rng.normal(size=(lengths.sum(), 4)), lengths)
    kept = np.array([[1, 1, 1, 1], [0, 1, 0, 1], [1, 0, 0, 0]], dtype=bool)
    found = correlate_classes(
        np.arange(3), np.zeros(3, int), magnitudes, {"s": scores}, kept, k=3, generator=rng
    )
    rows = zip(*(found[name] for name in ("pair", "document", "class", "tau")), strict=True)
    seen = []
    for pair, document, about, tau in rows:
        other = magnitudes[pair.removesuffix("~s")][document]
        expected = (
            None if len(other) < 2 else kendalltau(other, scores[document][:, about]).statistic
        )
        assert tau == (None if expected is None else pytest.approx(expected))
        seen.append((document, about))
    assert seen == 2 * list(zip(*map(list, np.nonzero(kept)), strict=True))


def test_tau_and_p_value(columns):
    expected = kendalltau([0.5, 0.3, 0.2], [0.2, 0.3, 0.1])
    assert cells(columns, "attention~gradient", "tau")[0] == pytest.approx(expected.statistic)
    assert cells(columns, "attention~gradient", "p_value")[0] == pytest.approx(expected.pvalue)


def test_reasons(columns):
    assert cells(columns, "attention~gradient", "excluded") == [
        None,
        "one token",
        "constant attention",
        "constant gradient",
        "constant attention, constant gradient",
    ]
    assert cells(columns, "attention~leave_one_out", "excluded")[3:] == [
        None,
        "constant attention, undefined leave_one_out",
    ]


def test_tau_is_null_exactly_where_there_is_a_reason(columns):
    names = ("tau", "p_value", "tau_shuffled", "p_value_shuffled")
    for *values, reason in zip(*(columns[name] for name in (*names, "excluded")), strict=True):
        assert [value is None for value in values] == [reason is not None] * len(names)


def test_top_k_distance(columns):
    # All three tokens are among the ten highest: one of their three pairs is discordant. Of two equal
    # scores the earlier ranks higher; a single token has no order.
    found = cells(columns, "attention~gradient", "top_k_distance")
    assert found == [pytest.approx(1 / 3), None, 1.0, 0.0, 0.0]


def test_shuffling_keeps_the_values_of_each_document():
    rng = np.random.default_rng(2)
    values = Ragged.from_lists([rng.random(n) for n in (1, 40, 3, 25)])
    found = shuffled(values, np.random.default_rng(3))
    for before, after in zip(values, found, strict=True):
        np.testing.assert_array_equal(np.sort(before), np.sort(after))
    assert not np.array_equal(values[1], found[1])
    np.testing.assert_array_equal(found.offsets, values.offsets)


def test_every_order_is_equally_likely():
    values = Ragged.from_lists([[1, 2, 3]] * 6000)
    found = np.stack(list(shuffled(values, np.random.default_rng(4))))
    _, counts = np.unique(found, axis=0, return_counts=True)
    # Five standard deviations of a count of 6000 draws of probability 1/6.
    assert len(counts) == 6
    assert (np.abs(counts - 1000) < 5 * np.sqrt(6000 * 5 / 36)).all()


def test_shuffled_scores_have_nothing_to_do_with_each_other():
    """Equal scores: τ is 1 in every document, and after the shuffle on average 0, significant in 5 %."""
    rng = np.random.default_rng(5)
    scores = Ragged.from_lists([rng.random(20) for _ in range(2000)])
    per_token = dict.fromkeys(("attention", "gradient", "leave_one_out"), scores)
    document = np.arange(len(scores))
    columns = correlate_pairs(document, document % 2, per_token, generator=np.random.default_rng(6))
    assert set(columns["tau"]) == {1.0}
    for first, second in PAIRS:
        tau = np.array(cells(columns, f"{first}~{second}", "tau_shuffled"))
        significant = np.array(cells(columns, f"{first}~{second}", "p_value_shuffled")) <= 0.05
        # Kendall's τ of 20 independent values has variance 2(2n + 5) / 9n(n − 1).
        deviation = np.sqrt(2 * 45 / (9 * 20 * 19) / len(tau))
        assert abs(tau.mean()) < 5 * deviation
        assert significant.mean() < 0.05 + 5 * np.sqrt(0.05 * 0.95 / len(tau))
        assert significant.mean() > 0.02
