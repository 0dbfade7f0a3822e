"""Correlate attention with the importance of tokens."""

from __future__ import annotations

import numpy as np

from attnnn.dag import work
from attnnn.dag.stage import Artifact, Job, Output, Stage
from attnnn.errors import UserError
from attnnn.stages.measure import METHODS
from attnnn.stages.measure import STAGE as MEASURE
from attnnn.stages.train import STAGE as TRAIN
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.sources.base import Strict
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged

# Keeps these draws apart from other uses of a run's seed.
_SHUFFLE_STREAM = 3


class CorrelateSettings(Strict):
    """Nothing of the configuration changes a correlation."""


def correlate(job: Job[CorrelateSettings]) -> None:
    """Correlate attention with the importance of tokens (Kendall's τ-b)."""
    from attnnn.importance.correlation import correlate_pairs
    from attnnn.readout.predictions import read_test_predictions

    predictions, _ = read_test_predictions(job.path("predictions"))
    scores = {"attention": predictions.attention}
    for method in METHODS:
        table = job.read(method)
        if not np.array_equal(table["document"].to_numpy(), predictions.document):
            raise UserError(
                f"{job.path(method)}: its documents are not those of {job.path('predictions')}; "
                "delete it and run again"
            )
        scores[method] = Ragged.from_arrow(table["importance"])
    generator = np.random.default_rng([job.run.seed, _SHUFFLE_STREAM])
    columns = correlate_pairs(
        predictions.document, predictions.predicted, scores, generator=generator
    )
    job.write("correlation", columns)


def _reads(study: Study, run: Run) -> dict[str, Artifact]:
    importance = {method: MEASURE.made(method, run) for method in METHODS}
    return {"predictions": TRAIN.made("predictions", run), **importance}


STAGE = Stage(
    verb="correlate",
    about="run",
    does=correlate,
    writes={
        "correlation": Output(
            "correlation/{corpus}/{model}/seed-{seed}.parquet", (schemas.CORRELATION,)
        )
    },
    settings=lambda study, run: CorrelateSettings(),
    reads=_reads,
    after=(TRAIN, MEASURE),
    group="analyses",
    work=lambda study, run, size: {
        "starts": 1.0,
        "documents": len(size.lengths("test")) / 1e6,
        "tokens": float(size.lengths("test").sum()) / 1e6,
    },
    size=lambda study, run, size: work.FOOTER + 60.0 * len(size.lengths("test")),
)
