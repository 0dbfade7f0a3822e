"""Tables 4 and 5 and the convexity table on four documents."""

import pytest

from attnnn.errors import UserError
from attnnn.exhibits.facts import Setting
from attnnn.exhibits.wiegreffe_pinter import fig5_convexity, table4, table5
from attnnn.study.model import Run
from tests.exhibits import handmade, synthetic

LABELS = [1, 1, 0, 0]
RIGHT = [0.9, 0.9, 0.1, 0.1]  # F1 1
ONE_MISSED = [0.9, 0.1, 0.1, 0.1]  # precision 1, recall 1/2: F1 2/3
ALL_ONE = [0.9, 0.9, 0.9, 0.9]  # precision 1/2, recall 1: F1 2/3
WRONG = [0.1, 0.1, 0.9, 0.9]  # F1 0


def _study(tmp_path, **settings):
    switches = {"adv_seed": "same", **settings.pop("switches", {})}
    return synthetic.study(
        tmp_path / "results", ["sst"], lambdas=[0, 1e-3, 1e-2], switches=switches, **settings
    )


def _write(study, jsd, dev, test, tvd=(0.0, 0.0, 0.0)):
    for run, divergence, on_dev, on_test, change in zip(
        handmade.adversaries(study), jsd, dev, test, tvd, strict=True
    ):
        # Documents differ around the mean, which is what counts.
        spread = {split: [divergence + d for d in (-0.05, 0.05, 0, 0)] for split in ("dev", "test")}
        handmade.write_predictions(study, run, LABELS, {"dev": on_dev, "test": on_test})
        handmade.write_divergence(study, run, spread, [change] * 4)


def test_lambda_is_chosen_on_dev_and_reported_on_test(tmp_path):
    study = _study(tmp_path)
    # λ = 0 is best on dev but diverges too little; .001 is better on test, which must not count.
    _write(
        study,
        jsd=(0.1, 0.41, 0.6),
        dev=(RIGHT, WRONG, ONE_MISSED),
        test=(RIGHT, RIGHT, ONE_MISSED),
        tvd=(0, 0.1, 0.2),
    )
    table = table4.best_adversaries(handmade.results(study))
    setting = Setting(chosen_on="dev")
    value = {fact.metric: fact.value for fact in table if fact.setting == setting}
    assert value["lambda"] == 1e-2
    assert value["f1"] == pytest.approx(2 / 3)
    assert value["jsd"] == pytest.approx(0.6)
    assert (value["tvd"], value["tvd_half"]) == (pytest.approx(0.2), pytest.approx(0.1))
    assert value["lambdas_with_jsd_at_least_0.4"] == 2
    assert table.get("sst", setting, "lambda").published == 5.25e-4
    assert table.get("sst", setting, "f1").published == 0.823
    assert table.get("sst", setting, "tvd").published == 0.036
    assert table.get("sst", setting, "tvd_half").published is None


def test_switch_lambda_select_chooses_on_test(tmp_path):
    study = _study(tmp_path, switches={"lambda_select": "test"})
    _write(study, (0.1, 0.41, 0.6), (RIGHT, WRONG, ONE_MISSED), (RIGHT, RIGHT, ONE_MISSED))
    table = table4.best_adversaries(handmade.results(study))
    assert table.get("sst", Setting(chosen_on="test"), "lambda").value == 1e-3
    assert table.get("sst", Setting(chosen_on="test"), "f1").value == 1


def test_of_equal_f1_the_more_diverging_adversary_is_chosen(tmp_path):
    study = _study(tmp_path)
    _write(study, (0.1, 0.5, 0.45), (RIGHT, ONE_MISSED, ALL_ONE), (RIGHT, RIGHT, RIGHT))
    table = table4.best_adversaries(handmade.results(study))
    assert table.get("sst", Setting(chosen_on="dev"), "lambda").value == 1e-3


def test_no_lambda_diverging_enough_is_said(tmp_path):
    study = _study(tmp_path)
    _write(study, (0.1, 0.2, 0.38), (RIGHT,) * 3, (RIGHT,) * 3)
    results = handmade.results(study)
    table = table4.best_adversaries(results)
    assert table.get("sst", Setting(chosen_on="dev"), "lambda").value is None
    assert table.get("sst", Setting(chosen_on="dev"), "lambdas_with_jsd_at_least_0.4").value == 0
    assert table.get("sst", Setting(chosen_on="dev"), "highest_mean_jsd").value == pytest.approx(
        0.38
    )
    assert table.get("sst", Setting(chosen_on="dev"), "f1") is None
    shown = table4.best_adversaries_sheet(results, table).markdown()
    assert "none (highest JSD 0.380)" in shown


def test_choosing_on_a_split_that_is_not_there_is_the_users_mistake(tmp_path):
    study = _study(tmp_path)
    for run in handmade.adversaries(study):
        handmade.write_predictions(study, run, LABELS, {"test": RIGHT})
        handmade.write_divergence(study, run, {"test": [0.5] * 4}, [0.1] * 4)
    with pytest.raises(UserError, match=r"lambda_select.*sst has no dev split"):
        table4.best_adversaries(handmade.results(study))


def test_sweep_reports_both_scales_and_sets_the_papers_beside_the_headline(tmp_path):
    study = _study(tmp_path, switches={"tvd_scale": "half_scalar"})
    _write(study, (0.1, 0.4, 0.6), (RIGHT,) * 3, (RIGHT, ONE_MISSED, WRONG), (0.02, 0.04, 0.08))
    table = table5.sweep(handmade.results(study))
    assert [str(s) for s in table.settings("sst")] == ["lambda=0", "lambda=0.001", "lambda=0.01"]
    f1 = table.get("sst", Setting(lambda_=0.001), "f1")
    assert (f1.value, f1.published, f1.n) == (pytest.approx(2 / 3), 0.815, 4)
    assert 0 <= f1.low <= f1.value <= f1.high <= 1
    assert table.get("sst", Setting(lambda_=0.001), "tvd").value == pytest.approx(0.04)
    assert table.get("sst", Setting(lambda_=0.001), "tvd").published is None
    half = table.get("sst", Setting(lambda_=0.001), "tvd_half")
    assert (half.value, half.published) == (pytest.approx(0.02), 0.038)
    assert table.get("sst", Setting(lambda_=0.001), "jsd").published == 0.623


def test_two_sweeps_are_told_apart_by_seed_and_the_papers_numbers_stand_by_the_first(tmp_path):
    study = _study(tmp_path, switches={"adv_seed": "both"})
    for run in handmade.adversaries(study):
        for seed in (study.base_seed, study.seeds[0]):
            here = Run(run.corpus, run.model, seed)
            handmade.write_predictions(study, here, LABELS, {"test": RIGHT})
            handmade.write_divergence(study, here, {"test": [0.5] * 4}, [0.1] * 4)
    table = table5.sweep(handmade.results(study))
    assert table.get("sst", Setting(lambda_=0.001, seed=10), "f1").published == 0.815
    assert table.get("sst", Setting(lambda_=0.001, seed=50), "f1").published is None


def test_convexity_of_a_curve_drawn_by_hand(tmp_path):
    study = _study(tmp_path)
    for run, jsd, tvd in zip(
        handmade.adversaries(study), (0.0, 0.2, 0.4), (0.0, 0.0, 0.4), strict=True
    ):
        handmade.write_divergence(study, run, {"test": [jsd] * 4}, [tvd] * 4)
    fact = fig5_convexity.convexity(handmade.results(study)).get(
        "sst", Setting(seed=10), "convexity_index"
    )
    # Under the chord ½·.4·.4 = .08, under the curve ½·.2·.4 = .04; the box is .16.
    assert fact.value == pytest.approx(0.25)
    # All documents are alike, so resampling moves nothing.
    assert (fact.low, fact.high) == (pytest.approx(0.25), pytest.approx(0.25))
    assert fact.n == 4
