import numpy as np
import pytest
from scipy.stats import t

from attnnn.exhibits.estimates import over_seeds
from attnnn.exhibits.facts import Setting
from attnnn.exhibits.wiegreffe_pinter.table2 import lstm_f1
from attnnn.exhibits.wiegreffe_pinter.table3 import guided_f1
from attnnn.study.runs import base_run, guide_runs, seed_runs, uniform_run
from tests.exhibits import handmade, synthetic

LABELS = [1, 1, 0, 0]
RIGHT, ONE_MISSED, WRONG = [0.9, 0.9, 0.1, 0.1], [0.9, 0.1, 0.1, 0.1], [0.1, 0.1, 0.9, 0.9]


@pytest.fixture
def study(tmp_path):
    return synthetic.study(tmp_path / "results", ["sst"], seeds=[50, 257])


def test_table_2(study):
    runs = [base_run(study, "sst"), uniform_run(study, "sst")]
    runs += seed_runs(study, "sst")
    for run, test in zip(runs, (RIGHT, WRONG, RIGHT, ONE_MISSED), strict=True):
        handmade.write_predictions(study, run, LABELS, {"dev": WRONG, "test": test})
    table = lstm_f1(handmade.results(study))
    facts = {str(fact.setting): fact for fact in table}
    assert (facts["base_lstm"].value, facts["base_lstm"].published) == (1, 0.831)
    assert (facts["uniform_lstm"].value, facts["uniform_lstm"].published) == (0, 0.822)
    reported = facts["jain_wallace_reported"]
    assert (reported.value, reported.published) == (None, 0.81)
    seeds = facts["mean_over_seeds"]
    assert (seeds.value, seeds.n) == (pytest.approx((1 + 2 / 3) / 2), 2)


def test_interval_over_seeds_is_students():
    values = [0.80, 0.82, 0.83, 0.85]
    low, high = over_seeds(values)
    expected = t.interval(0.95, 3, np.mean(values), np.std(values, ddof=1) / 2)
    assert (low, high) == (pytest.approx(expected[0]), pytest.approx(expected[1]))
    assert over_seeds([0.8]) == (None, None)


def test_table_3_names_the_guides(study):
    for run, test in zip(
        guide_runs(study, "sst").values(),
        (WRONG, ONE_MISSED, RIGHT, ONE_MISSED),
        strict=True,
    ):
        handmade.write_predictions(study, run, LABELS, {"test": test})
    found = [(str(f.setting), f.value, f.published) for f in guided_f1(handmade.results(study))]
    assert found == [
        ("uniform", 0, 0.812),
        ("trained_mlp", pytest.approx(2 / 3), 0.817),
        ("base_lstm", 1, 0.824),
        ("adversary", pytest.approx(2 / 3), 0.592),
    ]


def test_an_adversary_of_another_lambda_is_not_the_papers(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"], guide_lambda=0.005)
    for run in guide_runs(study, "sst").values():
        handmade.write_predictions(study, run, LABELS, {"test": RIGHT})
    assert (
        guided_f1(handmade.results(study)).get("sst", Setting("adversary"), "f1").published is None
    )
