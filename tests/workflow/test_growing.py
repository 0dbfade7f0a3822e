"""Lists of a configuration that grow or shrink: what a dry run plans over a study that is finished."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.workflow.conftest import rehearse
from tests.workflow.projects import Rehearsal, planted, small_study

pytestmark = pytest.mark.workflow

TWO = {"one": planted("lexical"), "two": planted("needle")}
GRID = ["bilstm-additive", "bilstm-dot", "average-additive", "cnn-none"]
START: dict[str, Any] = {
    "seeds": [50, 257],
    "lambdas": [0, 0.001],
    "epsilons": [0.01, 0.05],
    "grid": GRID,
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Rehearsal:
    """A study that has run to its end."""
    rehearsal = rehearse(tmp_path_factory.mktemp("growing"))
    rehearsal.configure(small_study(**START))
    rehearsal.succeed("--quiet")
    return rehearsal


def planned(finished: Rehearsal, **changes: Any) -> set[str]:
    """What a dry run plans: `verb corpus model seed`, or `table name` without the kind's formats."""
    finished.configure(small_study(**START | changes))
    printed = finished.succeed("--dry-run")
    _, *parts = re.split(r"\brule (\w+):\n", printed)
    found = set()
    for rule, body in zip(parts[::2], parts[1::2], strict=True):
        wildcards = re.search(r"^ +wildcards: (.*)$", body, re.MULTILINE)
        if wildcards:
            values = dict(part.split("=") for part in wildcards[1].split(", "))
            found.add(" ".join([rule, *values.values()]))
    finished.configure(small_study(**START))
    return found


def of_runs(
    verbs: tuple[str, ...], runs: list[str], corpora: tuple[str, ...] = ("one", "two")
) -> set[str]:
    return {f"{verb} {corpus} {run}" for verb in verbs for corpus in corpora for run in runs}


def exhibits(text: str) -> set[str]:
    """Tables and figures by name, `table:` and `figure:` before each kind."""
    tables, _, figures = text.partition("|")
    return {f"table {n}" for n in tables.split()} | {f"figure {n}" for n in figures.split()}


SEEDS = exhibits("table2 | fig3 fig5 fig6")
LAMBDAS = exhibits("table4 table5 fig5_convexity | fig5 fig6")
# Every exhibit that reads what was searched or solved: their tables hold all ε.
EPSILONS = exhibits("per_instance_adversary jw_grid | fig2 fig3 fig5 fig6 jw_fig1 jw_fig7 jw_fig8")
GRIDS = exhibits("correlation jw_grid |")


@pytest.mark.parametrize("seeds", [[7, 50, 257], [50, 7, 257], [50, 257, 7]])
def test_seeds_grow_at_any_place(finished: Rehearsal, seeds: list[int]):
    expected = of_runs(("train",), ["bilstm-additive 7"]) | SEEDS
    assert planned(finished, seeds=seeds) == expected


@pytest.mark.parametrize("lambdas", [[0.01, 0, 0.001], [0, 0.01, 0.001], [0, 0.001, 0.01]])
def test_lambdas_grow_at_any_place(finished: Rehearsal, lambdas: list[float]):
    expected = of_runs(("train",), ["bilstm-additive-lambda-0.01 10"]) | LAMBDAS
    assert planned(finished, lambdas=lambdas) == expected


@pytest.mark.parametrize("epsilons", [[0.1, 0.01, 0.05], [0.01, 0.05, 0.1], [0.01]])
def test_epsilons_search_and_solve_and_train_nothing(finished: Rehearsal, epsilons: list[float]):
    runs = ["bilstm-additive 10", "bilstm-dot 10", "average-additive 10"]
    expected = of_runs(("search", "solve"), runs) | EPSILONS
    assert planned(finished, epsilons=epsilons) == expected


@pytest.mark.parametrize("place", [0, 1, 4])
def test_the_grid_grows_at_any_place(finished: Rehearsal, place: int):
    grid = [*GRID[:place], "cnn-dot", *GRID[place:]]
    verbs = ("train", "measure", "correlate", "permute", "search", "solve")
    assert planned(finished, grid=grid) == of_runs(verbs, ["cnn-dot 10"]) | GRIDS


def test_a_model_without_attention_is_only_scored(finished: Rehearsal):
    expected = of_runs(("train",), ["bilstm-none 10"]) | exhibits("jw_grid |")
    assert planned(finished, grid=[*GRID, "bilstm-none"]) == expected


@pytest.mark.parametrize(
    "order", [["three", "one", "two"], ["one", "three", "two"], ["one", "two", "three"]]
)
def test_corpora_grow_at_any_place(finished: Rehearsal, order: list[str]):
    corpora = {**TWO, "three": planted("context")}
    found = planned(finished, corpora={name: corpora[name] for name in order})
    assert {job.split()[1] for job in found if job.split()[0] not in ("table", "figure")} == {
        "three"
    }
    assert len([job for job in found if job.startswith("train three")]) == 12
    shown = {job for job in found if job.startswith(("table", "figure"))}
    assert not shown & exhibits("| fig1 fig4")
    assert {"table table1", "figure jw_fig8"} <= shown


SHRUNK = {
    "seeds": ({"seeds": [257]}, SEEDS),
    "lambdas": ({"lambdas": [0.001]}, LAMBDAS),
    "grid": ({"grid": [GRID[0], GRID[2], GRID[3]]}, GRIDS),
}


@pytest.mark.parametrize("name", SHRUNK)
def test_lists_shrink(finished: Rehearsal, name: str):
    change, shown = SHRUNK[name]
    assert planned(finished, **change) == shown


def test_corpora_shrink(finished: Rehearsal):
    found = planned(finished, corpora={"one": TWO["one"]})
    assert {job.split()[0] for job in found} == {"table", "figure"}
    assert not found & exhibits("| fig1 fig4")


@pytest.mark.parametrize("papers", [["jain-wallace"], ["wiegreffe-pinter"]])
def test_papers_shrink_and_grow_again(finished: Rehearsal, papers: list[str]):
    """One paper less shows fewer runs in what both papers share; nothing runs when it comes back."""
    shared = {"jain-wallace": "planted_truth |", "wiegreffe-pinter": "correlation |"}[papers[0]]
    assert planned(finished, papers=papers) == exhibits(shared)
    assert planned(finished) == set()
