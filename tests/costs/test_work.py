"""The jobs of a study are those of the workflow (tests/workflow/test_plan.py asks Snakemake itself)."""

from __future__ import annotations

from collections import Counter

import pytest

from attnnn.dag import layout, targets
from attnnn.dag.work import CorpusSize, PlannedJob, planned_jobs
from attnnn.study.config import Study
from tests.costs.conftest import MakeStudy
from tests.support import Layout


def jobs_of(study: Study, size: CorpusSize) -> list[PlannedJob]:
    return planned_jobs(study, dict.fromkeys(study.corpora, size))


def test_every_stage_has_its_jobs(make_study: MakeStudy, size: CorpusSize):
    study = make_study(jobs={"runs": 4})
    assert Counter(job.stage for job in jobs_of(study, size)) == {
        "prepare": 1,
        "check": 1,
        # Base, seed, uniform, two MLPs; two λ and a guided MLP; the other guided MLP.
        "train": 2 + 1 + 1,
        # Base and trained MLP together.
        "measure": 1,
        "correlate": 1,
        "permute": 1,
        "search": 1,
        "solve": 1,
        "diverge": 2,
        "table": len(layout.TABLES_OF["wiegreffe-pinter"]),
        "figure": len(layout.FIGURES_OF["wiegreffe-pinter"]),
    }


def test_the_grid_of_jain_and_wallace_has_its_jobs(make_study: MakeStudy, size: CorpusSize):
    training = {"epochs": 2, "batch_size": 4, "hidden_size": 4}
    study = make_study(papers=["jain-wallace"], jobs={"runs": 4}, training=training)
    counts = Counter(job.stage for job in jobs_of(study, size))
    # Three encoders with two attentions each, and without one: nine trainings, four a job.
    assert counts["train"] == 3
    for stage in ("measure", "correlate", "permute", "search", "solve"):
        assert counts[stage] == 2
    assert counts["diverge"] == 0


def test_word_vectors_are_a_job_where_they_are_not_drawn(make_study: MakeStudy, size: CorpusSize):
    study = make_study({"embedding": {"kind": "word2vec", "dimension": 3}})
    jobs = jobs_of(study, size)
    (embedding,) = (job for job in jobs if job.stage == "embed")
    assert all(set(embedding.makes) <= set(job.needs) for job in jobs if job.stage == "train")


def test_jobs_come_after_what_they_need_and_nothing_is_made_twice(
    make_study: MakeStudy, size: CorpusSize
):
    made: set[str] = set()
    jobs = jobs_of(make_study(jobs={"runs": 3}), size)
    all_made = [path for job in jobs for path in job.makes]
    assert len(set(all_made)) == len(all_made)
    for job in jobs:
        assert made >= {path for path in job.needs if path in all_made}, job.name
        made |= set(job.makes)


def test_all_that_tables_and_figures_read_is_made(make_study: MakeStudy, size: CorpusSize):
    study = make_study()
    made = {path for job in jobs_of(study, size) for path in job.makes}
    # Descriptions are written beside documents.
    shown = {
        path for name in (*layout.TABLES, *layout.FIGURES) for path in targets.needs(study, name)
    }
    assert {path for path in shown if not path.endswith("description.json")} <= made


def test_benchmark_files_are_named_as_the_rules_name_them(make_study: MakeStudy, size: CorpusSize):
    paths = Layout("results")
    jobs = jobs_of(make_study(jobs={"runs": 20}), size)
    found = {paths.benchmark(job.stage, *job.place) for job in jobs}
    assert "results/benchmarks/prepare/toy.tsv" in found
    assert "results/benchmarks/check.tsv" in found
    assert "results/benchmarks/train/toy/bilstm-additive/seed-10.tsv" in found
    assert "results/benchmarks/diverge/toy/bilstm-additive/seed-50.tsv" in found
    assert "results/benchmarks/measure/toy/bilstm-additive/seed-10.tsv" in found
    assert "results/benchmarks/table/table1.tsv" in found


@pytest.mark.parametrize(
    ("device", "asking"), [("cpu", set()), ("cuda", {"train", "measure", "search", "replace"})]
)
def test_jobs_that_train_or_need_gradients_ask_for_the_gpu(
    make_study: MakeStudy, size: CorpusSize, device: str, asking: set[str]
):
    training = {"epochs": 2, "batch_size": 4, "hidden_size": 4}
    study = make_study(
        device=device, papers=["jain-wallace"], training=training, log_odds={"run": True}
    )
    assert {job.stage for job in jobs_of(study, size) if job.gpu} == asking


def test_runs_at_once_each_have_their_threads(make_study: MakeStudy, size: CorpusSize):
    study = make_study(threads=2, jobs={"runs": 4, "runs_at_once": 3})
    trainings = [job for job in jobs_of(study, size) if job.stage == "train"]
    assert [(len(job.runs), job.at_once, job.threads) for job in trainings] == [
        (4, 3, 6),
        (1, 1, 2),
        (3, 3, 6),
        (1, 1, 2),
    ]


def test_experiments_with_log_odds_have_their_jobs_where_they_are_asked_for(
    make_study: MakeStudy, size: CorpusSize
):
    training = {"epochs": 2, "batch_size": 4, "hidden_size": 4}
    settings = {"papers": ["jain-wallace"], "jobs": {"runs": 4}, "training": training}
    before = jobs_of(make_study(**settings), size)
    after = jobs_of(make_study(**settings, log_odds={"run": True}), size)
    added = Counter(job.stage for job in after) - Counter(job.stage for job in before)
    assert added == {"weigh": 1, "train": 1, "replace": 1, "diverge": 1, "table": 1, "figure": 1}
    (weighing,) = (job for job in after if job.stage == "weigh")
    learning = {job.stage for job in after if set(weighing.makes) & set(job.needs)}
    assert learning == {"train", "replace", "table", "figure"}
    made = {path for job in after for path in job.makes}
    (shown,) = (job for job in after if job.name == "table jw_log_odds")
    assert set(shown.needs) <= made


def test_of_several_classes_the_exact_adversary_waits_for_the_search(
    make_study: MakeStudy, size: CorpusSize
):
    pair = {"source": {"kind": "snli"}}
    study = make_study(pair, papers=["jain-wallace"], training={"hidden_size": 8})
    jobs = {job.name: job for job in planned_jobs(study, {"toy": size})}
    solve, search = (jobs[f"{stage} toy bilstm-additive/seed-10"] for stage in ("solve", "search"))
    assert set(solve.needs) & set(search.makes)
    two = {
        job.name: job
        for job in planned_jobs(
            make_study(papers=["jain-wallace"], training={"hidden_size": 8}), {"toy": size}
        )
    }
    assert not set(two["solve toy bilstm-additive/seed-10"].needs) & set(search.makes)
