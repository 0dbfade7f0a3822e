from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.workflow.projects import Project, Rehearsal, small_study

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def copy_project(folder: Path) -> None:
    """Put what Snakemake needs of the project in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("workflow", "config", "envs"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "Snakefile", folder)
    (folder / "profiles").symlink_to("workflow/profiles")


def environment(first_on_path: Path) -> dict[str, str]:
    """Variables with which a folder's programs are found first."""
    path = os.pathsep.join([str(first_on_path), str(BIN), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "XDG_CACHE_HOME": str(first_on_path / "cache")}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with the real verbs."""
    copy_project(tmp_path)
    return Project(tmp_path, environment(BIN))


@pytest.fixture(scope="module")
def project_of_module(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with the real verbs that the tests of one module share."""
    folder = tmp_path_factory.mktemp("project")
    copy_project(folder)
    return Project(folder, environment(BIN))


def rehearse(folder: Path) -> Rehearsal:
    """A project of two small corpora with the stand-in for the verbs."""
    copy_project(folder)
    verbs = folder / "bin"
    verbs.mkdir()
    shutil.copy(Path(__file__).parent / "stand_in.sh", verbs / "attnnn")
    rehearsed = Rehearsal(folder, environment(verbs))
    rehearsed.environment["CALLS"] = str(rehearsed.notes)
    rehearsed.configure(small_study())
    return rehearsed


@pytest.fixture
def rehearsal(tmp_path: Path) -> Rehearsal:
    """A rehearsal of one test."""
    return rehearse(tmp_path)
