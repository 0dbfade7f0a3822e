"""Solve for the exact adversarial attention of every test document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attnnn.dag import work
from attnnn.dag.stage import Artifact, Job, Output, Stage
from attnnn.stages.search import STAGE as SEARCH
from attnnn.stages.train import STAGE as TRAIN
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.sources.base import Strict
from attnnn.tables import analyses

if TYPE_CHECKING:
    from attnnn.dag.work import CorpusSize


class SolveSettings(Strict):
    """Of the exact adversary.

    Attributes:
        epsilons: every largest allowed |Δp|.
    """

    epsilons: list[float]


def solve(job: Job[SolveSettings]) -> None:
    """Solve for the exact adversarial attention of every test document.

    For more than two classes this is the best known attention and a bound that none exceeds; it starts from
    what the search found.
    """
    from attnnn.readout.predictions import read_explained

    predictions, readout = read_explained(job.path("predictions"))
    if "searched" in job.inputs:
        from attnnn.counterfactual.multiclass.table import multiclass_columns

        columns = multiclass_columns(
            predictions, readout, job.path("searched"), job.settings.epsilons
        )
        job.write_blocks("adversary", analyses.MULTICLASS_ADVERSARY, [columns])
        return
    from attnnn.counterfactual.exact import exact_columns

    columns = exact_columns(predictions, readout, job.settings.epsilons)
    job.write_blocks("adversary", analyses.EXACT_ADVERSARY, [columns])


def _reads(study: Study, run: Run) -> dict[str, Artifact]:
    predictions = {"predictions": TRAIN.made("predictions", run)}
    if study.corpora[run.corpus].source.two_classes:
        return predictions
    return {**predictions, "searched": SEARCH.made("adversary", run)}


def _work(study: Study, run: Run, size: CorpusSize) -> dict[str, float]:
    """Pairs of tokens for every ε; for more than two classes a climb over all tokens."""
    lengths = size.lengths("test").astype(np.float64)
    if not study.corpora[run.corpus].source.two_classes:
        return {"starts": 1.0, "climbed": len(study.epsilons) * float(lengths.sum()) / 1e6}
    return {"starts": 1.0, "pairs": len(study.epsilons) * float((lengths**2).sum()) / 1e9}


STAGE = Stage(
    verb="solve",
    about="run",
    does=solve,
    writes={
        "adversary": Output(
            "exact_adversary/{corpus}/{model}/seed-{seed}.parquet",
            (analyses.EXACT_ADVERSARY, analyses.MULTICLASS_ADVERSARY),
        )
    },
    settings=lambda study, run: SolveSettings(epsilons=study.epsilons),
    reads=_reads,
    after=(TRAIN, SEARCH),
    group="analyses",
    work=_work,
    size=lambda study, run, size: (
        work.FOOTER + 35.0 * len(study.epsilons) * len(size.lengths("test"))
    ),
)
