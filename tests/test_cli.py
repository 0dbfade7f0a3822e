import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from attnnn.cli import main
from attnnn.errors import UserError
from attnnn.study import config
from attnnn.study.model import Model, Run
from attnnn.study.resolved import editor_schema

ROOT = Path(__file__).parents[1]

VERBS = [
    "prepare",
    "embed",
    "weigh",
    "check",
    "train",
    "measure",
    "correlate",
    "permute",
    "search",
    "solve",
    "replace",
    "diverge",
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


def record(monkeypatch: pytest.MonkeyPatch, target: str) -> list[tuple[Any, ...]]:
    """Replace a stage by one that notes what it was called with."""
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(target, lambda study, *rest, **options: calls.append((*rest, options)))
    return calls


def test_there_is_a_verb_for_each_rule():
    rules = "".join(path.read_text() for path in (ROOT / "workflow" / "rules").glob("*.smk"))
    assert sorted(re.findall(r'"attnnn (\w+) ', rules)) == sorted(VERBS)
    named = re.findall(r"^(?:rule|checkpoint) (\w+):", rules, re.MULTILINE)
    generated = re.findall(r'job\.rule\("(\w+)"\)\n', rules)
    assert {*named, *generated} == set(VERBS)
    assert set(VERBS) <= set(main.commands)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(verb: str):
    result = call(verb, "--help")
    assert result.exit_code == 0
    assert "--config PATH" in result.stdout


def test_help_lists_the_verbs_in_the_order_of_the_study():
    lines = [line.split()[0] for line in call("--help").stdout.splitlines() if line.strip()]
    assert [word for word in lines if word in VERBS] == VERBS


def test_runs_are_read_from_their_names(study_file: str, monkeypatch: pytest.MonkeyPatch):
    calls = record(monkeypatch, "attnnn.models.stage.train")
    name = "average-imposed-bilstm-additive-lambda-0.001"
    runs = ["--run", f"{name}/seed-7", "--run", "bilstm-uniform/seed-10"]
    done = call("train", "--config", study_file, "--corpus", "two", *runs)
    assert done.exit_code == 0, done.output
    read = [Run("two", Model.parse(name), 7), Run("two", Model("bilstm", "uniform"), 10)]
    assert calls == [(read, {"device": "cpu", "threads": 3, "at_once": 1})]


def test_the_run_defaults_to_the_base_run(study_file: str, monkeypatch: pytest.MonkeyPatch):
    calls = record(monkeypatch, "attnnn.counterfactual.stage.permute")
    assert call("permute", "--config", study_file, "--corpus", "one").exit_code == 0
    assert calls == [(Run("one", Model("bilstm", "additive"), 10), {})]


def test_threads_and_device_override_the_configuration(
    study_file: str, monkeypatch: pytest.MonkeyPatch
):
    calls = record(monkeypatch, "attnnn.importance.stage.measure")
    options = ["--threads", "2", "--device", "auto"]
    done = call("measure", "--config", study_file, "--corpus", "one", *options)
    assert done.exit_code == 0, done.output
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    assert calls[0][1:] == ({"device": device, "threads": 2},)


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
    assert "nowhere.yaml" in refused("check", "--config", "nowhere.yaml")


def test_a_stage_that_refuses_is_told_in_one_line(study_file: str, monkeypatch: pytest.MonkeyPatch):
    def refuse(study: config.Study) -> None:
        raise UserError("reviews.csv, row 7: label 3 is not a class")

    monkeypatch.setattr("attnnn.corpora.stage.check_sources", refuse)
    line = refused("check", "--config", study_file)
    assert line == "attnnn: reviews.csv, row 7: label 3 is not a class\n"


def test_a_fault_of_ours_keeps_its_traceback(study_file: str, monkeypatch: pytest.MonkeyPatch):
    def fail(study: config.Study) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("attnnn.corpora.stage.check_sources", fail)
    assert isinstance(call("check", "--config", study_file).exception, ZeroDivisionError)


def test_the_installed_command_answers():
    done = subprocess.run(
        [Path(sys.executable).parent / "attnnn", "check", "--config", "nowhere.yaml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_config_prints_every_default_and_reads_back(study_file: str):
    printed = yaml.safe_load(call("config", "--config", study_file).stdout)
    assert printed["corpora"]["one"]["min_df"] == 1
    assert config.validate(printed, where="printed") == config.load(study_file)


def test_schema_is_written_whole(tmp_path: Path):
    path = tmp_path / "schema.json"
    assert call("schema", "--output", str(path)).exit_code == 0
    assert json.loads(path.read_text()) == editor_schema()


def test_a_study_is_planned_without_being_begun(study_file: str, tmp_path: Path):
    told = [call("plan", *given) for given in ([study_file], ["--config", study_file])]
    assert [result.exit_code for result in told] == [0, 0]
    assert told[0].stdout == told[1].stdout
    assert "2 corpora" in told[0].stdout
    assert "device: cpu; no jobs ask for a GPU" in told[0].stdout
    assert [path.name for path in tmp_path.iterdir()] == [Path(study_file).name]


def test_keys_may_be_changed_for_a_plan(study_file: str):
    told = call("plan", study_file, "--set", "device=cuda", "--set", "seeds=[1, 2]").stdout
    assert "device: cuda" in told
    assert "one CPU thread" in told
    assert told != call("plan", study_file, "--set", "device=cuda").stdout
    assert "KEY=VALUE" in refused("plan", study_file, "--set", "device")
    assert "no such key" in refused("plan", study_file, "--set", "devices=cpu")


def test_a_plan_of_two_configurations_is_refused(study_file: str):
    assert "give one of them" in refused("plan", study_file, "--config", study_file)


def test_a_folder_that_holds_no_finished_study_is_refused(study_file: str, tmp_path: Path):
    line = refused("plan", study_file, "--fitted-on", str(tmp_path))
    assert "expected the results folder of a finished study" in line


def test_planning_the_papers_study_loads_nothing_slow():
    """So that it takes seconds: torch alone takes longer to load than the whole plan."""
    code = (
        "from attnnn.cli import main; import sys; "
        "main(['plan', 'config/wiegreffe-pinter.yaml'], standalone_mode=False); "
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "attnnn.costs.estimate" in loaded
    assert not loaded & {"torch", "matplotlib", "pandas", "spacy", "gensim", "sklearn", "scipy"}
    assert "6 corpora, 142 trainings, 321 jobs" in done.stdout
