"""Every stage in a folder that holds its declared inputs and nothing else gives the same bytes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from attnnn.dag import catalogue
from attnnn.dag.jobs import PlannedJob, planned_jobs
from attnnn.dag.stage import Subject
from attnnn.study.config import Study, validate
from tests.support import do

CORPUS = {
    "source": {"kind": "planted", "regime": "needle", "train": 40, "dev": 16, "test": 12},
    "embedding": {"kind": "word2vec", "dimension": 8, "epochs": 1},
}
TABLE = {
    "source": {"kind": "table", "path": "topics.csv", "classes": 3},
    "embedding": {"kind": "random", "dimension": 8},
}
ROWS = "text,label\n" + "".join(
    f"{'abc'[n % 3]} of {n % 7} and {n % 5},{n % 3}\n" for n in range(90)
)


def study(folder: Path) -> Study:
    """A study with a job of every stage, of two and of three classes."""
    (folder / "topics.csv").write_text(ROWS, encoding="utf-8")
    content = {
        "results_dir": str(folder / "whole"),
        "corpora_dir": str(folder),
        "corpora": {"one": CORPUS, "topics": TABLE},
        "papers": ["jain-wallace", "wiegreffe-pinter", "serrano-smith"],
        "serrano_smith": {
            "models": ["flan-conv-additive", "han-rnn-additive"], "hidden_size": 8, "epochs": 1,
        },
        "grid": ["bilstm-additive", "average-additive", "cnn-none"],
        "switches": {"adv_seed": "same", "adv_epochs": 1},
        "seeds": [50],
        "lambdas": [0.001],
        "training": {"epochs": 1, "hidden_size": 8},
        "searched_adversary": {"steps": 5},
        "permutations": 3,
        "log_odds": {"run": True},
    }  # fmt: skip
    return validate(content, where="test")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The study with the results of all its stages."""
    made = study(tmp_path_factory.mktemp("study"))
    for job in jobs_of(made):
        do(made, job.verb, job.subject)
    return made


def jobs_of(made: Study) -> list[PlannedJob]:
    return [job for job in planned_jobs(made) if job.stage is not None]


@pytest.mark.parametrize("verb", catalogue.verbs())
def test_a_stage_needs_its_declared_inputs_alone(
    finished: Study, verb: str, tmp_path: Path
) -> None:
    subjects: list[Subject] = [job.subject for job in jobs_of(finished) if job.verb == verb]
    assert subjects
    whole, stage = Path(finished.results_dir), catalogue.stage(verb)
    for number, subject in enumerate(subjects):
        alone = finished.model_copy(update={"results_dir": str(tmp_path / str(number))})
        job = stage.job(alone, subject)
        for made in job.inputs.values():
            (job.results / made.path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(whole / made.path, job.results / made.path)
        do(alone, verb, subject)
        for made in job.outputs.values():
            assert (job.results / made.path).read_bytes() == (whole / made.path).read_bytes()
