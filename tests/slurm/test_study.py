"""The reduced study on a real Slurm, by the commands of docs/cluster.md and no other."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.slurm.conftest import NAMES, Submitter, make_smaller, submitter
from tests.slurm.daemons import Finished, Slurm
from tests.slurm.guide import blocks

pytestmark = pytest.mark.slurm

CORPORA = ("needle",)
TOLD = {
    "On your laptop",
    "Edit three lines",
    "Submit",
    "Watch",
    "Resume",
    "After a lost submit host",  # test_lost_host.py
    "Fetch results",
}


@pytest.fixture(scope="module")
def laptop(slurm: Slurm, tmp_path_factory: pytest.TempPathFactory) -> Submitter:
    """A copy of the project in which the study was done without a cluster."""
    copied = submitter(tmp_path_factory.mktemp("laptop") / "attnnn")
    make_smaller(copied, *CORPORA)
    copied.follow("On your laptop")
    return copied


@pytest.fixture(scope="module")
def finished(submit_host: Submitter) -> Submitter:
    """The submit host when the study has ended."""
    assert "accelerated" in submit_host.follow("Edit three lines")
    make_smaller(submit_host, *CORPORA)
    submit_host.follow("Submit")
    submit_host.wait()
    print(submit_host.follow("Watch"))
    return submit_host


@pytest.fixture(scope="module")
def jobs(finished: Submitter, slurm: Slurm) -> list[Finished]:
    """The study's jobs in the order in which they began."""
    mine = [job for job in slurm.jobs() if job.name in finished.log]
    for job in mine:
        print(job.line, f"Comment={job.comment} gpus={job.gpus}")
    return sorted(mine, key=lambda job: job.start)


def test_every_command_of_the_guide_is_run():
    assert set(blocks("sh")) == TOLD


def test_tables_are_those_of_a_run_without_a_cluster(finished: Submitter, laptop: Submitter):
    assert set(finished.tables()) == {f"{name}.csv" for name in NAMES}
    assert finished.tables() == laptop.tables()


def test_two_gpu_jobs_never_run_at_once(jobs: list[Finished]):
    on_gpu = [job for job in jobs if job.gpus]
    assert len(on_gpu) > 1
    for earlier, later in pairwise(on_gpu):
        assert earlier.end <= later.start, f"{earlier.line}\n{later.line}"


def test_jobs_that_need_gradients_ask_for_one_gpu_and_others_for_none(jobs: list[Finished]):
    """Though the study says `device: auto`, and this machine has no GPU."""
    for job in jobs:
        wants = re.match(r"rule_(trainings|measures)(_|$)", job.comment) is not None
        assert job.gpus == int(wants), job.line


def test_all_jobs_succeed_at_the_first_attempt(jobs: list[Finished]):
    assert {job.state for job in jobs} == {"COMPLETED"}


def test_short_analyses_share_jobs(jobs: list[Finished], finished: Submitter):
    short = [job for job in jobs if re.match("rule_(analyses|exhibits)", job.comment)]
    logs = finished.folder / "results-tiny" / "logs"
    done = [
        log
        for verb in ("correlate", "permute", "solve", "table", "figure")
        for log in (logs / verb).rglob("*.log")
    ]
    assert len(done) > 25
    assert len(short) <= 8


def test_every_job_writes_a_log(finished: Submitter):
    logs = list((finished.folder / "results-tiny" / "logs").rglob("*.log"))
    assert {
        log.relative_to(finished.folder / "results-tiny" / "logs").parts[0] for log in logs
    } >= {
        "prepare",
        "train",
        "table",
    }
    for log in logs:
        assert "Traceback" not in log.read_text(encoding="utf-8")


def test_the_same_command_again_finds_nothing_to_do(finished: Submitter):
    finished.follow("Resume")
    finished.until_it_ends()
    assert "Nothing to be done" in finished.log


def test_results_are_fetched(finished: Submitter, laptop: Submitter):
    before = laptop.tables()
    for table in (laptop.folder / "results-tiny" / "tables").iterdir():
        table.unlink()
    host = finished.folder.parent
    (laptop.folder / "bin" / "ssh").write_text(f'#!/bin/bash\ncd "{host}" && exec bash -c "$2"\n')
    laptop.follow("Fetch results")
    assert laptop.tables() == before
