"""Permutations and searched adversaries agree in distribution with Jain & Wallace's code."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from attnnn.counterfactual.exact import exact_adversary
from attnnn.counterfactual.outcome import Outcome, best_of
from attnnn.counterfactual.permuted import absolute_changes, logit_moments, permuted_logits
from attnnn.counterfactual.searched import search_adversaries
from attnnn.models.inputs import Inputs
from attnnn.models.prediction import predict
from attnnn.study.settings import SearchedAdversary
from tests.support import binary

pytestmark = pytest.mark.reference

EPSILON = 0.05


@pytest.fixture(scope="module")
def explained(reference):
    """The model's attention, and its decoder on the same documents."""
    predictions = predict(reference.classifier, Inputs(reference.tokens))
    return predictions.attention, binary(predictions.contribution, reference.classifier.bias)


@pytest.fixture(scope="module")
def own_probability(reference):
    return reference["probability"].astype(np.float64)[:, None]


def test_permutation_changes(reference, explained, own_probability):
    logits = permuted_logits(*explained, permutations=100, generator=np.random.default_rng(0))
    changes = absolute_changes(*explained, logits)
    expected = np.abs(reference["permuted_probability"] - own_probability)
    found_median, median = np.median(changes, axis=1), np.median(expected, axis=1)
    assert np.corrcoef(found_median, median)[0, 1] > 0.99
    assert found_median.mean() == pytest.approx(median.mean(), abs=1e-3)
    assert ks_2samp(found_median, median).statistic < 0.04
    assert ks_2samp(changes.ravel(), expected.ravel()).statistic < 0.01


def test_permuted_logits_scatter_around_the_exact_mean(reference, explained):
    probability = reference["permuted_probability"].astype(np.float64)
    logits = np.log(probability / (1 - probability))
    moments = logit_moments(*explained)
    z = (logits.mean(axis=1) - moments.mean) / (moments.std / np.sqrt(logits.shape[1]))
    # Over 1,725 documents a standard normal has mean 0 ± 0.024 and standard deviation 1 ± 0.017.
    assert z.mean() == pytest.approx(0, abs=0.1)
    assert z.std() == pytest.approx(1, abs=0.07)


def test_searched_adversary(reference, explained, own_probability):
    attention, decoder = explained
    found = search_adversaries(
        np.arange(len(attention)),
        attention,
        decoder,
        SearchedAdversary(),
        cross_jsd_weight="code",
        epsilons=[],
        seed=10,
    )
    candidates = [Outcome.of(last, attention, decoder) for last in found.last]
    best, _ = best_of(candidates, Outcome.of(attention, attention, decoder), EPSILON)
    expected = reference["searched_adversary_eps_max_jsd"].astype(np.float64)
    predicted = reference["probability"] > 0.5
    for chosen in (np.ones_like(predicted), ~predicted, predicted):
        assert best.jsd[chosen].mean() == pytest.approx(expected[chosen].mean(), abs=0.01)
    assert ks_2samp(best.jsd, expected).statistic < 0.05
    change = np.mean([candidate.change for candidate in candidates])
    theirs = np.abs(reference["searched_adversary_probability"] - own_probability).mean()
    assert change == pytest.approx(theirs, rel=0.1)


@pytest.mark.parametrize(("epsilon", "mean"), [(0.01, 0.6287), (0.05, 0.6438)])
def test_exact_adversary_equals_a_plain_enumeration_of_vertices(explained, epsilon, mean):
    found = exact_adversary(*explained, epsilon)
    assert found.jsd.mean() == pytest.approx(mean, abs=5e-5)
    assert (found.slack >= 0).all()


def test_exact_adversary_is_above_the_searched_one_on_every_document(reference, explained):
    found = exact_adversary(*explained, EPSILON)
    assert (found.jsd > reference["searched_adversary_eps_max_jsd"]).all()
