"""What rule files ask of a study."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from attnnn import machine as device
from attnnn.dag.jobs import Job
from attnnn.dag.workflow import Plan, growing, read_plan
from attnnn.errors import UserError
from attnnn.machine import torch_device, wants_gpu
from attnnn.study.config import validate
from attnnn.study.design import Run
from attnnn.study.settings import Jobs

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
def plan() -> Plan:
    corpora = {name: {"source": source} for name, source in SOURCES.items()}
    corpora["table"] |= {"embedding": {"kind": "file", "path": "words.vec"}}
    return Plan(validate({"corpora": corpora, "corpora_dir": "texts"}, where="test"))


def job(corpus: str, *names: str) -> Job:
    return Job(corpus, 1, tuple(Run.parse(corpus, name) for name in names))


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
def test_a_corpus_is_made_again_when_its_files_change(plan: Plan, corpus: str, files: list[str]):
    assert plan.sources(at(corpus)) == files


def test_vectors_of_a_corpus(plan: Plan):
    assert plan.vectors(at("table")) == ["texts/words.vec"]
    assert plan.embedding(job("table")) == ["results/corpora/table/embedding.safetensors"]
    assert plan.vectors(at("planted")) == plan.embedding(job("planted")) == []


def test_a_training_waits_for_the_run_it_learns_from(plan: Plan):
    predictions = "results/models/trees/{}/seed-10/predictions.parquet"
    base = [predictions.format("bilstm-additive")]
    swept, imposed = "bilstm-additive-lambda-0.001", "average-imposed"
    assert plan.guides(job("trees", "bilstm-additive/seed-10", "bilstm-uniform/seed-10")) == []
    together = job("trees", f"{swept}/seed-50", f"{imposed}-bilstm-additive/seed-10")
    assert plan.guides(together) == base
    assert plan.guides(job("trees", f"{imposed}-{swept}/seed-10")) == [predictions.format(swept)]


def test_of_several_classes_the_exact_adversary_starts_from_the_searched_one(plan: Plan):
    run = "bilstm-additive/seed-10"
    searched = "results/searched_adversary/stories/bilstm-additive/seed-10.parquet"
    assert plan.starts(job("stories", run)) == [searched]
    assert plan.starts(job("planted", run)) == []


def test_a_training_job_is_named_by_its_first_run_and_writes_all_of_them(plan: Plan):
    both = job("trees", "bilstm-uniform/seed-10", "bilstm-additive/seed-50")
    assert both.name == "bilstm-uniform/seed-10"
    assert both.options == "--run bilstm-uniform/seed-10 --run bilstm-additive/seed-50"
    written = plan.trained(both)
    assert len(written) == 8
    assert written[0] == "results/models/trees/bilstm-uniform/seed-10/weights.safetensors"
    assert written[7] == "results/models/trees/bilstm-additive/seed-50/predictions.parquet"
    assert set(plan.settings_of("train", both)) == {run.name for run in both.runs}


def test_no_more_runs_at_once_than_a_job_has(plan: Plan):
    study = plan.study.model_copy(update={"jobs": Jobs(runs=4, runs_at_once=2)})
    one, three = ["bilstm-uniform/seed-10"], [f"bilstm-additive/seed-{seed}" for seed in (1, 2, 3)]
    assert Plan(study).at_once(job("trees", *one)) == 1
    assert Plan(study).at_once(job("trees", *three)) == 2


def test_only_base_models_are_urgent(plan: Plan):
    base, other = "bilstm-additive/seed-10", "bilstm-uniform/seed-10"
    assert plan.urgency(job("trees", other, base)) > plan.urgency(job("trees", other))
    assert plan.urgency(job("trees", base)) > plan.urgency(job("trees", "bilstm-additive/seed-50"))


def test_resources_grow_with_every_attempt():
    assert [growing(500)(None, attempt) for attempt in (1, 2)] == [500, 1000]


def test_a_mistake_ends_the_workflow_with_one_line():
    with pytest.raises(SystemExit) as caught:
        read_plan({"corpra": {}}, check=False)
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
    assert Plan(study, submitted=True).gpu == gpus


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
        read_plan(two_corpora("/nowhere.csv"), check=True)


def test_a_missing_corpus_is_left_out_and_named_where_that_is_asked_for(
    capsys: pytest.CaptureFixture[str],
):
    config = {**two_corpora("/nowhere.csv"), "missing_corpora": "leave_out"}
    assert list(read_plan(config, check=True).study.corpora) == ["planted"]
    assert capsys.readouterr().err == (
        "attnnn: left out corpus table: /nowhere.csv does not exist\n"
    )


def test_a_corpus_with_some_of_its_files_counts_as_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "train.csv").touch()
    config = two_corpora("/nowhere.csv")
    config["corpora"]["news"] = {"source": {"kind": "ag_news", "path": str(tmp_path)}}
    left = read_plan({**config, "missing_corpora": "leave_out"}, check=True).study.corpora
    assert list(left) == ["planted"]
    assert f"left out corpus news: {tmp_path}/test.csv does not exist" in capsys.readouterr().err


def test_a_study_of_missing_corpora_only_is_refused():
    config = two_corpora("/nowhere.csv")
    del config["corpora"]["planted"]
    with pytest.raises(SystemExit, match="no corpus was found"):
        read_plan({**config, "missing_corpora": "leave_out"}, check=False)
