"""Snakemake is killed in the middle, and then Slurm's controller goes away for a while."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from safetensors import safe_open

from tests.slurm.conftest import Submitter, make_smaller, tables_without_a_cluster
from tests.slurm.daemons import Slurm

pytestmark = pytest.mark.slurm


def _until(happened: Callable[[], bool], seconds: float = 1200) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.2)


def _training(slurm: Slurm) -> list[str]:
    """Lines of the queue of trainings that run."""
    return [line for line in slurm.queue() if "RUNNING" in line and "rule_train" in line]


@pytest.fixture(scope="module")
def resumed(submit_host: Submitter, slurm: Slurm) -> Submitter:
    """The submit host when the study has ended."""
    make_smaller(submit_host, "lexical")
    submit_host.follow("Submit")
    _until(lambda: bool(_training(slurm)))
    [running] = submit_host.snakemakes()
    running.kill()
    running.wait()
    lost = slurm.queue()
    print(*lost, sep="\n")
    assert lost, "Slurm's jobs run on without Snakemake"
    submit_host.follow("After a lost submit host")
    assert not slurm.queue()

    submit_host.follow("Resume")
    _until(lambda: bool(_training(slurm)))
    slurm.stop_controller()
    time.sleep(5)
    slurm.start_controller()
    submit_host.wait()
    return submit_host


def test_tables_are_those_of_an_undisturbed_run(resumed: Submitter, tmp_path: Path):
    assert resumed.tables() == tables_without_a_cluster(tmp_path, "lexical")


def test_no_file_is_corrupt(resumed: Submitter):
    readers: dict[str, Callable[[Path], object]] = {
        ".parquet": pq.read_table,
        ".json": lambda path: json.loads(path.read_text()),
        ".safetensors": lambda path: safe_open(path, "np").keys(),
    }
    results = resumed.folder / "results-tiny"
    files = [path for path in results.rglob("*") if path.suffix in readers]
    assert len(files) > 20
    for path in files:
        assert readers[path.suffix](path)


def test_nothing_is_left_to_do(resumed: Submitter):
    assert "Nothing to be done" in resumed.succeed("--configfile", "config/tiny.yaml")
