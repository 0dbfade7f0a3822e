import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner, Result

from attnnn.cli import main
from attnnn.dag import catalogue
from attnnn.dag.stage import Job
from attnnn.errors import UserError
from attnnn.study import config
from attnnn.study.model import Model, Run
from attnnn.study.resolved import editor_schema

ROOT = Path(__file__).parents[1]

VERBS = [
    "prepare",
    "segment",
    "embed",
    "weigh",
    "train",
    "measure",
    "correlate",
    "erase",
    "permute",
    "replace",
    "search",
    "solve",
    "table",
    "figure",
]


@pytest.fixture
def study_file(tmp_path: Path) -> str:
    path = tmp_path / "study.yaml"
    corpora = {
        name: {"source": {"kind": "planted", "regime": "lexical"}} for name in ("one", "two")
    }
    path.write_text(yaml.safe_dump({"corpora": corpora, "device": "cpu", "threads": 3}))
    return str(path)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def refused(*arguments: str) -> str:
    """The one line on stderr of a refused call."""
    result = call(*arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("attnnn: ")
    assert result.stderr.count("\n") == 1
    assert not result.stdout
    return result.stderr


def let_stages_do(monkeypatch: pytest.MonkeyPatch, does: Callable[[Job[Any]], None]) -> None:
    """Replace what every stage does."""
    replaced = {stage.verb: replace(stage, does=does) for stage in catalogue.stages()}
    monkeypatch.setattr(catalogue, "stage", replaced.__getitem__)


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[Job[Any]]:
    """The jobs that verbs are given; none is done."""
    given: list[Job[Any]] = []
    let_stages_do(monkeypatch, given.append)
    return given


def test_there_is_a_verb_for_each_rule():
    rules = "".join(path.read_text() for path in (ROOT / "workflow" / "rules").glob("*.smk"))
    assert sorted(re.findall(r"^rule (\w+):", rules, re.MULTILINE)) == sorted(VERBS)
    assert set(re.findall(r'"attnnn (\w+) ', rules)) == set(VERBS)
    assert set(VERBS) <= set(main.list_commands(click.Context(main)))


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(verb: str):
    result = call(verb, "--help")
    assert result.exit_code == 0
    assert "--config PATH" in result.stdout


def test_help_lists_the_verbs_in_the_order_of_the_study():
    lines = [line.split()[0] for line in call("--help").stdout.splitlines() if line.strip()]
    assert [word for word in lines if word in VERBS] == VERBS


def test_a_run_is_read_from_its_name(study_file: str, jobs: list[Job[Any]]):
    name = "average-imposed-bilstm-additive-lambda-0.001"
    run = ["--run", f"{name}/seed-7"]
    done = call("train", "--config", study_file, "--corpus", "two", *run)
    assert done.exit_code == 0, done.output
    assert [job.subject for job in jobs] == [Run("two", Model.parse(name), 7)]
    assert (jobs[0].machine.device, jobs[0].machine.threads) == ("cpu", 3)


def test_the_run_defaults_to_the_base_run(study_file: str, jobs: list[Job[Any]]):
    assert call("permute", "--config", study_file, "--corpus", "one").exit_code == 0
    assert [job.subject for job in jobs] == [Run("one", Model("bilstm", "additive"), 10)]


def test_threads_and_device_override_the_configuration(study_file: str, jobs: list[Job[Any]]):
    options = ["--threads", "2", "--device", "auto"]
    done = call("measure", "--config", study_file, "--corpus", "one", *options)
    assert done.exit_code == 0, done.output
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    assert (jobs[0].machine.device, jobs[0].machine.threads) == (device, 2)


def test_keys_may_be_changed_for_any_verb(study_file: str, jobs: list[Job[Any]]):
    call("permute", "--config", study_file, "--corpus", "one", "--set", "permutations=7")
    assert jobs[0].settings.permutations == 7


def test_an_unknown_corpus_is_answered_with_the_known_ones(study_file: str):
    line = refused("prepare", "--config", study_file, "--corpus", "three")
    assert "'three'" in line
    assert "one, two" in line


@pytest.mark.parametrize(
    "model", ["lstm-additive", "bilstm-softmax", "bilstm", "average-imposed-x"]
)
def test_an_unknown_model_is_answered_with_the_known_parts(study_file: str, model: str):
    run = ["--run", f"{model}/seed-10"]
    line = refused("train", "--config", study_file, "--corpus", "one", *run)
    assert "bilstm, average, cnn" in line
    assert "additive, dot, uniform, imposed, log-odds, none" in line


@pytest.mark.parametrize(
    "name", ["bilstm-additive", "bilstm-additive/seed-", "bilstm-additive/seed-x"]
)
def test_a_run_without_a_seed_is_answered_with_the_form_of_a_name(study_file: str, name: str):
    line = refused("permute", "--config", study_file, "--corpus", "one", "--run", name)
    assert "MODEL/seed-SEED" in line


def test_a_missing_configuration_is_refused_in_one_line():
    assert "nowhere.yaml" in refused("plan", "--config", "nowhere.yaml")


def test_an_unknown_table_is_answered_with_the_known_ones(study_file: str):
    line = refused("table", "--config", study_file, "table9")
    assert "'table9'" in line
    assert "table1" in line


def failing(error: Exception) -> Callable[[Job[Any]], None]:
    """What a stage does that fails."""

    def fail(job: Job[Any]) -> None:
        """Fail."""
        raise error

    return fail


def test_a_stage_that_refuses_is_told_in_one_line(study_file: str, monkeypatch: pytest.MonkeyPatch):
    let_stages_do(monkeypatch, failing(UserError("reviews.csv, row 7: label 3 is not a class")))
    line = refused("prepare", "--config", study_file, "--corpus", "one")
    assert line == "attnnn: reviews.csv, row 7: label 3 is not a class\n"


def test_a_fault_of_ours_keeps_its_traceback(study_file: str, monkeypatch: pytest.MonkeyPatch):
    let_stages_do(monkeypatch, failing(ZeroDivisionError()))
    done = call("prepare", "--config", study_file, "--corpus", "one")
    assert isinstance(done.exception, ZeroDivisionError)


def test_the_installed_command_answers():
    done = subprocess.run(
        [Path(sys.executable).parent / "attnnn", "plan", "--config", "nowhere.yaml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_exhibits_are_listed_with_their_questions():
    lines = dict(line.split("\t") for line in call("exhibits").stdout.splitlines())
    assert lines["tables/table1"] == "What are the corpora?"
    assert all(question.endswith(("?", ".")) for question in lines.values())


def test_config_prints_every_default_and_reads_back(study_file: str):
    printed = yaml.safe_load(call("config", "--config", study_file).stdout)
    assert printed["corpora"]["one"]["min_df"] == 1
    assert config.validate(printed, where="printed") == config.load(study_file)


def test_schema_is_written_whole(tmp_path: Path):
    path = tmp_path / "schema.json"
    assert call("schema", "--output", str(path)).exit_code == 0
    assert json.loads(path.read_text()) == editor_schema()


def test_a_study_is_planned_without_being_begun(study_file: str, tmp_path: Path):
    told = call("plan", "--config", study_file)
    assert told.exit_code == 0
    assert "2 corpora" in told.stdout
    assert "device: cpu; no jobs ask for a GPU" in told.stdout
    assert [path.name for path in tmp_path.iterdir()] == [Path(study_file).name]


def test_keys_may_be_changed_for_a_plan(study_file: str):
    plan = ["plan", "--config", study_file, "--set", "device=cuda"]
    told = call(*plan, "--set", "seeds=[1, 2]").stdout
    assert "device: cuda" in told
    assert "one CPU thread" in told
    assert told != call(*plan).stdout
    assert "KEY=VALUE" in refused("plan", "--config", study_file, "--set", "device")
    assert "no such key" in refused("plan", "--config", study_file, "--set", "devices=cpu")


def test_a_folder_that_holds_no_finished_study_is_refused(study_file: str, tmp_path: Path):
    line = refused("plan", "--config", study_file, "--fitted-on", str(tmp_path))
    assert "expected the results folder of a finished study" in line


def test_planning_the_papers_study_loads_nothing_slow():
    """So that it takes seconds: torch alone takes longer to load than the whole plan."""
    code = (
        "from attnnn.cli import main; import sys; "
        "main(['plan', '--config', 'config/wiegreffe-pinter.yaml'], standalone_mode=False); "
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "attnnn.costs.estimate" in loaded
    assert not loaded & {"torch", "matplotlib", "pandas", "spacy", "gensim", "sklearn", "scipy"}
    assert "6 corpora, 142 trainings, 207 jobs" in done.stdout
