"""Six documents: τ of .5, .3 | .1, undefined, .3 | undefined, with class 0 the first two and the last."""

import math

import pytest

from attnnn.exhibits.both.correlation import correlation, correlation_sheet
from attnnn.exhibits.correlations import PAIRS
from attnnn.exhibits.facts import Setting
from attnnn.study.runs import explained_runs
from tests.exhibits import handmade, synthetic

PREDICTED = [0, 0, 1, 1, 1, 0]
TAU = [0.5, 0.3, 0.1, None, 0.3, None]
P_VALUE = [0.01, 0.05, 0.4, None, 0.051, None]
EXCLUDED = [None, None, None, "one token", None, "constant attention"]


def _results(tmp_path, **switches):
    study = synthetic.study(tmp_path / "results", ["sst"], switches=switches)
    for run in explained_runs(study, "sst"):
        handmade.write_correlation(study, run, PREDICTED, TAU, P_VALUE, EXCLUDED, shuffled=0.05)
    return handmade.results(study)


def _setting(group, model="bilstm-additive", pair="attention~gradient"):
    return Setting(model=model, pair=pair, predicted=group)


def test_undefined_documents_are_left_out_and_counted(tmp_path):
    table = correlation(_results(tmp_path))
    zero, everyone = _setting("0"), _setting("all")
    mean = table.get("sst", zero, "tau_mean")
    assert (mean.value, mean.n, mean.published) == (pytest.approx(0.4), 2, 0.40)
    assert table.get("sst", zero, "tau_std").value == pytest.approx(0.1)
    assert table.get("sst", zero, "significant_share").value == 1
    assert table.get("sst", everyone, "tau_mean").value == pytest.approx(0.3)
    assert table.get("sst", everyone, "tau_std").value == pytest.approx(math.sqrt(0.02))
    assert table.get("sst", everyone, "significant_share").value == 0.5
    assert table.get("sst", everyone, "undefined").value == 2
    assert table.get("sst", everyone, "undefined").n == 6
    assert table.get("sst", everyone, "undefined: one token").value == 1
    assert table.get("sst", zero, "undefined: constant attention").value == 1
    assert table.get("sst", zero, "undefined: one token") is None


def test_shares_after_control_of_false_discoveries(tmp_path):
    table = correlation(_results(tmp_path))
    # Four tests, p = .01, .05, .051, .4: times 4/1, 4/2, 4/3, 1 and made monotone: .04, .068, .068, .4.
    share = "significant_share_fdr"
    assert table.get("sst", _setting("all"), share).value == 0.25
    assert table.get("sst", _setting("0"), share).value == 0.5
    assert table.get("sst", _setting("1"), share).value == 0
    assert table.get("sst", _setting("0"), share).published is None


def test_chance_and_the_highest_tokens_have_facts_of_their_own(tmp_path):
    table = correlation(_results(tmp_path))
    everyone = _setting("all")
    chance = table.get("sst", everyone, "tau_mean_shuffled")
    assert (chance.value, chance.n) == (pytest.approx(0.05), 4)
    assert (chance.low, chance.high) == (pytest.approx(0.05), pytest.approx(0.05))
    assert table.get("sst", everyone, "significant_share_shuffled").value == 0
    # Half of 1 − τ, of .5, .3, .1, .3.
    assert table.get("sst", everyone, "top_k_distance_mean").value == pytest.approx(0.35)
    assert table.get("sst", everyone, "top_k").value == 10


def test_the_deviation_has_an_interval_too(tmp_path):
    fact = correlation(_results(tmp_path)).get("sst", _setting("all"), "tau_std")
    assert 0 <= fact.low < fact.value < fact.high <= 0.2


def test_the_sheet_of_two_models_has_their_classes_and_that_of_the_grid_has_not(tmp_path):
    results = _results(tmp_path)
    rows = [row for row in correlation_sheet(results, correlation(results)).rows if row]
    assert len(rows) == 6 * len(PAIRS)
    assert {row[3] for row in rows} == {"all"}
    alone = results.study.model_copy(update={"papers": ["wiegreffe-pinter"]})
    results = handmade.results(alone)
    sheet = correlation_sheet(results, correlation(results))
    rows = [row for row in sheet.rows if row]
    assert len(rows) == 2 * len(PAIRS) * 3
    assert rows[0][:4] == ["sst", "bilstm-additive", "attention – gradient", "0"]
    assert rows[0][5:] == ["1.00 (0.59)", "0.50", "0.05", "0.00", "2", "1"]
    assert all(len(row) == len(sheet.columns) for row in rows)


def test_nan_policy_propagate_keeps_them(tmp_path):
    results = _results(tmp_path, nan_policy="propagate")
    table = correlation(results)
    mean = table.get("sst", _setting("all"), "tau_mean")
    assert math.isnan(mean.value)
    assert (mean.low, mean.high, mean.n) == (None, None, 6)
    assert table.get("sst", _setting("all"), "significant_share").value == pytest.approx(2 / 6)
    assert "NaN ± NaN" in correlation_sheet(results, table).markdown()


def test_the_papers_numbers_stand_by_the_columns_they_print(tmp_path):
    table = correlation(_results(tmp_path))
    loo = "attention~leave_one_out"
    printed = {
        (model, pair): table.get("sst", _setting("1", model, pair), "tau_mean").published
        for model in ("bilstm-additive", "average-additive")
        for pair in ("attention~gradient", loo, "gradient~leave_one_out")
    }
    assert printed == {
        ("bilstm-additive", "attention~gradient"): 0.38,
        ("bilstm-additive", loo): 0.33,
        ("bilstm-additive", "gradient~leave_one_out"): None,
        ("average-additive", "attention~gradient"): 0.69,
        ("average-additive", loo): None,
        ("average-additive", "gradient~leave_one_out"): None,
    }


def test_scores_about_the_predicted_class_come_after_the_papers_pairs(tmp_path):
    results = _results(tmp_path)
    table = correlation(results)
    pairs = list(dict.fromkeys(setting["pair"] for setting in table.settings("sst")))
    assert pairs[:3] == ["attention~gradient", "attention~leave_one_out", "gradient~leave_one_out"]
    assert pairs[3:] == [
        f"{other}~{score}"
        for score in ("attention_gradient", "contribution")
        for other in ("attention", "gradient", "leave_one_out")
    ]
    mean = table.get("sst", _setting("all", pair="attention~contribution"), "tau_mean")
    assert (mean.value, mean.n, mean.published) == (pytest.approx(0.3), 4, None)


def test_a_run_without_contributions_counts_all_documents_as_undefined(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"])
    why = ["undefined contribution"] * 3
    for run in explained_runs(study, "sst"):
        handmade.write_correlation(study, run, [0, 1, 1], [None] * 3, [None] * 3, why)
    results = handmade.results(study)
    table = correlation(results)
    setting = _setting("all", pair="attention~contribution")
    assert (
        table.get("sst", setting, "tau_mean").value,
        table.get("sst", setting, "tau_mean").n,
    ) == (None, 0)
    assert table.get("sst", setting, "undefined: undefined contribution").value == 3
    rows = [row for row in correlation_sheet(results, table).rows if row]
    assert rows[-1][4:] == ["– ± –", "–", "–", "–", "–", "0", "3"]
