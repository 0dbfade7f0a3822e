"""A study of single texts of three classes for real, at its smallest: from a table to tables and figures."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from attnnn.dag.workflow import Dag
from attnnn.study.config import load
from tests.workflow.projects import Project, planted

pytestmark = pytest.mark.study

CUES = {"money": "bank", "sport": "goal", "weather": "rain"}
SHARES = {"money": 0.2, "sport": 0.5, "weather": 0.3}


def write_topics(file: Path, texts: int) -> None:
    """Texts of filler words in which one word tells the topic."""
    rng = np.random.default_rng(0)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(["text", "topic"])
        for topic in rng.choice(list(CUES), texts, p=list(SHARES.values())):
            words = list(rng.choice([f"filler{n}" for n in range(20)], rng.integers(4, 9)))
            words[rng.integers(len(words))] = CUES[topic]
            rows.writerow([" ".join(words), topic])


def study(folder: Path) -> dict[str, Any]:
    """A configuration of such a table, which is written, beside a corpus of two classes."""
    write_topics(folder / "corpora/topics.csv", 240)
    source = {"kind": "table", "path": "topics.csv", "label": "topic"}
    source |= {"classes": ["weather", "sport", "money"]}
    embedding = {"kind": "random", "dimension": 8}
    return {
        "papers": ["jain-wallace"],
        "corpora": {
            "topics": {"source": source, "embedding": embedding},
            "one": planted("lexical"),
        },
        "training": {"epochs": 4, "batch_size": 20, "hidden_size": 8},
        "searched_adversary": {"steps": 20},
        "permutations": 5,
        "bootstrap": 20,
    }


@pytest.fixture(scope="module")
def finished(project_of_module: Project) -> Project:
    """A finished study."""
    project_of_module.configure(study(project_of_module.folder))
    project_of_module.succeed("--cores", "2", "--resources", "gpu=1", "--config", "device=cpu")
    return project_of_module


def facts(finished: Project, table: str) -> dict[tuple[str, str, str], dict[str, str]]:
    """The rows of a table by corpus, setting and metric."""
    with (finished.folder / "results/tables" / f"{table}.csv").open(encoding="utf-8") as file:
        return {(r["corpus"], r["setting"], r["metric"]): r for r in csv.DictReader(file)}


def test_everything_of_the_paper_is_made(finished: Project):
    found = load(finished.folder / "config/config.yaml")
    wanted = {path.removeprefix("results/") for path in Dag(found).targets()}
    assert wanted <= finished.made()
    assert "Nothing to be done" in finished.succeed("--config", "device=cpu")


def test_documents_of_every_class_are_counted_in_the_order_of_the_configuration(finished: Project):
    table = facts(finished, "jw_table1")
    numbers = [
        int(table["topics", f"split=test class={k}", "documents"]["value"]) for k in range(3)
    ]
    assert sum(numbers) == 48
    expected = [48 * SHARES[name] for name in ("weather", "sport", "money")]
    np.testing.assert_allclose(numbers, expected, atol=5)
    text = (finished.folder / "results/tables/jw_table1.md").read_text(encoding="utf-8")
    assert "weather / sport / money" in text
    assert ("topics", "model=bilstm-additive", "macro_f1") in table
    assert ("one", "model=bilstm-additive", "f1") in table


def test_adversaries_are_known_to_within_a_bound(finished: Project):
    table = facts(finished, "per_instance_adversary")
    setting = "epsilon=0.05 predicted=all"
    searched, known, bound = (
        float(table["topics", f"{kind} {setting}", metric]["value"])
        for kind, metric in (
            ("searched", "epsilon_max_jsd_mean"),
            ("best_known", "epsilon_max_jsd_mean"),
            ("best_known", "bound_mean"),
        )
    )
    assert 0 < searched < known <= bound < np.log(2)
    assert ("one", f"exact {setting}", "epsilon_max_jsd_mean") in table
    folder = finished.folder / "results/exact_adversary/topics"
    for file in folder.rglob("*.parquet"):
        rows = pq.read_table(file).to_pylist()
        assert len(rows) == 2 * 48
        assert all(row["slack"] >= 0 and row["bound"] >= row["jsd"] for row in rows)


def test_a_table_of_other_classes_is_refused_before_anything_trains(project: Project):
    content = study(project.folder)
    del content["corpora"]["topics"]["source"]["classes"]
    project.configure(content)
    done = project.snakemake("results/tables/jw_table1.csv")
    assert done.returncode != 0
    assert not [path for path in project.made() if path.startswith("models/topics")]
    logs = (project.folder / "results/logs").rglob("topics.log")
    told = "".join(log.read_text(encoding="utf-8") for log in logs)
    assert "found 3 (money, sport, weather); write classes: 3 under source" in told
