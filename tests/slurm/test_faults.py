"""Jobs that fail in every way that Slurm knows are tried again, and the study ends as if nothing were."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from tests.slurm.conftest import (
    PROFILE_FOLDER,
    SHARING,
    TABLES,
    Submitter,
    make_smaller,
    tables_without_a_cluster,
)
from tests.slurm.daemons import Finished, Slurm

pytestmark = pytest.mark.slurm

CORPORA = ("lexical", "needle")
BASE = "bilstm-additive/seed-10"
FAULTS = {
    "fails": f"permute --config results-tiny/config.yaml --corpus lexical --run {BASE}",
    "is-cancelled": f"measure --config results-tiny/config.yaml --corpus lexical --run {BASE}",
    "takes-too-long": "embed --config results-tiny/config.yaml --corpus needle",
    "takes-too-much": f"search --config results-tiny/config.yaml --corpus lexical --run {BASE}",
}
# A minute is the least that Slurm takes for a limit. The search that takes too much takes 2 GB.
LIMITS = {
    "  embed: {runtime: attempt * 60, mem_mb: attempt * 4000}": (
        "  embed: {runtime: attempt, mem_mb: attempt * 4000}"
    ),
    "    mem_mb: attempt * 4000": "    mem_mb: attempt * 1500",
}

# Every measure and every search is a job of its own, so that each has its own attempts.
ALONE = dict.fromkeys(SHARING.values(), "groups: [train=trainings]")


@pytest.fixture(scope="module")
def recovered(submit_host: Submitter) -> Submitter:
    """The submit host when the study has ended in spite of the faults."""
    make_smaller(submit_host, *CORPORA)
    for kind, call in FAULTS.items():
        (submit_host.folder / "faults" / kind).write_text(call)
    submit_host.edit_profile(LIMITS | ALONE)
    printed = submit_host.succeed(
        "--workflow-profile", PROFILE_FOLDER, "--configfile", "config/tiny.yaml", "--", *TABLES
    )
    (submit_host.folder / "study.log").write_text(printed)
    return submit_host


@pytest.fixture(scope="module")
def jobs(recovered: Submitter, slurm: Slurm) -> dict[int, Finished]:
    """The study's jobs by number."""
    mine = [job for job in slurm.jobs() if job.name in recovered.log]
    for job in mine:
        print(job.line, f"Comment={job.comment}")
    return {job.number: job for job in mine}


def test_every_fault_happened(recovered: Submitter):
    done = recovered.folder / "faults" / "done"
    assert {file.name for file in done.iterdir()} == set(FAULTS)


def test_tables_are_those_of_a_run_without_faults(recovered: Submitter, tmp_path: Path):
    assert recovered.tables() == tables_without_a_cluster(tmp_path, *CORPORA)


@pytest.mark.parametrize("kind", FAULTS)
def test_snakemake_prints_what_the_spoiled_attempt_said(recovered: Submitter, kind: str):
    assert recovered.log.count(f"this attempt {kind}\n") == 1


def test_each_fault_costs_one_job(jobs: dict[int, Finished]):
    states = Counter(job.state for job in jobs.values())
    del states["COMPLETED"]
    # What the kernel's control groups call OUT_OF_MEMORY, Slurm without them calls FAILED.
    assert states == {"FAILED": 2, "CANCELLED": 1, "TIMEOUT": 1}


def attempts(jobs: dict[int, Finished], comment: str) -> list[Finished]:
    """The jobs of a rule in the order of their numbers."""
    return [job for _, job in sorted(jobs.items()) if job.comment.startswith(comment)]


def test_a_job_that_ran_out_of_time_gets_more(jobs: dict[int, Finished]):
    first, second = attempts(jobs, "rule_embed")
    assert (first.state, second.state) == ("TIMEOUT", "COMPLETED")
    assert (first.limit, second.limit) == ("1", "2")
    assert first.end - first.start >= timedelta(minutes=1)


def test_a_job_that_ran_out_of_memory_was_ended_for_that_and_gets_more(
    recovered: Submitter, jobs: dict[int, Finished]
):
    searches = attempts(jobs, "rule_search")
    [first] = [job for job in searches if job.state == "FAILED"]
    [second] = [job for job in searches if "mem=3000M" in job.line]
    assert (first.comment, second.state) == (second.comment, "COMPLETED")
    assert "mem=1500M" in first.line
    told = (recovered.folder / ".snakemake" / "slurm_logs").rglob(f"{first.number}.log")
    assert "exceeded memory limit" in "".join(file.read_text() for file in told)
