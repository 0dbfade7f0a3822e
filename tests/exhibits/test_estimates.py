"""Intervals over documents, against formulas and peers."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from attnnn.exhibits.estimates import deviation, interval, mean, of_mean_of_corpora
from attnnn.measures import accuracy, roc_auc
from tests.exhibits import synthetic


@pytest.fixture
def study(tmp_path):
    return synthetic.study(tmp_path / "results", ["sst", "imdb"], bootstrap=4000)


def test_interval_of_a_deviation_is_that_of_scipy(study):
    values = np.random.default_rng(1).normal(size=300)
    low, high = interval(study, "sst", deviation, values)
    expected = bootstrap(
        (values,), np.std, n_resamples=4000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert (low, high) == (
        pytest.approx(expected.low, abs=0.01),
        pytest.approx(expected.high, abs=0.01),
    )


def test_undefined_values_have_no_interval(study):
    assert interval(study, "sst", deviation, np.array([0.1, np.nan])) == (None, None)
    assert interval(study, "sst", deviation, np.array([])) == (None, None)


def test_accuracy_and_auc(study):
    rng = np.random.default_rng(3)
    label = rng.integers(0, 2, 400)
    right = rng.random(400) < 0.8
    low, high = interval(study, "sst", accuracy, label, np.where(right, label, 1 - label))
    share = right.mean()
    half = 1.96 * np.sqrt(share * (1 - share) / 400)
    assert (low, high) == (
        pytest.approx(share - half, abs=0.01),
        pytest.approx(share + half, abs=0.01),
    )
    # Every document of class 1 outscores those of class 0, whatever the resample.
    assert interval(study, "sst", roc_auc, label, label.astype(float)) == (1, 1)


def test_mean_of_corpora_weighs_them_equally_whatever_their_sizes(study):
    rng = np.random.default_rng(4)
    values = {"sst": rng.normal(0, 1, 100), "imdb": rng.normal(1, 2, 400)}
    low, high = of_mean_of_corpora(study, values)
    middle = np.mean([of_corpus.mean() for of_corpus in values.values()])
    # Variances of the two means: 1/100 and 4/400, halved twice.
    error = np.sqrt(sum(v.var() / len(v) for v in values.values())) / 2
    assert (low, high) == (
        pytest.approx(middle - 1.96 * error, abs=0.02),
        pytest.approx(middle + 1.96 * error, abs=0.02),
    )
    assert of_mean_of_corpora(study, {"sst": values["sst"]}) == interval(
        study, "sst", mean, values["sst"]
    )
