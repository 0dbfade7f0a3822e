"""How trainings are shared out among jobs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnnn.dag import targets
from attnnn.dag.jobs import Job, analysis_jobs, compared, training_jobs
from attnnn.study import design
from attnnn.study.config import Study, validate

PLANTED = {"source": {"kind": "planted", "regime": "lexical"}}


def study_of(runs: int, **changes: Any) -> Study:
    content = {
        "corpora": {"one": PLANTED, "two": PLANTED},
        "seeds": [50, 257],
        "lambdas": [0, 0.1],
        "jobs": {"runs": runs},
        "switches": {"adv_seed": "same"},
        **changes,
    }
    return validate(content, where="test")


def names_of(study: Study) -> list[list[str]]:
    return [[run.name for run in job.runs] for job in training_jobs(study) if job.corpus == "one"]


def test_runs_that_wait_for_the_same_go_together():
    names = names_of(study_of(4, papers=["wiegreffe-pinter"]))
    assert names == [
        # Labels alone: the base model, seeds, uniform attention, trained and uniform MLP.
        ["bilstm-additive/seed-10", "bilstm-additive/seed-50", "bilstm-additive/seed-257",
         "bilstm-uniform/seed-10"],
        ["average-uniform/seed-10", "average-additive/seed-10"],
        # What learns from the base model; 0.001 guides an MLP and is not in the grid.
        ["average-imposed-bilstm-additive/seed-10", "bilstm-additive-lambda-0/seed-10",
         "bilstm-additive-lambda-0.1/seed-10", "bilstm-additive-lambda-0.001/seed-10"],
        ["average-imposed-bilstm-additive-lambda-0.001/seed-10"],
    ]  # fmt: skip


def test_models_of_both_papers_that_learn_from_labels_go_together():
    names = names_of(study_of(8))
    assert names[:2] == [
        ["bilstm-additive/seed-10", "bilstm-additive/seed-50", "bilstm-additive/seed-257",
         "bilstm-uniform/seed-10", "average-uniform/seed-10", "average-additive/seed-10",
         "bilstm-dot/seed-10", "average-dot/seed-10"],
        ["cnn-additive/seed-10", "cnn-dot/seed-10",
         "bilstm-none/seed-10", "average-none/seed-10", "cnn-none/seed-10"],
    ]  # fmt: skip
    assert len(names) == 4
    alone = names_of(study_of(8, papers=["jain-wallace"]))
    assert [len(job) for job in alone] == [8, 1]


def test_asking_for_log_odds_adds_a_job_and_changes_no_other():
    before, after = names_of(study_of(8)), names_of(study_of(8, log_odds={"run": True}))
    assert after[:-1] == before
    assert after[-1] == ["bilstm-log-odds/seed-10", "bilstm-additive-towards-log-odds/seed-10"]


@pytest.mark.parametrize("adv_seed", ["same", "different", "both"])
@given(runs=st.integers(1, 30))
def test_every_run_is_trained_once_and_after_what_it_learns_from(adv_seed: str, runs: int):
    study = study_of(runs, switches={"adv_seed": adv_seed})
    jobs = training_jobs(study)
    trained = [run for job in jobs for run in job.runs]
    assert len(set(trained)) == len(trained)
    before: set[design.Run] = set()
    for job in jobs:
        assert 1 <= len(job.runs) <= runs
        guides = {design.guiding_run(study, run) for run in job.runs} - {None}
        assert guides <= before
        before |= set(job.runs)


def test_all_that_tables_and_figures_show_is_trained():
    study = study_of(3)
    trained = {run for job in training_jobs(study) for run in job.runs}
    wanted = [
        path
        for name in ("table2", "table3", "table4", "fig2", "jw_grid")
        for path in targets.needs(study, name)
    ]
    models = {path for path in wanted if path.startswith("results/models/")}
    assert models
    for path in models:
        _, _, corpus, model, seed, _ = path.split("/")
        assert design.Run.parse(corpus, f"{model}/{seed}") in trained


def test_what_is_compared_is_a_part_of_what_is_trained():
    study = study_of(8)
    first, grid, second, third = (job for job in training_jobs(study) if job.corpus == "two")
    assert compared(study, grid) is None
    seeds_and_uniform = compared(study, first)
    assert seeds_and_uniform is not None
    assert [run.name for run in seeds_and_uniform.runs] == [
        "bilstm-additive/seed-50",
        "bilstm-additive/seed-257",
        "bilstm-uniform/seed-10",
    ]
    sweep = compared(study, second)
    assert sweep is not None
    assert {run.model.lambda_ for run in sweep.runs} == {0, 0.1}
    assert compared(study, third) is None
    assert compared(study, Job("two", 9, first.runs[:1])) is None


def test_analyses_are_shared_out_alike_and_only_where_they_are_made():
    papers = ["jain-wallace", "wiegreffe-pinter"]
    pair = {"source": {"kind": "babi", "task": 1}}
    study = study_of(4, papers=papers, corpora={"one": PLANTED, "asked": pair})
    explained = analysis_jobs(study, design.explained_runs)
    assert [(job.corpus, job.number, len(job.runs)) for job in explained] == [
        ("one", 1, 4),
        ("one", 2, 2),
        ("asked", 1, 4),
        ("asked", 2, 2),
    ]
    assert explained[0].name == "bilstm-additive/seed-10"
    assert {job.corpus for job in analysis_jobs(study, design.attacked_runs)} == {"one", "asked"}
