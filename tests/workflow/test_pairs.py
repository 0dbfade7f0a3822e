"""A study of pairs for real, at its smallest: stories as in bAbI, from files to tables and figures."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnnn.dag.workflow import Dag
from attnnn.study.config import load
from tests.workflow.projects import Project

pytestmark = pytest.mark.study

PLACES = ("bathroom", "garden", "kitchen", "office", "hallway")
PEOPLE = ("Daniel", "Mary", "Sandra")


def write_stories(file: Path, stories: int, rng: np.random.Generator) -> None:
    """Stories of bAbI's first task: people go somewhere, and where one of them went last is asked."""
    lines = []
    for _ in range(stories):
        last: dict[str, tuple[str, int]] = {}
        for number in range(1, int(rng.integers(3, 7))):
            who, place = str(rng.choice(PEOPLE)), str(rng.choice(PLACES))
            lines.append(f"{number} {who} went to the {place}.")
            last[who] = place, number
        who = str(rng.choice(list(last)))
        place, fact = last[who]
        lines.append(f"{number + 1} Where is {who}? \t{place}\t{fact}")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def pair_study(folder: Path) -> dict[str, Any]:
    """A configuration of one such corpus, whose files are written."""
    rng = np.random.default_rng(0)
    for split, stories in {"train": 120, "test": 40}.items():
        name = f"qa1_single-supporting-fact_{split}.txt"
        write_stories(folder / "corpora/stories" / name, stories, rng)
    source = {"kind": "babi", "task": 1, "path": "stories", "answer_tasks": [1]}
    return {
        "papers": ["jain-wallace"],
        "switches": {"loss_reduction": "mean"},
        "corpora": {
            "stories": {
                "source": source,
                "embedding": {"kind": "random", "dimension": 8},
                "published": "bAbI 1",
            }
        },
        "training": {"epochs": 3, "batch_size": 20, "hidden_size": 8},
        "searched_adversary": {"steps": 10},
        "permutations": 5,
        "bootstrap": 20,
    }


@pytest.fixture(scope="module")
def finished(project_of_module: Project) -> Project:
    """A finished study."""
    project_of_module.configure(pair_study(project_of_module.folder))
    project_of_module.succeed("--cores", "2", "--resources", "gpu=1", "--config", "device=cpu")
    return project_of_module


def facts(finished: Project, table: str) -> dict[tuple[str, str], dict[str, str]]:
    """The rows of a table by setting and metric."""
    with (finished.folder / "results/tables" / f"{table}.csv").open(encoding="utf-8") as file:
        return {(row["setting"], row["metric"]): row for row in csv.DictReader(file)}


def test_every_table_and_figure_of_the_paper_is_made(finished: Project):
    study = load(finished.folder / "config/config.yaml")
    made = finished.made()
    wanted = {path.removeprefix("results/") for path in Dag(study).targets()}
    assert {"tables/jw_grid.csv", "tables/jw_evidence.csv", "figures/jw_fig8.pdf"} < wanted <= made
    assert sum(path.startswith("exact_adversary") for path in made) == 6
    assert "Nothing to be done" in finished.succeed("--config", "device=cpu")


def test_answers_are_scored_by_accuracy(finished: Project):
    metrics = {metric for _, metric in facts(finished, "jw_grid")}
    assert {"accuracy", "macro_f1"} < metrics
    assert metrics.isdisjoint({"f1", "auc", "epsilon_max_jsd_exact"})
    assert {"epsilon_max_jsd_best_known", "epsilon_max_jsd_bound"} < metrics
    found = facts(finished, "jw_table1")["model=bilstm-additive", "accuracy"]
    assert 0 <= float(found["low"]) <= float(found["value"]) <= float(found["high"]) <= 1
    assert found["n"] == "40"


def test_the_papers_numbers_stand_beside_ours(finished: Project):
    setting = "model=average-additive pair=attention~gradient predicted=all"
    assert facts(finished, "jw_table2")[setting, "tau_mean"]["published"] == "0.66"


def test_supporting_sentences_are_looked_for_under_every_model(finished: Project):
    found = facts(finished, "jw_evidence")
    models = {setting.split()[0] for setting, _ in found if setting.startswith("model=")}
    assert len(models) == 6
    # One sentence of two to five supports the answer.
    setting = "model=cnn-dot score=chance answered=all"
    assert 0.2 <= float(found[setting, "supporting_sentence_first"]["value"]) <= 0.5
