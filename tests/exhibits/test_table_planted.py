import numpy as np
import pytest

from attnnn.exhibits.both.planted_truth import hits, planted_truth, planted_truth_sheet
from attnnn.exhibits.facts import Setting
from attnnn.measures import f1_score
from attnnn.study.runs import base_run, uniform_run
from attnnn.tables import schemas, store
from attnnn.tables.ragged import Ragged
from tests.exhibits import handmade, synthetic
from tests.support import Layout


def test_a_hit_is_a_deciding_token_of_the_highest_score():
    scores = Ragged.from_lists([[0.2, 0.5, 0.3], [0.9, 0.1], [0.5, 0.5], [0.25] * 4])
    truth = Ragged.from_lists([[0, 1, 0], [0, 1], [1, 1], [1, 0, 0, 0]])
    # The last document is a four-way tie: a quarter of a hit.
    assert hits(scores, truth).tolist() == [1, 0, 1, 0.25]


def test_chance_is_the_share_of_deciding_tokens(finished):
    results = handmade.results(finished)
    table = planted_truth(results)
    truth = results.documents("needle").ragged("truth")
    share = np.mean([np.mean(row) for row in truth if row.any()])
    assert table.get("needle", Setting("chance"), "hit_rate").value == pytest.approx(share)
    assert table.get("needle", Setting("chance"), "mass_on_truth").value == pytest.approx(share)
    without = table.get("needle", Setting("truth"), "documents_without_truth")
    assert without.value == sum(not row.any() for row in truth)
    assert table.get("needle", Setting("chance"), "hit_rate").n + without.value == without.n


def test_mass_is_the_attention_on_deciding_tokens(finished):
    results = handmade.results(finished)
    attention = results.predictions(base_run(finished, "needle")).ragged("attention")
    truth = results.documents("needle").ragged("truth")
    by_hand = [a[t == 1].sum() for a, t in zip(attention, truth, strict=True) if t.any()]
    found = planted_truth(results).get("needle", Setting("attention"), "mass_on_truth")
    assert found.value == pytest.approx(np.mean(by_hand))


def test_difference_of_f1_is_paired(finished):
    results = handmade.results(finished)
    table = planted_truth(results)
    base = results.predictions(base_run(finished, "needle"))
    uniform = results.predictions(uniform_run(finished, "needle"))
    label = base.ints("label")
    expected = f1_score(label, base.predicted) - f1_score(label, uniform.predicted)
    found = table.get("needle", Setting("base_minus_uniform"), "f1")
    assert found.value == pytest.approx(expected)
    alone = [table.get("needle", Setting(name), "f1") for name in ("base_lstm", "uniform_lstm")]
    # Resampling the same documents for both leaves out the spread that they share.
    assert found.high - found.low < sum(fact.high - fact.low for fact in alone)


def test_only_planted_corpora_are_in_it(finished):
    assert {fact.corpus for fact in planted_truth(handmade.results(finished))} == {"needle"}


def test_scores_about_the_predicted_class_find_tokens_that_decide(tmp_path):
    """By a loop: α_t s_t for documents of class 1, −α_t s_t for those of class 0, the highest of each."""
    study = synthetic.study(tmp_path / "results", ["needle"])
    synthetic.write_study(study)
    results, base = handmade.results(study), base_run(study, "needle")
    path, rng = Layout(study.results_dir).predictions_of(base), np.random.default_rng(1)
    columns = store.read_table(path, schemas.PREDICTIONS).to_pydict()
    columns["contribution"] = [rng.normal(size=len(row)) for row in columns["attention"]]
    arrays = {"bias": np.array([0.2])}
    store.write_blocks(path, schemas.PREDICTIONS, [columns], made_by={}, arrays=arrays)
    test = store.read_table_of(path, (schemas.PREDICTIONS,), where=("split", "test")).to_pylist()
    truth = dict(
        zip(
            results.documents("needle").ints("document"),
            results.documents("needle").ragged("truth"),
            strict=True,
        )
    )
    found = []
    for row in test:
        sign = 1 if row["probability"] > 0.5 else -1
        added = sign * np.multiply(row["attention"], row["contribution"], dtype=np.float64)
        if truth[row["document"]].any():
            found.append(truth[row["document"]][added == added.max()].mean())
    table = planted_truth(results)
    for score in ("contribution", "attention_gradient"):
        fact = table.get("needle", Setting(score), "hit_rate")
        assert (fact.value, fact.n) == (pytest.approx(np.mean(found)), len(found))
    shown = [row[1] for row in planted_truth_sheet(results, table).rows if row]
    assert shown[1:7] == [
        *("attention", "gradient", "leave-one-out"),
        *("attention × gradient", "α × contribution", "chance"),
    ]


def test_a_base_model_without_contributions_has_no_hit_rate_by_them(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"])
    synthetic.write_study(study)
    results = handmade.results(study)
    assert results.predicted_scores(base_run(study, "sst")) == {
        "attention_gradient": None,
        "contribution": None,
    }
