"""What a cluster cannot give is told in one line within seconds, and nothing is submitted."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slurm.conftest import PROFILE_FOLDER, Submitter, submitter
from tests.slurm.daemons import Slurm

pytestmark = pytest.mark.slurm

ORDINARY, ACCELERATED = "  slurm_partition: ordinary", "    slurm_partition: accelerated"
MODEL = '    gpu_model: ""'
CASES = {
    "no such partition": (
        {ORDINARY: "  slurm_partition: weekend"},
        ["default-resources: slurm_partition", "'weekend'", "accelerated, ordinary", "sinfo"],
    ),
    "no such partition for GPUs": (
        {ACCELERATED: "    slurm_partition: accelerated,weekend"},
        ["set-resources: measure: slurm_partition", "'weekend'", "accelerated, ordinary"],
    ),
    "more GPUs than any node has": (
        {MODEL: f"{MODEL}\n    gpu: 2"},
        ["set-resources: measure", "2 GPU", "accelerated", "gpu:planted:1"],
    ),
    "a type of GPU that no node has": (
        {MODEL: "    gpu_model: a100"},
        ["set-resources: measure", "'a100'", "accelerated", "gpu:planted:1"],
    ),
}


def refused(project: Submitter, *, within: float) -> str:
    """Submit, which must fail soon and with one line, and give that."""
    before = time.monotonic()
    done = project.snakemake(
        "--workflow-profile", PROFILE_FOLDER, "--configfile", "config/tiny.yaml"
    )
    took = time.monotonic() - before
    printed = done.stdout + done.stderr
    assert done.returncode == 1, printed
    told = [line for line in printed.splitlines() if line.startswith("attnnn: ")]
    assert len(told) == 1, printed
    assert "Traceback" not in printed
    assert took < within
    assert not (project.folder / "results-tiny").exists()
    print(told[0])
    return told[0]


@pytest.fixture
def submit_host(slurm: Slurm, tmp_path: Path) -> Submitter:
    """A copy of the project for one test."""
    return submitter(tmp_path / "attnnn")


@pytest.mark.parametrize("case", CASES)
def test_what_is_not_there_is_refused(submit_host: Submitter, slurm: Slurm, case: str):
    changes, words = CASES[case]
    submit_host.edit_profile(changes)
    line = refused(submit_host, within=20)
    for word in words:
        assert word in line
    assert not slurm.queue()


@pytest.fixture
def _no_controller(slurm: Slurm) -> Iterator[None]:
    slurm.stop_controller()
    yield
    slurm.start_controller()


@pytest.mark.usefixtures("_no_controller")
def test_no_controller(submit_host: Submitter):
    """Importing the executor's plugin waits for Slurm's own nine seconds before we are asked."""
    assert "does not answer" in refused(submit_host, within=45)


def test_no_slurm_commands(submit_host: Submitter, tmp_path: Path):
    """On a laptop: a path with Python, the environment and coreutils, and nothing of Slurm."""
    for program in ("bash", "env", "uname", "which", "git"):
        found = subprocess.run(["which", program], capture_output=True, text=True, check=False)
        if found.stdout:
            (tmp_path / program).symlink_to(found.stdout.strip())
    path = submit_host.environment["PATH"].split(":")[:2]
    bare = Submitter(
        submit_host.folder,
        submit_host.environment | {"PATH": ":".join([*path, str(tmp_path)])},
    )
    assert "no sbatch" in refused(bare, within=20)
