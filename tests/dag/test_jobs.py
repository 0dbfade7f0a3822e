"""The jobs of a study are those of the workflow (tests/workflow/test_plan.py asks Snakemake itself)."""

from __future__ import annotations

from collections import Counter

from attnnn.dag import catalogue
from attnnn.dag.jobs import PlannedJob, jobs_for, planned_jobs
from attnnn.dag.layout import benchmark_path
from attnnn.study.config import Study
from tests.costs.conftest import MakeStudy, make_study  # noqa: F401

GRID = {"papers": ["jain-wallace"], "training": {"hidden_size": 4}}


def counts(study: Study) -> Counter[str]:
    return Counter(job.verb for job in planned_jobs(study))


def named(study: Study) -> dict[str, PlannedJob]:
    return {job.name: job for job in planned_jobs(study)}


def test_every_stage_has_its_jobs(make_study: MakeStudy):  # noqa: F811
    study = make_study()
    assert counts(study) == {
        "prepare": 1,
        # Base, seed, uniform, two MLPs; two λ and two guided MLPs.
        "train": 9,
        # Base and trained MLP.
        "measure": 2,
        "correlate": 2,
        "permute": 1,
        "search": 1,
        "solve": 1,
        "table": len(catalogue.exhibits(study, "table")),
        "figure": len(catalogue.exhibits(study, "figure")),
    }


def test_the_grid_of_jain_and_wallace_has_its_jobs(make_study: MakeStudy):  # noqa: F811
    found = counts(make_study(**GRID))
    # Three encoders with two attentions each, and without one.
    assert found["train"] == 9
    for stage in ("measure", "correlate", "permute", "search", "solve"):
        assert found[stage] == 6


def test_word_vectors_are_a_job_where_they_are_not_drawn(make_study: MakeStudy):  # noqa: F811
    study = make_study({"embedding": {"kind": "word2vec", "dimension": 3}})
    jobs = planned_jobs(study)
    (embedding,) = (job for job in jobs if job.verb == "embed")
    assert all({*embedding.makes} <= {*job.needs} for job in jobs if job.verb == "train")


def test_jobs_come_after_what_they_need(make_study: MakeStudy):  # noqa: F811
    made: set[str] = set()
    for job in planned_jobs(make_study()):
        assert {needed.path for needed in job.needs} <= made, job.name
        made |= {one.path for one in job.makes}


def test_a_figure_needs_no_more_than_what_it_is_made_from(make_study: MakeStudy):  # noqa: F811
    study = make_study()
    verbs = {job.verb for job in jobs_for(study, catalogue.exhibit("fig5").inputs(study))}
    assert verbs == {"prepare", "train", "search", "solve"}


def test_benchmark_files_are_named_as_the_rules_name_them(make_study: MakeStudy):  # noqa: F811
    jobs = planned_jobs(make_study(**GRID, log_odds={"run": True}))
    found = {benchmark_path(job.verb, *job.place) for job in jobs}
    assert {
        "benchmarks/prepare/toy.tsv",
        "benchmarks/train/toy/bilstm-additive/seed-10.tsv",
        "benchmarks/table/jw_log_odds.tsv",
        "benchmarks/figure/jw_log_odds.tsv",
    } <= found


def test_experiments_with_log_odds_have_their_jobs_where_they_run(make_study: MakeStudy):  # noqa: F811
    before, after = (
        counts(make_study(**GRID, **more)) for more in ({}, {"log_odds": {"run": True}})
    )
    assert after - before == {"weigh": 1, "train": 2, "replace": 1, "table": 1, "figure": 1}


def test_for_more_than_two_classes_the_exact_adversary_waits_for_the_search(make_study: MakeStudy):  # noqa: F811
    def waits(**changes: object) -> bool:
        jobs = named(make_study(changes or None, **GRID))
        solve, search = (
            jobs[f"{verb} toy/bilstm-additive/seed-10"] for verb in ("solve", "search")
        )
        return bool({*solve.needs} & {*search.makes})

    assert waits(source={"kind": "snli"})
    assert not waits()
