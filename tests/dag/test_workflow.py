"""What rule files ask of a study."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from attnnn import machine as device
from attnnn.dag import catalogue
from attnnn.dag.workflow import Dag, read_dag
from attnnn.errors import UserError
from attnnn.machine import torch_device, wants_gpu
from attnnn.study.config import validate

SOURCES = {
    "planted": {"kind": "planted", "regime": "lexical"},
    "table": {"kind": "table", "path": "reviews.csv"},
    "trees": {"kind": "sst", "path": "/data/sst"},
    "fetched": {"kind": "sst", "download": True},
    "news": {"kind": "ag_news"},
    "stories": {"kind": "babi", "task": 1, "path": "en-10k", "answer_tasks": [1, 2]},
    "notes": {"kind": "mimic", "task": "anemia", "notes": "NOTEEVENTS.csv.gz"},
}


@pytest.fixture
def dag() -> Dag:
    corpora = {name: {"source": source} for name, source in SOURCES.items()}
    corpora["table"] |= {"embedding": {"kind": "file", "path": "words.vec"}}
    return Dag(validate({"corpora": corpora, "corpora_dir": "texts"}, where="test"))


def at(corpus: str, model: str = "bilstm-additive", seed: str = "10") -> Any:
    return SimpleNamespace(corpus=corpus, model=model, seed=seed)


@pytest.mark.parametrize(
    ("corpus", "files"),
    [
        ("planted", []),
        ("table", ["texts/reviews.csv"]),
        ("trees", ["/data/sst/train.txt", "/data/sst/dev.txt", "/data/sst/test.txt"]),
        ("fetched", []),
        ("news", ["texts/ag_news_csv/train.csv", "texts/ag_news_csv/test.csv"]),
        (
            "stories",
            [
                "texts/en-10k/qa1_single-supporting-fact_train.txt",
                "texts/en-10k/qa1_single-supporting-fact_test.txt",
                "texts/en-10k/qa2_two-supporting-facts_train.txt",
            ],
        ),
        (
            "notes",
            ["texts/mimic-iii/NOTEEVENTS.csv.gz", "texts/mimic-iii/DIAGNOSES_ICD.csv"],
        ),
    ],
)
def test_a_corpus_is_made_again_when_its_files_change(dag: Dag, corpus: str, files: list[str]):
    assert dag.inputs("prepare")(at(corpus)).get("files", []) == files


def test_vectors_of_a_corpus(dag: Dag):
    assert dag.inputs("embed")(at("table"))["files"] == ["texts/words.vec"]
    embedding = "results/corpora/table/embedding.safetensors"
    assert dag.inputs("train")(at("table"))["embedding"] == embedding
    assert "embedding" not in dag.inputs("train")(at("planted"))


def test_a_training_waits_for_the_run_it_learns_from(dag: Dag):
    def guide(model: str, seed: str = "10") -> str | None:
        found: str | None = dag.inputs("train")(at("trees", model, seed)).get("guide")
        return found

    predictions = "results/models/trees/{}/seed-10/predictions.parquet"
    base, swept = predictions.format("bilstm-additive"), "bilstm-additive-lambda-0.001"
    assert guide("bilstm-additive") is None
    assert guide("bilstm-uniform") is None
    assert guide(swept, "50") == guide("average-imposed-bilstm-additive") == base
    assert guide(f"average-imposed-{swept}") == predictions.format(swept)


def test_for_more_than_two_classes_the_exact_adversary_starts_from_the_searched_one(dag: Dag):
    searched = "results/searched_adversary/stories/bilstm-additive/seed-10.parquet"
    assert dag.inputs("solve")(at("stories"))["searched"] == searched
    assert "searched" not in dag.inputs("solve")(at("planted"))


def test_outputs_and_logs_have_the_wildcards_of_what_a_stage_is_about(dag: Dag):
    assert dag.outputs("permute") == {
        "permutation": "results/permutation/{corpus}/{model}/seed-{seed}.parquet"
    }
    assert dag.log("permute") == "results/logs/permute/{corpus}/{model}/seed-{seed}.log"
    assert dag.log("prepare") == "results/logs/prepare/{corpus}.log"


def test_corpora_come_first_and_then_base_models(dag: Dag):
    prepare, train = dag.priority("prepare"), dag.priority("train")
    base, other = train(at("trees")), train(at("trees", "bilstm-uniform"))
    assert prepare(at("trees")) > base > other
    assert train(at("trees", seed="50")) == other


def test_resources_grow_with_every_attempt(dag: Dag):
    grown = [dag.resources("permute")["mem_mb"](None, attempt) for attempt in (1, 2)]
    assert grown[1] == 2 * grown[0]
    assert "gpu" not in dag.resources("permute")
    assert "gpu" in dag.resources("train")


def test_stages_that_train_or_need_gradients_ask_for_a_gpu_and_no_others(dag: Dag):
    asking = {verb for verb in catalogue.verbs() if "gpu" in dag.resources(verb)}
    assert asking == {"train", "measure", "search", "replace"}


def test_a_mistake_ends_the_workflow_with_one_line():
    with pytest.raises(SystemExit) as caught:
        read_dag({"corpra": {}}, check=False)
    assert isinstance(caught.value.code, str)
    assert caught.value.code.startswith("attnnn: configuration: ")
    assert "\n" not in caught.value.code


@pytest.mark.parametrize(("there", "wanted"), [(True, True), (False, False)])
def test_auto_reserves_a_gpu_where_one_is_visible(
    monkeypatch: pytest.MonkeyPatch, there: bool, wanted: bool
):
    monkeypatch.setattr(device, "_nvidia_visible", lambda: there)
    assert wants_gpu("auto") is wanted
    assert wants_gpu("cuda") is True
    assert wants_gpu("cpu") is False


@pytest.mark.parametrize(("setting", "gpus"), [("auto", 1), ("cuda", 1), ("cpu", 0)])
def test_on_a_cluster_auto_asks_for_a_gpu_and_the_node_decides(
    monkeypatch: pytest.MonkeyPatch, setting: str, gpus: int
):
    monkeypatch.setattr(device, "_nvidia_visible", lambda: False)
    study = validate(
        {"corpora": {"one": {"source": SOURCES["planted"]}}, "device": setting}, where=""
    )
    assert Dag(study, submitted=True).gpu == gpus


def test_the_drivers_files_tell_of_a_gpu(tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    (tmp_path / "nvidiactl").touch()
    assert not device._nvidia_visible(tmp_path)
    (tmp_path / "nvidia0").touch()
    assert device._nvidia_visible(tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert not device._nvidia_visible(tmp_path)


def test_cuda_without_a_gpu_is_refused(monkeypatch: pytest.MonkeyPatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert torch_device("auto") == torch_device("cpu") == "cpu"
    with pytest.raises(UserError, match="expected a GPU for 'cuda'"):
        torch_device("cuda")


def two_corpora(path: str) -> dict[str, Any]:
    sources = {"planted": SOURCES["planted"], "table": {"kind": "table", "path": path}}
    return {"corpora": {name: {"source": source} for name, source in sources.items()}}


def test_a_missing_corpus_ends_the_study():
    with pytest.raises(SystemExit, match=r"nowhere\.csv"):
        read_dag(two_corpora("/nowhere.csv"), check=True)


def test_a_missing_corpus_is_left_out_and_named_where_that_is_asked_for(
    capsys: pytest.CaptureFixture[str],
):
    config = {**two_corpora("/nowhere.csv"), "missing_corpora": "leave_out"}
    assert list(read_dag(config, check=True).study.corpora) == ["planted"]
    assert capsys.readouterr().err == (
        "attnnn: left out corpus table: /nowhere.csv does not exist\n"
    )


def test_a_corpus_with_some_of_its_files_counts_as_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "train.csv").touch()
    config = two_corpora("/nowhere.csv")
    config["corpora"]["news"] = {"source": {"kind": "ag_news", "path": str(tmp_path)}}
    left = read_dag({**config, "missing_corpora": "leave_out"}, check=True).study.corpora
    assert list(left) == ["planted"]
    assert f"left out corpus news: {tmp_path}/test.csv does not exist" in capsys.readouterr().err


def test_a_study_of_missing_corpora_only_is_refused():
    config = two_corpora("/nowhere.csv")
    del config["corpora"]["planted"]
    with pytest.raises(SystemExit, match="no corpus was found"):
        read_dag({**config, "missing_corpora": "leave_out"}, check=False)


@pytest.mark.parametrize("kind", ["table", "figure"])
def test_captions_in_snakemakes_report_read_as_they_stand(dag: Dag, kind: str):
    core = pytest.importorskip("docutils.core")
    for name, exhibit in catalogue.exhibits(dag.study, kind).items():
        text = dag.caption(kind)(SimpleNamespace(name=name))
        # Anything that reStructuredText cannot read ends the test.
        shown = core.publish_doctree(text, settings_overrides={"halt_level": 2}).astext()
        assert shown.split() == exhibit.caption.split()
