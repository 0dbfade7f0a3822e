"""Six documents: τ of .5, .3 | .1, undefined, .3 | undefined, with class 0 the first two and the last."""

import math

import pytest

from attnnn import design
from attnnn.publish.results import Results
from attnnn.publish.table_correlation import correlation, correlation_sheet
from tests.publish import handmade, synthetic

PREDICTED = [0, 0, 1, 1, 1, 0]
TAU = [0.5, 0.3, 0.1, None, 0.3, None]
P_VALUE = [0.01, 0.05, 0.4, None, 0.051, None]
EXCLUDED = [None, None, None, "one token", None, "constant attention"]


def _results(tmp_path, **switches):
    study = synthetic.study(tmp_path / "results", ["sst"], switches=switches)
    for run in design.explained_runs(study, "sst"):
        handmade.write_correlation(study, run, PREDICTED, TAU, P_VALUE, EXCLUDED)
    return Results(study)


def _setting(group, model="bilstm-additive", pair="attention~gradient"):
    return f"model={model} pair={pair} predicted={group}"


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
