"""What a change of the configuration runs again, and what it leaves alone."""

from typing import Any

import pytest

from tests.workflow.projects import Rehearsal, planted, small_study

pytestmark = pytest.mark.study

TWO = {"one": planted("lexical"), "two": planted("needle")}


@pytest.fixture
def finished(rehearsal: Rehearsal) -> Rehearsal:
    """A study that has run to its end."""
    rehearsal.succeed("--quiet")
    return rehearsal


def rerun(finished: Rehearsal, **changes: Any) -> list[str]:
    """Calls after a change of the configuration."""
    finished.configure(small_study(**changes))
    return finished.calls()


def verbs_of(calls: list[str]) -> set[str]:
    return {call.split()[0] for call in calls}


def corpora_of(calls: list[str], verb: str) -> set[str]:
    return {call.split()[1] for call in calls if call.split()[0] == verb}


def test_an_added_corpus_leaves_the_others_alone(finished: Rehearsal):
    calls = rerun(finished, corpora={**TWO, "three": planted("context")})
    for verb in ("prepare", "train", "measure", "search", "permute"):
        assert corpora_of(calls, verb) == {"three"}


def test_an_added_corpus_does_not_hide_a_change_of_the_others(finished: Rehearsal):
    calls = rerun(
        finished,
        corpora={**TWO, "three": planted("context")},
        training={"epochs": 3},
        permutations=7,
    )
    assert corpora_of(calls, "train") == {"one", "two", "three"}
    assert corpora_of(calls, "permute") == {"one", "two", "three"}
    assert corpora_of(calls, "prepare") == {"three"}
    assert finished.calls() == []


def test_a_renamed_corpus_does_not_retrain_the_other(finished: Rehearsal):
    calls = rerun(finished, corpora={"one": planted("lexical"), "second": planted("needle")})
    assert corpora_of(calls, "train") == {"second"}


def test_a_removed_corpus_only_publishes_anew(finished: Rehearsal):
    calls = rerun(finished, corpora={"one": planted("lexical")})
    assert verbs_of(calls) <= {"table", "figure"}


def test_a_changed_corpus_retrains_it_alone(finished: Rehearsal):
    calls = rerun(finished, corpora={**TWO, "two": planted("needle", min_df=2)})
    assert corpora_of(calls, "prepare") == corpora_of(calls, "train") == {"two"}


def test_epochs_retrain_every_model_and_prepare_nothing(finished: Rehearsal):
    calls = rerun(finished, training={"epochs": 3})
    assert len([call for call in calls if call.startswith("train")]) == 2 * 11
    assert "prepare" not in verbs_of(calls)


def test_epochs_of_adversaries_retrain_them_and_what_they_guide(finished: Rehearsal):
    calls = rerun(finished, switches={"adv_seed": "same", "adv_epochs": 3})
    trained = {call.split()[2] for call in calls if call.startswith("train")}
    assert trained == {
        "bilstm-additive-lambda-0",
        "bilstm-additive-lambda-0.001",
        "average-imposed-bilstm-additive-lambda-0.001",
    }
    assert verbs_of(calls).isdisjoint({"measure", "correlate", "permute", "search"})


def test_a_longer_lambda_grid_trains_only_the_new_ones(finished: Rehearsal):
    calls = rerun(finished, lambdas=[0, 0.001, 0.1])
    trained = {call.split()[2] for call in calls if call.startswith("train")}
    assert trained == {"bilstm-additive-lambda-0.1"}


def test_another_search_searches_again_and_trains_nothing(finished: Rehearsal):
    calls = rerun(finished, searched_adversary={"steps": 7})
    assert verbs_of(calls) == {"search", "table", "figure"}


def test_published_numbers_only_publish_anew(finished: Rehearsal):
    calls = rerun(finished, corpora={**TWO, "one": planted("lexical", published="SST")})
    assert verbs_of(calls) == {"table", "figure"}


def test_threads_and_device_run_nothing_again(finished: Rehearsal):
    assert rerun(finished, threads=2, device="cpu") == []


def test_a_failed_corpus_costs_the_others_nothing(rehearsal: Rehearsal):
    rehearsal.environment["FAILS"] = "prepare two"
    rehearsal.notes.write_text("")
    done = rehearsal.snakemake("results/tables/table2.csv")
    assert done.returncode == 1
    assert "attnnn: told to fail" in done.stdout + done.stderr
    calls = rehearsal.notes.read_text().splitlines()
    assert corpora_of(calls, "train") == {"one"}
    assert "table" not in verbs_of(calls)
    del rehearsal.environment["FAILS"]
    calls = rehearsal.calls("results/tables/table2.csv")
    assert corpora_of(calls, "prepare") == corpora_of(calls, "train") == {"two"}


def test_asking_for_log_odds_runs_these_experiments_and_no_other(finished: Rehearsal):
    runs = ["bilstm-log-odds 10", "bilstm-additive-towards-log-odds 10"]
    calls = rerun(finished, log_odds={"run": True})
    assert sorted(calls) == sorted(
        [
            *(f"weigh {corpus}" for corpus in TWO),
            *(f"train {corpus} {run}" for corpus in TWO for run in runs),
            *(f"replace {corpus} bilstm-additive 10" for corpus in TWO),
            "table jw_log_odds",
            "figure jw_log_odds",
        ]
    )
    calls = rerun(finished, log_odds={"run": True, "substituted_words": 2})
    assert verbs_of(calls) == {"replace", "table", "figure"}
    calls = rerun(finished, log_odds={"run": True, "substituted_words": 2, "divergence_weight": 1})
    assert {call for call in calls if call.startswith("train")} == {
        f"train {corpus} {runs[1]}" for corpus in TWO
    }
    # The switch off again leaves nothing to do.
    assert rerun(finished) == []
