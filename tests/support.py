"""What tests of several rooms share: a stage done in this process, where its files are, readouts by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from attnnn.dag import catalogue
from attnnn.dag.jobs import planned_jobs
from attnnn.dag.stage import Machine, Subject
from attnnn.readout.readout import Readout, TanhLayer
from attnnn.stages.train import STAGE as TRAIN
from attnnn.study.config import Study
from attnnn.study.model import Model, Run
from attnnn.tables.ragged import Ragged

# Tables about one run, by the folder that they are in: verb and name of the output.
_ANALYSES = {
    "correlation": ("correlate", "correlation"),
    "permutation": ("permute", "permutation"),
    "searched_adversary": ("search", "adversary"),
    "searched_candidates": ("search", "candidates"),
    "exact_adversary": ("solve", "adversary"),
    "replacement": ("replace", "replacement"),
}
_OF_CORPUS = {
    "documents.parquet": "prepare",
    "vocabulary.parquet": "prepare",
    "description.json": "prepare",
    "embedding.safetensors": "embed",
    "log_odds.parquet": "weigh",
    "sentences.parquet": "segment",
}


def do(study: Study, verb: str, *subjects: Subject) -> None:
    """Do a stage's jobs about some corpora or runs on the CPU."""
    for subject in subjects:
        corpus = subject if isinstance(subject, str) else subject.corpus
        machine = Machine(
            corpora_dir=Path(study.corpora_dir),
            checkpoint_seconds=study.training_of(corpus).checkpoint_seconds,
        )
        stage = catalogue.stage(verb)
        stage.does(stage.job(study, subject, machine))


class Layout:
    """Where the stages of a study leave their files."""

    def __init__(self, results_dir: str) -> None:
        self.root = Path(results_dir)

    def made(self, verb: str, name: str, subject: Subject) -> str:
        """An output of a stage by its name."""
        return str(self.root / catalogue.stage(verb).made(name, subject).path)

    def corpus(self, corpus: str, file: str) -> str:
        """A file of a corpus."""
        return self.made(_OF_CORPUS[file], file.partition(".")[0], corpus)

    def model(self, corpus: str, model: str, seed: int, file: str) -> str:
        """A file of a model."""
        run = Run(corpus, Model.parse(model), seed)
        return str(Path(self.predictions_of(run)).with_name(file))

    def predictions_of(self, run: Run) -> str:
        """Predictions and attention of a run."""
        return str(self.root / TRAIN.made("predictions", run).path)

    def analysis_of(self, analysis: str, run: Run) -> str:
        """A table about a run."""
        return self.made(*_ANALYSES[analysis], run)

    def table(self, name: str, form: str) -> str:
        """A table in one format."""
        return str(self.root / "tables" / f"{name}.{form}")

    def figure(self, name: str, form: str) -> str:
        """A figure in one format."""
        return str(self.root / "figures" / f"{name}.{form}")

    def importance_of(self, run: Run, method: str) -> str:
        """Token importance of a run by one method."""
        return self.made("measure", method, run)


def binary(contribution: Ragged, bias: float) -> Readout:
    """The readout of two classes: logit = Σ attention · contribution + bias."""
    return Readout(contribution.with_values(contribution.values[:, None]), np.array([bias]))


def multiclass(
    projected: Ragged, bias: Any, offset: Any = None, weight: Any = None, allowed: Any = None
) -> Readout:
    """The readout of K classes; of pairs where there are an offset and a weight."""
    layer = None if offset is None else TanhLayer(offset, weight)
    return Readout(projected, np.asarray(bias), layer, allowed)


def all_runs(study: Study, corpus: str) -> list[Run]:
    """Every run of a corpus that a study trains, those that others learn from before them."""
    return [
        job.subject
        for job in planned_jobs(study)
        if job.verb == "train" and isinstance(job.subject, Run) and job.corpus == corpus
    ]
