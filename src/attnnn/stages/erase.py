"""Erase attention weights of every test document, and see what becomes of the decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from attnnn.dag import work
from attnnn.dag.stage import Artifact, Job, Output, Stage
from attnnn.errors import UserError
from attnnn.stages.measure import STAGE as MEASURE
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.stages.train import STAGE as TRAIN
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import explained_runs
from attnnn.study.sources.base import Strict
from attnnn.tables import analyses
from attnnn.tables.ragged import Ragged

if TYPE_CHECKING:
    from attnnn.readout.predictions import Predictions

# Keeps these draws apart from other uses of a run's seed.
_ERASURE_STREAM = 4


class EraseSettings(Strict):
    """How weights are erased.

    Attributes:
        draws: random items that the highest weight of each document is compared with.
        random_r: what they are drawn from; see `study.protocol`, as is the other.
        count_full_erasure: whether the last weight may be erased too.
    """

    draws: int
    random_r: Literal["others", "positions"]
    count_full_erasure: bool


def erase(job: Job[EraseSettings]) -> None:
    """Erase attention weights of every test document, one alone and in the order of rankings."""
    from attnnn.erasure.columns import erased_columns, ranked_columns
    from attnnn.readout.predictions import read_explained

    predictions, readout = read_explained(job.path("predictions"))
    generator = np.random.default_rng([job.run.seed, _ERASURE_STREAM])
    settings = job.settings
    columns = erased_columns(
        predictions,
        readout,
        generator=generator,
        draws=settings.draws,
        among=settings.random_r,
        erase_all=settings.count_full_erasure,
    )
    job.write("erased", columns)
    columns = ranked_columns(
        predictions,
        readout,
        generator=generator,
        given=_given(job, predictions, two_classes=readout.outputs == 1),
        erase_all=settings.count_full_erasure,
    )
    job.write("ranked", columns)


def _given(job: Job[Any], predictions: Predictions, *, two_classes: bool) -> dict[str, Ragged]:
    """Scores of tokens that do not follow from the predictions."""
    found = {}
    if "leave_one_out" in job.inputs:
        table = job.read("leave_one_out", columns=("document", "signed"))
        _require_same(job, "leave_one_out", table["document"].to_numpy(), predictions)
        change = Ragged.from_arrow(table["signed"])
        # What the predicted class loses without the token; of two classes the change is that of class 1.
        gains = two_classes & (predictions.predicted[change.documents] == 0)
        found["leave_one_out"] = change.with_values(np.where(gains, 1, -1) * change.values)
    if "documents" in job.inputs:
        table = job.read("documents", columns=("document", "truth"), where=("split", "test"))
        _require_same(job, "documents", table["document"].to_numpy(), predictions)
        found["truth"] = Ragged.from_arrow(table["truth"])
    return found


def _require_same(job: Job[Any], name: str, document: Any, predictions: Predictions) -> None:
    if not np.array_equal(document, predictions.document):
        raise UserError(
            f"{job.path(name)}: its documents are not those of {job.path('predictions')}; delete it and "
            "run again"
        )


def _settings(study: Study, run: Run) -> EraseSettings:
    switches = study.protocol_of(run.corpus)
    return EraseSettings(
        draws=study.serrano_smith_of(run.corpus).draws,
        random_r=switches.random_r,
        count_full_erasure=switches.count_full_erasure,
    )


def _reads(study: Study, run: Run) -> dict[str, Artifact]:
    """Predictions; of models that attend to tokens, other scores of these where there are any."""
    found = {"predictions": TRAIN.made("predictions", run)}
    if run.model.kind.hierarchical:
        return found
    if run in explained_runs(study, run.corpus):
        found["leave_one_out"] = MEASURE.made("leave_one_out", run)
    if study.corpora[run.corpus].source.kind == "planted":
        found["documents"] = PREPARE.made("documents", run.corpus)
    return found


STAGE = Stage(
    verb="erase",
    about="run",
    does=erase,
    writes={
        "erased": Output("erasure/{corpus}/{model}/seed-{seed}/erased.parquet", (analyses.ERASED,)),
        "ranked": Output("erasure/{corpus}/{model}/seed-{seed}/ranked.parquet", (analyses.RANKED,)),
    },
    settings=_settings,
    reads=_reads,
    after=(TRAIN, MEASURE, PREPARE),
    group="analyses",
    work=lambda study, run, size: {
        "starts": 1.0,
        "documents": len(size.lengths("test")) / 1e6,
        "tokens": float(size.lengths("test").sum()) / 1e6,
    },
    size=lambda study, run, size: 2 * work.FOOTER + 400.0 * len(size.lengths("test")),
)
