"""The experiments with log-odds, by hand."""

import pytest

from attnnn.errors import UserError
from attnnn.exhibits.jain_wallace.jw_log_odds import log_odds, log_odds_sheet
from attnnn.exhibits.write import write
from attnnn.study.runs import base_run, log_odds_runs
from tests.exhibits import handmade, synthetic

QUESTION_ATTENTIONS = {
    "papers": ["jain-wallace"],
    "log_odds": {"run": True, "substituted_words": 3},
}
LABEL = [1, 1, 0, 0]
WEIGHT = {"<0>": None, "the": None, "film": 0.0, "good": 2.0, "fine": 0.5, "bad": -1.0}


@pytest.fixture
def results(tmp_path):
    """Four documents; predictions of the base model are right for all but the second."""
    study = synthetic.study(tmp_path / "results", ["sst"], **QUESTION_ATTENTIONS)
    base = base_run(study, "sst")
    handmade.write_predictions(study, base, LABEL, {"test": [0.9, 0.4, 0.2, 0.1]})
    given, drawn = log_odds_runs(study, "sst")
    handmade.write_predictions(study, given, LABEL, {"test": [0.8, 0.7, 0.6, 0.3]})
    handmade.write_predictions(study, drawn, LABEL, {"test": [0.8, 0.3, 0.2, 0.1]})
    handmade.write_divergence(study, given, {"test": [0.2, 0.3, 0.2, 0.5]}, [0.1, 0.3, 0.4, 0.2])
    handmade.write_divergence(study, drawn, {"test": [0.1, 0.1, 0.1, 0.1]}, [0.1, 0.1, 0, 0])
    handmade.write_log_odds(study, WEIGHT)
    handmade.write_replacement(
        study,
        {
            "predicted": [1, 0, 0, 0],
            "counted_words": [4, 0, 2, 1],
            "jsd": [0.2, 0.3, 0.2, 0.5],
            "imposed_probability": [0.7, 0.6, 0.2, 0.3],
            "imposed_change": [0.2, 0.2, 0.0, 0.2],
            "substituted_words": [3, 3, 2, 3],
            "substituted_probability": [0.3, 0.8, 0.9, 0.4],
            "substituted_change": [0.6, 0.4, 0.7, 0.3],
        },
    )
    return handmade.results(study)


def test_every_number_by_hand(results):
    found = {(str(f.setting), f.metric): f.value for f in log_odds(results)}
    given, drawn = "model=bilstm-log-odds", "model=bilstm-additive-towards-log-odds"
    assert found == pytest.approx(
        {
            # Of six words two do not count, and of four one has no weight.
            ("words", "counted"): 4,
            ("words", "weighted"): 3,
            ("model=bilstm-additive", "f1"): 2 / 3,
            ("model=bilstm-additive", "jsd_log_odds_mean"): 0.3,
            # Under log-odds attention the second is right.
            ("attention=log-odds", "f1"): 1.0,
            ("attention=log-odds", "jsd_mean"): 0.3,
            ("attention=log-odds", "change_mean"): 0.15,
            ("attention=log-odds", "flip_share"): 0.25,
            ("attention=log-odds", "documents_without_words"): 1,
            # Predicts 1, 1, 1, 0: precision 2/3, recall 1.
            (given, "f1"): 0.8,
            (given, "jsd_mean"): 0.3,
            (given, "change_mean"): 0.25,
            (given, "flip_share"): 0.5,
            (drawn, "f1"): 2 / 3,
            (drawn, "jsd_mean"): 0.1,
            # Both runs' predictions are written with attention ½, ½.
            (drawn, "jsd_log_odds_mean"): 0.0,
            (drawn, "change_mean"): 0.05,
            (drawn, "flip_share"): 0.0,
            ("words=substituted", "change_mean"): 0.5,
            ("words=substituted", "flip_share"): 0.75,
            ("words=substituted", "documents_with_fewer_words"): 1,
        }
    )


def test_intervals_are_of_documents(results):
    for fact in log_odds(results):
        if fact.metric in ("f1", "jsd_mean", "change_mean", "flip_share"):
            assert fact.n == 4
            assert fact.low <= fact.value <= fact.high


def test_sheet_has_a_row_an_experiment_and_names_the_strongest_words(results):
    sheet = log_odds_sheet(results, log_odds(results))
    rows = [row for row in sheet.rows if row]
    assert all(len(row) == len(sheet.columns) for row in rows)
    assert [row[1] for row in rows] == [
        "base model",
        "log-odds attention at test",
        "trained with log-odds attention",
        "attention drawn to log-odds",
        "words substituted",
    ]
    assert rows[4][2:5] == ["–"] * 3
    assert rows[1][6].startswith("0.250 [")
    assert "5 times the mean JSD" in sheet.notes[0]
    assert "the 3 most attended words" in sheet.notes[0]
    assert sheet.notes[1] == (
        "sst: 3 of 4 words of the bag have a weight; strongest for class 0 bad; for class 1 good, fine. "
        "Test documents of stop and unknown words alone, whose log-odds attention is uniform: 1; in which "
        "fewer words were substituted: 1."
    )


@pytest.mark.parametrize("name", ["jw_log_odds", "jw_log_odds_figure"])
def test_a_study_without_log_odds_says_what_is_missing(tmp_path, name):
    study = synthetic.study(tmp_path / "results", ["sst"])
    with pytest.raises(UserError, match=rf"{name}: no corpus .* log_odds: \{{run: true\}}"):
        write(study, name)
