"""Measure the importance of every token of the test split, by every method."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from attnnn.dag import work
from attnnn.dag.stage import Artifact, Job, Output, Stage
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.stages.train import STAGE as TRAIN
from attnnn.stages.train import guide, read_material
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.settings import LeaveOneOut
from attnnn.study.sources.base import Strict
from attnnn.tables import analyses

if TYPE_CHECKING:
    from attnnn.dag.work import CorpusSize
    from attnnn.importance.scores import Importance
    from attnnn.models.documents import Documents

METHODS = ("gradient", "leave_one_out")


class MeasureSettings(Strict):
    """How importance is measured.

    Attributes:
        grad_through_attention: whether gradients flow through the attention weights too.
        leave_one_out: how the BiLSTM reads on after a deleted token; None for other encoders.
    """

    grad_through_attention: bool
    leave_one_out: LeaveOneOut | None


def measure(job: Job[MeasureSettings]) -> None:
    """Measure the importance of every token of the test split, by every method."""
    from attnnn.importance.gradient import gradient
    from attnnn.importance.leave_one_out import leave_one_out
    from attnnn.importance.rejoining import check_rejoining
    from attnnn.machine import set_up_torch
    from attnnn.models.persistence import load_classifier

    set_up_torch(job.machine.threads)
    material = read_material(job).of_split("test")
    documents = material.documents
    classifier = load_classifier(job.path("model").parent, device=job.machine.device)
    inputs = material.inputs(job.run.model)
    through = job.settings.grad_through_attention
    found = gradient(classifier, inputs, through_attention=through)
    job.write("gradient", _columns(documents, found))
    reading_on = job.settings.leave_one_out or LeaveOneOut()
    found = leave_one_out(
        classifier,
        inputs,
        rejoin_from=reading_on.rejoin_from,
        tolerance=reading_on.rejoin_tolerance,
    )
    checked = check_rejoining(
        classifier,
        inputs,
        found.signed,
        rejoin_from=reading_on.rejoin_from,
        deletions=reading_on.checked_deletions,
        rng=np.random.default_rng(job.run.seed),
    )
    error = {"rejoining": asdict(checked)} if checked.documents else {}
    job.write("leave_one_out", _columns(documents, found), **error)


def _columns(documents: Documents, found: Importance) -> dict[str, Any]:
    return {
        "document": documents.document,
        "importance": found.magnitude,
        "signed": found.signed,
    }


def _settings(study: Study, run: Run) -> MeasureSettings:
    return MeasureSettings(
        grad_through_attention=study.protocol_of(run.corpus).grad_through_attention,
        leave_one_out=study.leave_one_out if run.model.encoder == "bilstm" else None,
    )


def _reads(study: Study, run: Run) -> dict[str, Artifact]:
    corpus = {name: PREPARE.made(name, run.corpus) for name in ("documents", "description")}
    model = {name: TRAIN.made(name, run) for name in ("weights", "model")}
    return corpus | model | (guide(study, run) if run.model.given else {})


def _work(study: Study, run: Run, size: CorpusSize) -> dict[str, float]:
    hidden = study.training_of(run.corpus).hidden_size
    dimension = study.corpora[run.corpus].embedding.dimension
    read = work.FORWARD_AND_BACK * size.tokens("test")
    amounts = work.reading(run.model, dimension, hidden, read, work.classes_of(study, run))
    settings = _settings(study, run).leave_one_out
    return amounts if settings is None else amounts | work.deleting(settings, hidden, size)


STAGE = Stage(
    verb="measure",
    about="run",
    does=measure,
    writes={
        method: Output(
            f"importance/{{corpus}}/{{model}}/seed-{{seed}}/{method}.parquet",
            (analyses.IMPORTANCE,),
        )
        for method in METHODS
    },
    settings=_settings,
    reads=_reads,
    after=(PREPARE, TRAIN),
    on_device=True,
    memory=4000,
    minutes=360,
    work=_work,
    # Two methods, each a magnitude and a signed score.
    size=lambda study, run, size: (
        2 * (work.FOOTER + 2 * work.numbers(float(size.lengths("test").sum())))
    ),
)
