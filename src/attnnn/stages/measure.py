"""Measure the importance of every token of the test split, by every method."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from attnnn.dag.stage import Artifact, Job, Output, Stage
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.stages.train import STAGE as TRAIN
from attnnn.stages.train import guide
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.settings import LeaveOneOut
from attnnn.study.sources.base import Strict
from attnnn.tables import schemas

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
    raise NotImplementedError


def _settings(study: Study, run: Run) -> MeasureSettings:
    return MeasureSettings(
        grad_through_attention=study.protocol_of(run.corpus).grad_through_attention,
        leave_one_out=study.leave_one_out if run.model.encoder == "bilstm" else None,
    )


def _reads(study: Study, run: Run) -> dict[str, Artifact]:
    corpus = {name: PREPARE.made(name, run.corpus) for name in ("documents", "description")}
    model = {name: TRAIN.made(name, run) for name in ("weights", "model")}
    return corpus | model | (guide(study, run) if run.model.given else {})


STAGE = Stage(
    verb="measure",
    about="run",
    does=measure,
    writes={
        method: Output(
            f"importance/{{corpus}}/{{model}}/seed-{{seed}}/{method}.parquet", (schemas.IMPORTANCE,)
        )
        for method in METHODS
    },
    settings=_settings,
    reads=_reads,
    after=(PREPARE, TRAIN),
    on_device=True,
    memory=4000,
    minutes=360,
)
