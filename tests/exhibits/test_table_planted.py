import numpy as np
import pytest

from attnnn.exhibits.results import Results
from attnnn.exhibits.table_planted import hits, planted_truth
from attnnn.measures import f1_score
from attnnn.study import design
from attnnn.tables.ragged import Ragged


def test_a_hit_is_a_deciding_token_of_the_highest_score():
    scores = Ragged.from_lists([[0.2, 0.5, 0.3], [0.9, 0.1], [0.5, 0.5], [0.25] * 4])
    truth = Ragged.from_lists([[0, 1, 0], [0, 1], [1, 1], [1, 0, 0, 0]])
    # The last document is a four-way tie: a quarter of a hit.
    assert hits(scores, truth).tolist() == [1, 0, 1, 0.25]


def test_chance_is_the_share_of_deciding_tokens(finished):
    results = Results(finished)
    table = planted_truth(results)
    truth = results.documents("needle").ragged("truth")
    share = np.mean([np.mean(row) for row in truth if row.any()])
    assert table.get("needle", "chance", "hit_rate").value == pytest.approx(share)
    assert table.get("needle", "chance", "mass_on_truth").value == pytest.approx(share)
    without = table.get("needle", "truth", "documents_without_truth")
    assert without.value == sum(not row.any() for row in truth)
    assert table.get("needle", "chance", "hit_rate").n + without.value == without.n


def test_mass_is_the_attention_on_deciding_tokens(finished):
    results = Results(finished)
    attention = results.predictions(design.base_run(finished, "needle")).ragged("attention")
    truth = results.documents("needle").ragged("truth")
    by_hand = [a[t == 1].sum() for a, t in zip(attention, truth, strict=True) if t.any()]
    found = planted_truth(results).get("needle", "attention", "mass_on_truth")
    assert found.value == pytest.approx(np.mean(by_hand))


def test_difference_of_f1_is_paired(finished):
    results = Results(finished)
    table = planted_truth(results)
    base = results.predictions(design.base_run(finished, "needle"))
    uniform = results.predictions(design.uniform_run(finished, "needle"))
    label = base.ints("label")
    expected = f1_score(label, base.predicted) - f1_score(label, uniform.predicted)
    found = table.get("needle", "base_minus_uniform", "f1")
    assert found.value == pytest.approx(expected)
    alone = [table.get("needle", name, "f1") for name in ("base_lstm", "uniform_lstm")]
    # Resampling the same documents for both leaves out the spread that they share.
    assert found.high - found.low < sum(fact.high - fact.low for fact in alone)


def test_only_planted_corpora_are_in_it(finished):
    assert {fact.corpus for fact in planted_truth(Results(finished))} == {"needle"}
