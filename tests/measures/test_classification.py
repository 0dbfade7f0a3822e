"""Classification scores, the bootstrap and the convexity index."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from attnnn.measures import (
    accuracy,
    bootstrap_interval,
    convexity_index,
    f1_score,
    macro_f1,
    precision,
    predicted_class,
    recall,
    roc_auc,
)


@st.composite
def classified(draw):
    """Labels and scores of some documents, several samples of them, scores often tied."""
    shape = draw(st.integers(1, 4)), draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    levels = draw(st.sampled_from([2, 5, 1000]))
    return rng.integers(2, size=shape), rng.integers(levels + 1, size=shape) / levels


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 20))
def test_macro_f1_equals_sklearn(seed, classes, documents):
    rng = np.random.default_rng(seed)
    label, predicted = rng.integers(classes, size=(2, 3, documents))
    expected = [
        sklearn.metrics.f1_score(y, p, average="macro", zero_division=0)
        for y, p in zip(label, predicted, strict=True)
    ]
    assert macro_f1(label, predicted) == pytest.approx(expected)


def test_macro_f1_by_hand():
    # Class 0: one of two found, and one wrongly: 1/2; class 1: 0, class 3: 1; no document has class 2.
    assert macro_f1([0, 0, 1, 3], [0, 1, 0, 3]) == pytest.approx((0.5 + 0 + 1) / 3)
    assert np.isnan(macro_f1(np.zeros(0, int), np.zeros(0, int)))


@given(classified())
def test_scores_equal_sklearn(sample):
    label, score = sample
    predicted = predicted_class(score)
    for ours, theirs in [
        (precision, sklearn.metrics.precision_score),
        (recall, sklearn.metrics.recall_score),
        (f1_score, sklearn.metrics.f1_score),
    ]:
        expected = [theirs(y, p, zero_division=0) for y, p in zip(label, predicted, strict=True)]
        assert ours(label, predicted) == pytest.approx(expected)
    expected = [sklearn.metrics.accuracy_score(y, p) for y, p in zip(label, predicted, strict=True)]
    assert accuracy(label, predicted) == pytest.approx(expected)


@given(classified())
def test_auc_equals_sklearn_and_is_nan_of_one_class(sample):
    label, score = sample
    expected = [
        sklearn.metrics.roc_auc_score(y, s) if 0 < y.mean() < 1 else np.nan
        for y, s in zip(label, score, strict=True)
    ]
    assert roc_auc(label, score) == pytest.approx(expected, nan_ok=True)


def test_scores_by_hand():
    label, predicted = [1, 1, 1, 0, 0], [1, 1, 0, 1, 0]
    assert precision(label, predicted) == pytest.approx(2 / 3)
    assert recall(label, predicted) == pytest.approx(2 / 3)
    assert f1_score(label, predicted) == pytest.approx(2 / 3)
    assert accuracy(label, predicted) == pytest.approx(3 / 5)
    # Of the four pairs, two are won, one is tied.
    assert roc_auc([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.7]) == pytest.approx(2.5 / 4)
    assert f"{f1_score(label, predicted):.2f}" == "0.67"


def test_a_tie_at_one_half_is_class_0():
    assert predicted_class([0.5, np.nextafter(0.5, 1), 0.2, 1.0]).tolist() == [0, 1, 0, 1]


def test_auc_of_an_undefined_score_is_undefined():
    assert np.isnan(roc_auc([0, 1], [0.3, np.nan]))


def test_bootstrap_of_a_mean_covers_what_theory_says():
    values = np.random.default_rng(0).normal(5.0, 2.0, 4000)
    low, high = bootstrap_interval(
        lambda index: values[index].mean(axis=-1),
        len(values),
        resamples=4000,
        generator=np.random.default_rng(1),
    )
    error = values.std() / np.sqrt(len(values))
    centre = values.mean()
    assert [low, high] == pytest.approx([centre - 1.96 * error, centre + 1.96 * error], abs=0.005)


def test_bootstrap_is_the_percentile_interval_of_the_same_draws():
    label, predicted = np.array([1, 0, 1, 1, 0, 1, 0, 1]), np.array([1, 0, 0, 1, 1, 1, 0, 1])
    drawn = np.random.default_rng(7).integers(8, size=(500, 8))
    each = [sklearn.metrics.f1_score(label[i], predicted[i], zero_division=0) for i in drawn]
    found = bootstrap_interval(
        lambda index: f1_score(label[index], predicted[index]),
        8,
        resamples=500,
        generator=np.random.default_rng(7),
        level=0.9,
    )
    assert found == pytest.approx(tuple(np.quantile(each, [0.05, 0.95])))


def test_bootstrap_draws_in_bounded_portions(monkeypatch):
    values = np.arange(50.0)
    shapes = []

    def mean(index):
        shapes.append(index.shape)
        return values[index].mean(axis=-1)

    def interval():
        return bootstrap_interval(mean, 50, resamples=21, generator=np.random.default_rng(2))

    whole = interval()
    monkeypatch.setattr("attnnn.measures.intervals._DRAWN_AT_ONCE", 200)
    assert interval() == whole
    assert shapes == [(21, 50)] + [(4, 50)] * 5 + [(1, 50)]


def test_undefined_resamples_count_for_neither_end():
    label, score = np.array([0, 1, 1]), np.array([0.1, 0.9, 0.8])
    low, high = bootstrap_interval(
        lambda index: roc_auc(label[index], score[index]),
        3,
        resamples=200,
        generator=np.random.default_rng(5),
    )
    assert (low, high) == (1.0, 1.0)


@pytest.mark.parametrize("documents", [0, 4])
def test_interval_of_nothing_is_undefined(documents):
    found = bootstrap_interval(
        lambda index: np.full(len(index), np.nan),
        documents,
        resamples=10,
        generator=np.random.default_rng(0),
    )
    assert np.isnan(found).all()


def test_convexity_by_hand():
    # Below the chord of the unit square lies 1/2; the polyline (0,0) (½,0) (1,1) covers 1/4 of it.
    assert convexity_index([0, 0.5, 1], [0, 0, 1]) == pytest.approx(0.25)
    assert convexity_index([0, 0.5, 1], [0, 1, 1]) == pytest.approx(-0.25)
    assert convexity_index([0, 1, 1], [0, 0, 1]) == pytest.approx(0.5)
    assert convexity_index([0, 0.3, 1], [0.2, 0.5, 1.2]) == pytest.approx(0.0)
    # A falling curve below its chord is convex too.
    assert convexity_index([0, 0.5, 1], [1, 0, 0]) == pytest.approx(0.25)


def test_convexity_does_not_depend_on_scale_or_order():
    x, y = np.array([0.1, 0.2, 0.5, 0.6]), np.array([0.02, 0.03, 0.09, 0.3])
    index = convexity_index(x, y)
    assert convexity_index(7 * x + 3, 0.5 * y - 1) == pytest.approx(index)
    assert convexity_index(x[[2, 0, 3, 1]], y[[2, 0, 3, 1]]) == pytest.approx(index)
    # x² from 0 to 1: ∫ x − x² = 1/6.
    fine = np.linspace(0, 1, 2001)
    assert convexity_index(fine, fine**2) == pytest.approx(1 / 6, abs=1e-6)


def test_convexity_of_several_curves_at_once():
    x, y = [[0, 0.5, 1], [0, 0.5, 1], [0, 0.5, 0]], [[0, 0, 1], [0, 1, 1], [0, 1, 1]]
    assert convexity_index(x, y) == pytest.approx(
        [0.25, -0.25, convexity_index([0, 0, 0.5], [0, 1, 1])], nan_ok=True
    )


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([0, 1], [0, 1]),
        ([0.3, 0.3, 0.3], [0, 1, 2]),
        ([0, 1, 2], [0.5, 0.1, 0.5]),
        ([0, np.nan, 2], [0, 1, 2]),
    ],
    ids=["two points", "vertical chord", "level chord", "nan"],
)
def test_convexity_is_undefined(x, y):
    assert np.isnan(convexity_index(x, y))
