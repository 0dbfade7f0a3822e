"""Data goes forward through the rooms: a room imports earlier ones and the shared vocabulary."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import attnnn

PACKAGE = Path(attnnn.__file__).parent
# In the order in which they build on one another.
ROOMS = (
    *("errors", "machine", "tables", "measures", "study", "dag"),
    *("corpora", "models", "readout", "importance", "counterfactual", "erasure"),
    *("stages", "exhibits", "costs", "cli"),
)
MAY_IMPORT_TORCH = (
    "models/",
    "importance/",
    "counterfactual/searched",
    "counterfactual/objective",
    "machine.py",
)
MODULES = sorted(PACKAGE.rglob("*.py"))


def imported(module: Path) -> Iterator[str]:
    """Dotted names of all that a module imports, at its top or inside functions."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own(module: Path) -> Iterator[str]:
    """The first part of every attnnn module that a module imports."""
    for name in imported(module):
        parts = name.split(".")
        if parts[0] == "attnnn" and len(parts) > 1:
            yield parts[1]


def name_of(module: Path) -> str:
    return module.relative_to(PACKAGE).as_posix()


def test_everything_is_in_a_room():
    found = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith(("_", "py.typed"))}
    assert found == {*ROOMS}


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_imports_go_backwards_only(module: Path):
    room = module.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if room in ROOMS:
        later = {name for name in own(module) if name in ROOMS[ROOMS.index(room) + 1 :]}
        assert not later, f"{name_of(module)} imports {sorted(later)}"


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_only_what_trains_or_needs_gradients_imports_torch(module: Path):
    torch = {name for name in imported(module) if name.split(".")[0] == "torch"}
    # A stage may name torch's types, and imports what needs torch when it is done.
    if name_of(module).startswith("stages/"):
        assert "torch" not in loaded_by(f"import attnnn.stages.{module.stem}")
        return
    assert not torch or name_of(module).startswith(MAY_IMPORT_TORCH)


def test_exhibits_do_not_import_what_imports_torch():
    published = [module for module in MODULES if name_of(module).startswith("exhibits/")]
    assert published
    for module in published:
        assert not {"models", "importance"} & set(own(module)), name_of(module)


def test_kernels_know_no_study():
    kernels = (
        "corpora",
        "models",
        "readout",
        "importance",
        "counterfactual",
        "erasure",
        "measures",
    )
    for module in MODULES:
        if name_of(module).startswith(kernels):
            found = {name for name in imported(module) if name.startswith("attnnn.study.config")}
            assert not found, name_of(module)


def loaded_by(code: str) -> set[str]:
    """Modules that a fresh interpreter has loaded after some code."""
    printed = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(printed.stdout.split())


SLOW = {
    "torch",
    "scipy.stats",
    "matplotlib",
    "pandas",
    "spacy",
    "gensim",
    "sklearn",
    "snakemake",
}


@pytest.mark.parametrize("module", ["attnnn.cli", "attnnn.dag.workflow", "attnnn.costs.estimate"])
def test_entrances_load_nothing_slow(module: str):
    loaded = loaded_by(f"import {module}")
    assert module in loaded
    assert not loaded & SLOW
