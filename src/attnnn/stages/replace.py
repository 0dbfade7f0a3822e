"""Replace attention by the log-odds of words, and the most attended words by the other class's."""

from __future__ import annotations

from attnnn.dag.stage import Artifact, Job, Output, Stage
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.stages.train import STAGE as TRAIN
from attnnn.stages.weigh import STAGE as WEIGH
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.sources.base import Strict
from attnnn.tables import schemas


class ReplaceSettings(Strict):
    """Of the substitution.

    Attributes:
        substituted_words: how many of the most attended words are replaced.
    """

    substituted_words: int


def replace(job: Job[ReplaceSettings]) -> None:
    """Replace attention by the log-odds of words, and the most attended words by the other class's."""
    raise NotImplementedError


def _reads(study: Study, run: Run) -> dict[str, Artifact]:
    return {
        **{name: PREPARE.made(name, run.corpus) for name in ("documents", "description")},
        "log_odds": WEIGH.made("log_odds", run.corpus),
        **{name: TRAIN.made(name, run) for name in ("predictions", "weights", "model")},
    }


def _refuses(study: Study, run: Run) -> str | None:
    return WEIGH.refuses(study, run.corpus)


STAGE = Stage(
    verb="replace",
    about="run",
    does=replace,
    writes={
        "replacement": Output(
            "replacement/{corpus}/{model}/seed-{seed}.parquet", (schemas.REPLACEMENT,)
        )
    },
    settings=lambda study, run: ReplaceSettings(
        substituted_words=study.log_odds.substituted_words
    ),
    reads=_reads,
    after=(PREPARE, TRAIN, WEIGH),
    refuses=_refuses,
    on_device=True,
    memory=4000,
    minutes=60,
)
