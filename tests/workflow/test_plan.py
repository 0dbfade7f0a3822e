"""What is planned, held against what Snakemake would run and against a finished study."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from attnnn.costs.estimate import estimate
from attnnn.costs.rates import read_finished, read_rates
from attnnn.costs.sizes import sizes_of
from attnnn.dag.jobs import planned_jobs
from attnnn.study.config import load
from tests.workflow.projects import Project, planted, small_study
from tests.workflow.test_pairs import pair_study

pytestmark = pytest.mark.workflow

_STAGES_OF_FOLDER = {
    "corpora": ("prepare", "embed", "weigh"),
    "models": ("train",),
    "importance": ("measure",),
    "replacement": ("replace",),
    "figures": ("figure",),
}


@pytest.fixture(scope="module")
def finished(project_of_module: Project) -> Project:
    """A finished study."""
    project_of_module.succeed("--configfile", "config/tiny.yaml", "--config", "device=cpu")
    return project_of_module


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"switches": {"adv_seed": "both"}},
        {"log_odds": {"run": True}},
        {"corpora": {"one": planted("needle", embedding={"kind": "word2vec", "dimension": 8})}},
    ],
    ids=["as it is", "other seeds", "log-odds", "trained vectors"],
)
def test_jobs_are_those_that_snakemake_would_run(project: Project, changes: dict[str, Any]):
    project.configure(small_study(**changes))
    _expect_the_jobs_of_snakemake(project)


def _expect_the_jobs_of_snakemake(project: Project) -> None:
    printed = project.succeed("--dry-run")
    counts = Counter[str]()
    stats = printed.partition("Job stats:")[2].partition("total")[0]
    for rule, count in re.findall(r"^(\w+) +(\d+)$", stats, re.MULTILINE):
        counts[rule] += int(count)
    assert counts.pop("all") == 1
    study = load(project.folder / "config/config.yaml")
    study = study.model_copy(update={"corpora_dir": str(project.folder / study.corpora_dir)})
    assert Counter(job.verb for job in planned_jobs(study)) == counts


def test_jobs_of_a_study_of_pairs_are_those_that_snakemake_would_run(project: Project):
    pairs = pair_study(project.folder)
    corpora = {**pairs["corpora"], "one": planted("needle")}
    # Wiegreffe & Pinter's experiments are run on the planted corpus alone.
    papers = ["jain-wallace", "wiegreffe-pinter"]
    project.configure(small_study(corpora=corpora, papers=papers))
    _expect_the_jobs_of_snakemake(project)


def test_every_job_of_a_finished_study_is_timed_by_its_file(finished: Project):
    found = read_finished(finished.folder / "results-tiny")
    benchmarks = list((finished.folder / "results-tiny/benchmarks").rglob("*.tsv"))
    without = found.unused.get("without a usable benchmark file", 0)
    assert len(found.timings) + without == len(benchmarks)
    assert {*found.unused} <= {"without a usable benchmark file"}
    assert len(found.timings) > 0.9 * len(benchmarks)


def test_the_disk_of_a_finished_study_is_as_planned(finished: Project):
    results = finished.folder / "results-tiny"
    study = load(results / "config.yaml").model_copy(update={"results_dir": str(results)})
    sizes, _ = sizes_of(study)
    assert {size.origin for size in sizes.values()} == {"prepared"}
    found = estimate(study, read_rates()).of_stages
    for folder, stages in _STAGES_OF_FOLDER.items():
        made = sum(path.stat().st_size for path in (results / folder).rglob("*") if path.is_file())
        # Plans leave room for the blocks that the small files of a run fill.
        sums = [found[stage] for stage in stages]
        room, whole = 10_000 * sum(one.jobs for one in sums), sum(one.bytes for one in sums)
        assert 0.7 * whole - room < made < 1.3 * whole, folder
