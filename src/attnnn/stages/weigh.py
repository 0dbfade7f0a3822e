"""Weigh words by the log-odds that they give a class in a bag of words."""

from __future__ import annotations

from attnnn.dag import work
from attnnn.dag.stage import Artifact, Job, Output, Stage
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.study.config import Study
from attnnn.study.sources.base import Strict
from attnnn.tables import schemas


class WeighSettings(Strict):
    """Of the logistic regression.

    Attributes:
        inverse_strength: C, the inverse of the strength of its L1.
    """

    inverse_strength: float


def weigh(job: Job[WeighSettings]) -> None:
    """Weigh words by the log-odds that they give a class in a bag of words."""
    from attnnn.corpora.bag_of_words import log_odds_columns
    from attnnn.corpora.texts import say
    from attnnn.tables.ragged import Ragged

    listed = job.read("vocabulary")
    stored = job.read("documents", columns=("label", "token_ids"), where=("split", "train"))
    columns, facts, messages = log_odds_columns(
        listed["token"].to_pylist(),
        Ragged.from_arrow(stored["token_ids"]),
        stored["label"].to_numpy(),
        inverse_strength=job.settings.inverse_strength,
    )
    job.write("log_odds", columns, **facts)
    for message in messages:
        say(job.corpus, message)


def _reads(study: Study, corpus: str) -> dict[str, Artifact]:
    return {name: PREPARE.made(name, corpus) for name in ("documents", "vocabulary")}


def _refuses(study: Study, corpus: str) -> str | None:
    if study.corpora[corpus].source.two_classes:
        return None
    return (
        f"corpus {corpus}: log-odds of words are of single texts and two classes; leave this corpus out of "
        "the command"
    )


STAGE = Stage(
    verb="weigh",
    about="corpus",
    does=weigh,
    writes={"log_odds": Output("corpora/{corpus}/log_odds.parquet", (schemas.LOG_ODDS,))},
    settings=lambda study, corpus: WeighSettings(inverse_strength=study.log_odds.inverse_strength),
    reads=_reads,
    after=(PREPARE,),
    refuses=_refuses,
    memory=4000,
    minutes=60,
    work=lambda study, corpus, size: {
        "starts": 1.0,
        "tokens": float(size.lengths("train").sum()) / 1e6,
    },
    size=lambda study, corpus, size: work.FOOTER + 13.0 * size.vocabulary,
)
