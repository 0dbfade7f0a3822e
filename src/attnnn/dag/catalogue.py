"""Finds stages and exhibits: a file in `stages` is a verb, one in a paper's folder of `exhibits` an exhibit.

A file is imported when it is asked for, so that a verb loads its own stage and no other.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import attnnn
from attnnn.dag.exhibit import AnyExhibit
from attnnn.dag.stage import Stage
from attnnn.errors import UserError
from attnnn.study.config import Study

_PACKAGE = Path(attnnn.__file__).parent


def verbs() -> list[str]:
    """The names of all stages, in alphabetical order."""
    return _modules(_PACKAGE / "stages")


@cache
def stage(verb: str) -> Stage[Any]:
    """A stage by its verb.

    Raises:
        ModuleNotFoundError: there is none.
    """
    found: Stage[Any] = import_module(f"attnnn.stages.{verb}").STAGE
    return found


def stages() -> list[Stage[Any]]:
    """All stages, each after those that make what it reads."""
    ordered: dict[str, Stage[Any]] = {}

    def visit(one: Stage[Any]) -> None:
        for before in one.after:
            visit(before)
        ordered.setdefault(one.verb, one)

    for verb in verbs():
        visit(stage(verb))
    return list(ordered.values())


@cache
def _places() -> dict[str, str]:
    """The module of every exhibit by its name."""
    folders = sorted(p.parent for p in (_PACKAGE / "exhibits").glob("*/__init__.py"))
    folders = [folder for folder in folders if folder.name != "drawing"]
    return {
        name: f"attnnn.exhibits.{folder.name}.{name}"
        for folder in folders
        for name in _modules(folder)
    }


def exhibit_names() -> list[str]:
    """The names of all exhibits."""
    return list(_places())


@cache
def exhibit(name: str) -> AnyExhibit:
    """A table or figure by its name.

    Raises:
        KeyError: there is none.
    """
    found: AnyExhibit = import_module(_places()[name]).EXHIBIT
    return found


def exhibit_of(kind: str, file: str) -> tuple[str, AnyExhibit]:
    """A table or figure, with its name, by the name of the files that it writes.

    Raises:
        UserError: there is none.
    """
    for name in (f"{file}_{kind}", file):
        if name in _places() and exhibit(name).kind == kind:
            return name, exhibit(name)
    known = ", ".join(files(kind))
    raise UserError(f"no {kind} {file!r}; there are {known}")


def files(kind: str) -> list[str]:
    """What the files of tables or figures are called."""
    return [name.removesuffix(f"_{kind}") for name in exhibits(kind=kind)]


def exhibits(study: Study | None = None, kind: str | None = None) -> dict[str, AnyExhibit]:
    """Exhibits by name.

    Args:
        study: those alone that it has something to show in; None: all.
        kind: ``table`` or ``figure``; None: both.
    """
    found = {name: exhibit(name) for name in exhibit_names()}
    return {
        name: one
        for name, one in found.items()
        if kind in (None, one.kind) and (study is None or one.corpora(study))
    }


def _modules(folder: Path) -> list[str]:
    return sorted(p.stem for p in folder.glob("*.py") if not p.stem.startswith("_"))
