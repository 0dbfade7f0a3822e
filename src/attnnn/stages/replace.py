"""Replace attention by the log-odds of words, and the most attended words by the other class's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnnn.dag import work
from attnnn.dag.stage import Artifact, Job, Output, Stage
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.stages.train import STAGE as TRAIN
from attnnn.stages.weigh import STAGE as WEIGH
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.sources.base import Strict
from attnnn.tables import analyses

if TYPE_CHECKING:
    from attnnn.dag.work import CorpusSize


class ReplaceSettings(Strict):
    """Of the substitution.

    Attributes:
        substituted_words: how many of the most attended words are replaced.
    """

    substituted_words: int


def replace(job: Job[ReplaceSettings]) -> None:
    """Replace attention by the log-odds of words, and the most attended words by the other class's."""
    from attnnn.counterfactual.outcome import Outcome
    from attnnn.counterfactual.substitution import substitute
    from attnnn.machine import set_up_torch
    from attnnn.measures import total_variation_distance
    from attnnn.models.documents import read_documents
    from attnnn.models.inputs import Inputs
    from attnnn.models.log_odds import read_word_weights
    from attnnn.models.persistence import load_classifier
    from attnnn.models.prediction import predict
    from attnnn.readout.predictions import read_explained

    set_up_torch(job.machine.threads)
    predictions, readout = read_explained(job.path("predictions"))
    tokens = read_documents(job.path("documents")).of_split("test").tokens
    words = read_word_weights(job.path("log_odds"))
    imposed = Outcome.of(words.attention(tokens), predictions.attention, readout)
    strongest = [words.strongest(class_, job.settings.substituted_words) for class_ in (0, 1)]
    other, count = substitute(tokens, predictions.attention, predictions.predicted, strongest)
    classifier = load_classifier(job.path("model").parent, device=job.machine.device)
    read_again = predict(classifier, Inputs(other), projected=False)
    columns = {
        "document": predictions.document,
        "predicted": predictions.predicted,
        "counted_words": words.counted(tokens),
        "jsd": imposed.jsd,
        "imposed_probability": imposed.probability,
        "imposed_change": imposed.change,
        "substituted_words": count,
        "substituted_probability": read_again.probability,
        "substituted_change": total_variation_distance(
            read_again.probability, predictions.probability
        ),
    }
    job.write("replacement", columns)


def _reads(study: Study, run: Run) -> dict[str, Artifact]:
    return {
        **{name: PREPARE.made(name, run.corpus) for name in ("documents", "description")},
        "log_odds": WEIGH.made("log_odds", run.corpus),
        **{name: TRAIN.made(name, run) for name in ("predictions", "weights", "model")},
    }


def _refuses(study: Study, run: Run) -> str | None:
    return WEIGH.refuses(study, run.corpus)


def _work(study: Study, run: Run, size: CorpusSize) -> dict[str, float]:
    hidden = study.training_of(run.corpus).hidden_size
    dimension = study.corpora[run.corpus].embedding.dimension
    return work.reading(run.model, dimension, hidden, size.tokens("test"))


STAGE = Stage(
    verb="replace",
    about="run",
    does=replace,
    writes={
        "replacement": Output(
            "replacement/{corpus}/{model}/seed-{seed}.parquet", (analyses.REPLACEMENT,)
        )
    },
    settings=lambda study, run: ReplaceSettings(substituted_words=study.log_odds.substituted_words),
    reads=_reads,
    after=(PREPARE, TRAIN, WEIGH),
    refuses=_refuses,
    on_device=True,
    memory=4000,
    minutes=60,
    work=_work,
    size=lambda study, run, size: work.FOOTER + 45.0 * len(size.lengths("test")),
)
