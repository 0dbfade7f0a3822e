"""Which jobs a target needs. The verbs are stood in for, so only the workflow is tested."""

import re
from collections import Counter

import pytest

from attnnn.dag import catalogue
from attnnn.dag.workflow import Dag
from attnnn.study.config import validate
from tests.workflow.projects import Rehearsal, planted, small_study
from tests.workflow.test_pairs import pair_study

pytestmark = pytest.mark.workflow


def test_plain_snakemake_makes_every_table_and_figure_and_then_nothing(rehearsal: Rehearsal):
    verbs = rehearsal.verbs("--cores", "2", "--resources", "gpu=1")
    study = validate(small_study(), where="test")
    made = rehearsal.made()
    assert {path.removeprefix("results/") for path in Dag(study).targets()} <= made
    # A corpus: base, uniform, one seed, trained and uniform MLP, two λ, two guided MLPs; and of the grid
    # of encoders and attentions one more, and one without attention.
    assert verbs["train"] == 2 * (9 + 1 + 1)
    for verb in ("measure", "correlate", "permute", "search", "solve"):
        assert verbs[verb] == 2 * 3, verb  # corpora × the grid
    assert verbs["prepare"] == 2
    assert verbs["table"] == len(catalogue.exhibits(study, "table"))
    assert verbs["figure"] == len(catalogue.exhibits(study, "figure"))
    again = rehearsal.succeed("--cores", "2", "--resources", "gpu=1")
    assert "Nothing to be done" in again


def test_a_study_of_one_paper_runs_its_experiments_alone(rehearsal: Rehearsal):
    content = small_study(papers=["jain-wallace"])
    rehearsal.configure(content)
    study = validate(content, where="test")
    verbs = rehearsal.verbs("--cores", "2", "--resources", "gpu=1")
    assert verbs == {
        "prepare": 2,
        "train": 2 * 4,
        **dict.fromkeys(("measure", "correlate", "permute", "search", "solve"), 2 * 3),
        "table": len(catalogue.exhibits(study, "table")),
        "figure": len(catalogue.exhibits(study, "figure")),
    }
    assert "Nothing to be done" in rehearsal.succeed()


def test_figure_5_needs_no_importance_no_permutation_and_no_guided_mlp(rehearsal: Rehearsal):
    calls = rehearsal.calls("results/figures/fig5.pdf")
    verbs = {call.split()[0] for call in calls}
    assert verbs == {"prepare", "train", "search", "solve", "figure"}
    assert not [call for call in calls if "average" in call]
    assert [call for call in calls if call.startswith("figure")] == ["figure fig5"]


@pytest.mark.parametrize("figure", ["fig1", "fig4"])
def test_drawings_need_nothing(rehearsal: Rehearsal, figure: str):
    assert rehearsal.calls(f"results/figures/{figure}.png") == [f"figure {figure}"]


def test_table_1_trains_nothing(rehearsal: Rehearsal):
    assert set(rehearsal.verbs("results/tables/table1.csv")) == {"prepare", "table"}


def test_corpora_are_prepared_before_anything_trains(rehearsal: Rehearsal):
    calls = rehearsal.calls("results/tables/table2.tex", "--cores", "1")
    verbs = [call.split()[0] for call in calls]
    assert verbs[:2] == ["prepare", "prepare"]
    assert set(verbs[2:]) == {"train", "table"}


def test_base_models_train_first(rehearsal: Rehearsal):
    calls = rehearsal.calls("results/tables/table2.tex", "--cores", "1")
    trained = [call for call in calls if call.startswith("train")]
    assert {call.split()[2:4] == ["bilstm-additive", "10"] for call in trained[:2]} == {True}


def test_vectors_are_made_only_for_corpora_that_start_from_some(rehearsal: Rehearsal):
    corpora = {
        "one": planted("lexical"),
        "two": planted("needle", embedding={"kind": "word2vec", "dimension": 8}),
    }
    rehearsal.configure(small_study(corpora=corpora))
    calls = rehearsal.calls("results/tables/table2.csv")
    assert [call for call in calls if call.startswith("embed")] == ["embed two"]


def test_another_configuration_replaces_the_default_one(rehearsal: Rehearsal):
    rehearsal.configure(small_study(corpora={"other": planted("context")}), "other.yaml")
    arguments = ["--configfile", "other.yaml", "--config", "results_dir=elsewhere"]
    calls = rehearsal.calls("elsewhere/tables/table2.csv", *arguments)
    assert {call.split()[1] for call in calls if call.startswith("train")} == {"other"}
    assert not rehearsal.made("results")


def test_results_dir_keeps_a_second_study_apart(rehearsal: Rehearsal):
    first = rehearsal.verbs("results/figures/fig5.pdf")
    second = rehearsal.verbs("DIR2/figures/fig5.pdf", "--config", "results_dir=DIR2")
    assert first == second
    assert "figures/fig5.pdf" in rehearsal.made("DIR2")
    assert "Nothing to be done" in rehearsal.succeed("results/figures/fig5.pdf")


def test_jobs_reserve_a_gpu_only_where_one_is_asked_for(rehearsal: Rehearsal):
    def printed(device: str) -> str:
        return rehearsal.succeed("-n", "--config", f"device={device}")

    assert "gpu=1" in printed("cuda")
    assert "gpu=1" not in printed("cpu")


def test_resources_of_a_rule_are_set_as_snakemake_users_expect(rehearsal: Rehearsal):
    target = "results/models/{}/bilstm-additive/seed-10/predictions.parquet"
    printed = rehearsal.succeed(
        "-n", target.format("one"), target.format("two"), "--set-resources", "train:mem_mb=7123"
    )
    found = re.findall(
        r"^rule train:\n(?:    .*\n)*?    resources: .*mem_mb=(\d+)", printed, re.MULTILINE
    )
    assert found == ["7123", "7123"]


def test_a_stage_can_be_stopped_at(rehearsal: Rehearsal):
    assert set(rehearsal.verbs("--until", "permute")) == {"prepare", "train", "permute"}


def test_a_run_that_no_exhibit_shows_can_be_trained_by_its_path(rehearsal: Rehearsal):
    target = "results/models/one/cnn-uniform/seed-7/predictions.parquet"
    assert rehearsal.calls(target) == ["prepare one", "train one cnn-uniform 7"]


def test_an_exhibit_that_has_nothing_to_show_is_refused_in_one_line(rehearsal: Rehearsal):
    done = rehearsal.snakemake("results/tables/jw_evidence.csv")
    assert done.returncode == 1
    assert "jw_evidence: no corpus of this study is shown in it" in done.stdout + done.stderr
    assert not rehearsal.made()


def test_a_dry_run_writes_nothing(rehearsal: Rehearsal):
    rehearsal.succeed("-n")
    assert not rehearsal.made()


def test_experiments_on_pairs_are_those_that_are_about_more_than_two_classes(rehearsal: Rehearsal):
    pairs = pair_study(rehearsal.folder)
    corpora = {**pairs["corpora"], "one": planted("lexical")}
    rehearsal.configure(small_study(corpora=corpora))
    calls = rehearsal.calls("--cores", "2", "--resources", "gpu=1")
    of_pairs = Counter(call.split()[0] for call in calls if call.split()[1:2] == ["stories"])
    grid = dict.fromkeys(("measure", "correlate", "permute", "search", "solve"), 3)
    assert of_pairs == {"prepare": 1, "train": 4, **grid}
    # For more than two classes the exact adversary starts from what was searched.
    for solved in [call for call in calls if call.startswith("solve stories ")]:
        assert calls.index(solved.replace("solve", "search", 1)) < calls.index(solved)
    assert "Nothing to be done" in rehearsal.succeed()


def test_the_evidence_table_needs_what_it_shows_alone(rehearsal: Rehearsal):
    rehearsal.configure(pair_study(rehearsal.folder))
    verbs = rehearsal.verbs("results/tables/jw_evidence.md", "--resources", "gpu=1")
    assert set(verbs) == {"prepare", "train", "measure", "table"}
