"""The whole study for real, at its smallest: config/tiny.yaml."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest
import torch

from attnnn.dag import catalogue
from attnnn.dag.layout import checkpoint_path
from attnnn.dag.workflow import Dag
from attnnn.study.config import load
from attnnn.tables import schemas
from attnnn.tables.store import read_table
from tests.support import Layout
from tests.workflow.projects import Project, planted, small_study

pytestmark = pytest.mark.study

TINY = ("--configfile", "config/tiny.yaml")


@pytest.fixture(scope="module")
def finished(project_of_module: Project) -> Project:
    """A finished study."""
    project_of_module.succeed("--cores", "2", "--resources", "gpu=1", *TINY)
    return project_of_module


def test_every_table_and_figure_is_made(finished: Project):
    study = load(finished.folder / "config/tiny.yaml")
    for path in Dag(study).targets():
        assert (finished.folder / path).stat().st_size > 0, path


def test_nothing_is_left_half_written_or_to_be_done(finished: Project):
    made = finished.made("results-tiny")
    assert not [path for path in made if Path(path).name.startswith(".")]
    assert not [path for path in made if "checkpoint" in path]
    assert "Nothing to be done" in finished.succeed(*TINY)


def test_tables_have_the_one_long_shape(finished: Project):
    columns = ["corpus", "setting", "metric", "value", "low", "high", "n", "published"]
    study = load(finished.folder / "config/tiny.yaml")
    for name in catalogue.exhibits(study, "table"):
        with (finished.folder / "results-tiny/tables" / f"{name}.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert rows, name
        assert list(rows[0])[: len(columns)] == columns, name


def test_log_odds_are_shown_of_both_corpora_in_a_table_and_a_figure(finished: Project):
    results = finished.folder / "results-tiny"
    with (results / "tables/jw_log_odds.csv").open() as file:
        rows = list(csv.DictReader(file))
    for corpus in ("lexical", "needle"):
        shown = {(row["setting"], row["metric"]): row for row in rows if row["corpus"] == corpus}
        for setting in ("model=bilstm-log-odds", "attention=log-odds", "words=substituted"):
            fact = shown[setting, "flip_share"]
            assert 0 <= float(fact["low"]) <= float(fact["value"]) <= float(fact["high"]) <= 1
            assert fact["n"] == shown["model=bilstm-additive", "f1"]["n"]
    assert (results / "figures/jw_log_odds.png").stat().st_size > 10_000


def test_every_job_has_a_log_without_a_traceback(finished: Project):
    logs = list((finished.folder / "results-tiny/logs").rglob("*.log"))
    assert len(logs) > 40
    assert not [path for path in logs if "Traceback" in path.read_text()]


def test_jobs_are_reproduced_by_hand(finished: Project):
    """The command of the log gives the same bytes again."""
    table = finished.folder / "results-tiny/tables/table2.csv"
    before = table.read_bytes()
    table.unlink()
    command = ["attnnn", "table", "table2", "--config", "results-tiny/config.yaml"]
    subprocess.run(command, cwd=finished.folder, env=finished.environment, check=True)
    assert table.read_bytes() == before


def _descendant(process: subprocess.Popen[bytes], words: list[str]) -> psutil.Process | None:
    for child in psutil.Process(process.pid).children(recursive=True):
        try:
            command = child.cmdline()
        except psutil.Error:
            continue
        if "python" in Path(command[0] if command else "").name and set(words) <= set(command):
            return child
    return None


def test_a_killed_training_resumes_where_it_stopped(project: Project):
    training = {"epochs": 4000, "hidden_size": 4, "checkpoint_seconds": 0}
    project.configure(small_study(corpora={"one": planted("lexical")}, training=training))
    paths = Layout("results")
    target = paths.model("one", "bilstm-additive", 10, "predictions.parquet")
    checkpoint = project.folder / checkpoint_path(Path(target))
    running = subprocess.Popen(["snakemake", target], cwd=project.folder, env=project.environment)
    while not checkpoint.exists() and running.poll() is None:
        time.sleep(0.05)
    trainer = _descendant(running, ["train", "bilstm-additive/seed-10"])
    assert trainer is not None
    trainer.send_signal(signal.SIGKILL)
    assert running.wait(timeout=120) == 1
    assert not (project.folder / target).exists()

    # A mark in the checkpoint that only a resumed training can carry into its history; and few
    # epochs left to go.
    state = torch.load(checkpoint, weights_only=True)
    progress = json.loads(state["progress"])
    assert progress["epoch"] >= 1
    progress["history"][0]["train_loss"] = 12345.0
    progress["history"] = [progress["history"][0] | {"epoch": epoch} for epoch in range(3999)]
    progress["epoch"] = 3999
    state["progress"] = json.dumps(progress)
    torch.save(state, checkpoint)

    project.succeed(target)
    history = read_table(
        project.folder / Path(target).with_name("history.parquet"), schemas.HISTORY
    )
    assert history["train_loss"][0].as_py() == 12345.0
    assert len(history) == 4000
    assert not checkpoint.exists()
