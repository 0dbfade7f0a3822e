"""A real Slurm for all tests of this folder, and copies of the project that submit to it."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import yaml

from attnnn.dag import catalogue
from attnnn.study.config import load
from tests.slurm.daemons import Slurm, why_not
from tests.slurm.guide import blocks, lines_to_edit
from tests.workflow.conftest import BIN, ROOT, copy_project, environment
from tests.workflow.projects import Project

PROFILE_FOLDER = "workflow/profiles/slurm"
PROFILE = f"{PROFILE_FOLDER}/config.yaml"
EDITED = {
    "  slurm_partition: cpu": "  slurm_partition: ordinary",
    "    slurm_partition: gpu": "    slurm_partition: accelerated",
    '  slurm_account: ""': '  slurm_account: ""',
}
NAMES = tuple(
    name.removesuffix("_table")
    for name in catalogue.exhibits(load(ROOT / "config" / "tiny.yaml"), "table")
)
TABLES = tuple(f"results-tiny/tables/{name}.csv" for name in NAMES)
# A study of small models.
SHARING = {
    "# groups: [train=trainings, measure=measures, search=measures, replace=measures]": (
        "groups: [train=trainings, measure=measures, search=measures, replace=measures]"
    )
}
# What is polled at leisure on a cluster is polled at once here.
PACE = {
    "slurm-init-seconds-before-status-checks: 20": "slurm-init-seconds-before-status-checks: 2",
    "latency-wait: 60": "latency-wait: 10",
}


@dataclass
class Submitter(Project):
    """A copy of the project on a submit host.

    Attributes:
        seen: characters of `study.log` when Snakemake last ended.
    """

    seen: int = 0

    def follow(self, heading: str) -> str:
        """Run the guide's commands below a heading, and give what they printed."""
        printed = ""
        for block in blocks("sh")[heading]:
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", block],
                cwd=self.folder,
                env=self.environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=3600,
            )
            printed += done.stdout + done.stderr
            assert done.returncode == 0, f"{block}\n{printed}"
        return printed

    def edit_profile(self, changes: dict[str, str]) -> None:
        """Replace whole lines of the profile, each of which must be there once."""
        file = self.folder / PROFILE
        lines = file.read_text(encoding="utf-8").splitlines()
        for found in changes:
            assert lines.count(found) == 1, found
        text = "\n".join(changes.get(line, line) for line in lines) + "\n"
        file.write_text(text, encoding="utf-8")

    def snakemakes(self) -> list[psutil.Process]:
        """Snakemake itself, where it submits from this copy; its jobs do not count."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if PROFILE_FOLDER in process.cmdline() and process.cwd() == str(self.folder):
                    found.append(process)
        return found

    def until_it_ends(self, seconds: float = 3600) -> None:
        """Wait for Snakemake to end, which may have been started a moment ago.

        The guide's command leaves it in the background, where it may not have begun yet: it has once it has
        said something. `seconds` only keep a hung one from holding the tests for ever.
        """
        end = time.monotonic() + seconds
        while len(self.log) == self.seen or self.snakemakes():
            assert time.monotonic() < end, self.log
            time.sleep(0.5)
        self.seen = len(self.log)

    def wait(self, seconds: float = 3600) -> None:
        """Wait for Snakemake to end, which must have done all there was to do."""
        self.until_it_ends(seconds)
        assert "(100%) done" in self.log[self.log.rindex("SLURM run ID") :], self.log

    @property
    def log(self) -> str:
        """What the guide's `study.log` has by now."""
        file = self.folder / "study.log"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def tables(self) -> dict[str, bytes]:
        """The study's tables for machines."""
        folder = self.folder / "results-tiny" / "tables"
        return {file.name: file.read_bytes() for file in sorted(folder.glob("*.csv"))}


def submitter(folder: Path) -> Submitter:
    """A copy whose profile is edited as the guide says."""
    copy_project(folder)
    assert lines_to_edit() == list(EDITED)
    stand_ins = folder / "bin"
    stand_ins.mkdir()
    # The laptop and the submit host are one machine here; `ssh HOST COMMAND` begins at home.
    (stand_ins / "ssh").write_text(f'#!/bin/bash\ncd "{folder.parent}" && exec bash -c "$2"\n')
    (stand_ins / "ssh").chmod(0o755)
    (folder / "faults" / "done").mkdir(parents=True)
    shutil.copy(Path(__file__).parent / "faulty_attnnn.sh", stand_ins / "attnnn")
    variables = environment(stand_ins) | {
        "FAULTS": str(folder / "faults"),
        "ATTNNN": str(BIN / "attnnn"),
        "OMP_NUM_THREADS": "1",
    }
    copied = Submitter(folder, variables)
    copied.edit_profile(EDITED | SHARING | PACE)
    return copied


def make_smaller(project: Submitter, *corpora: str) -> None:
    """Leave of the smallest study what still has a run of every kind, and these corpora alone."""
    file = project.folder / "config" / "tiny.yaml"
    study = yaml.safe_load(file.read_text(encoding="utf-8"))
    grid = ["bilstm-additive", "average-additive", "bilstm-none"]
    fewer = {"seeds": [50], "lambdas": [0.001], "grid": grid}
    kept = {name: study["corpora"][name] for name in corpora}
    project.configure(study | fewer | {"corpora": kept}, "config/tiny.yaml")


def tables_without_a_cluster(folder: Path, *corpora: str) -> dict[str, bytes]:
    """Tables of the smaller study, made on this machine."""
    laptop = submitter(folder / "attnnn")
    make_smaller(laptop, *corpora)
    laptop.succeed("--configfile", "config/tiny.yaml", "--", *TABLES)
    return laptop.tables()


@pytest.fixture(scope="session")
def slurm(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Slurm]:
    """A running Slurm; skips where it cannot be had, or was not asked for."""
    if "slurm" not in request.config.option.markexpr:
        pytest.skip("say `pytest -m slurm`, or `make test-slurm`")
    reason = why_not()
    if reason is not None:
        pytest.skip(f"no Slurm here: {reason}")
    cluster = Slurm(tmp_path_factory.mktemp("slurm"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture(scope="module")
def submit_host(slurm: Slurm, tmp_path_factory: pytest.TempPathFactory) -> Submitter:
    """A copy of the project that the tests of a module share."""
    return submitter(tmp_path_factory.mktemp("host") / "attnnn")
