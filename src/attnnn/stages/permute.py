"""Permute the attention weights of every test document (Jain & Wallace 2019, section 4.2.1)."""

from __future__ import annotations

import numpy as np

from attnnn.dag import work
from attnnn.dag.stage import Job, Output, Stage
from attnnn.stages.train import STAGE as TRAIN
from attnnn.study.sources.base import Strict
from attnnn.tables import analyses

# Keeps these draws apart from other uses of a run's seed.
_PERMUTATION_STREAM = 1


class PermuteSettings(Strict):
    """Of the permutations.

    Attributes:
        permutations: of each document's attention.
    """

    permutations: int


def permute(job: Job[PermuteSettings]) -> None:
    """Permute the attention weights of every test document."""
    from attnnn.counterfactual.permuted import permutation_columns
    from attnnn.readout.predictions import read_explained

    predictions, readout = read_explained(job.path("predictions"))
    generator = np.random.default_rng([job.run.seed, _PERMUTATION_STREAM])
    columns = permutation_columns(
        predictions, readout, permutations=job.settings.permutations, generator=generator
    )
    job.write("permutation", columns)


STAGE = Stage(
    verb="permute",
    about="run",
    does=permute,
    writes={
        "permutation": Output(
            "permutation/{corpus}/{model}/seed-{seed}.parquet", (analyses.PERMUTATION,)
        )
    },
    settings=lambda study, run: PermuteSettings(permutations=study.permutations),
    reads=lambda study, run: {"predictions": TRAIN.made("predictions", run)},
    after=(TRAIN,),
    group="analyses",
    work=lambda study, run, size: {
        "starts": 1.0,
        "shuffled": float(size.lengths("test").sum()) * study.permutations / 1e9,
    },
    size=lambda study, run, size: work.FOOTER + 45.0 * len(size.lengths("test")),
)
