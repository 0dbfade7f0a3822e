"""Train a model, or go on with an interrupted training."""

from __future__ import annotations

from typing import Literal

from attnnn.dag.stage import Artifact, Job, Output, Stage
from attnnn.stages.embed import STAGE as EMBED
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.stages.weigh import STAGE as WEIGH
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import base_run, guiding_run
from attnnn.study.settings import Embedding
from attnnn.study.sources.base import Strict
from attnnn.tables import schemas


class Imitating(Strict):
    """How a trained adversary imitates and diverges (Wiegreffe & Pinter 2019, section 4)."""

    tvd_scale: Literal["full", "half_scalar"]
    batch_weight: Literal["none", "code"]
    select: Literal["dev_loss", "train_loss", "test_loss"]


class TrainSettings(Strict):
    """All that a trained model depends on beside its corpus and its guide.

    Attributes:
        embedding: where word vectors come from.
        hidden_size: with switch cnn_width counted in.
        epochs: of an adversary, at most.
        batch_size: documents per batch.
        learning_rate: of Adam-AMSGrad.
        weight_decay: L2.
        l2_mode: how it is applied.
        loss_reduction: how the losses of a batch become one number.
        select_split: the split that selects the epoch; None for a trained adversary.
        first_epoch_saveable: whether the first epoch may be selected.
        patience: epochs without improvement before a training ends; None: no end before the last.
        imitating: of a trained adversary alone.
        divergence_weight: of a model drawn to log-odds attention alone.
    """

    embedding: Embedding
    hidden_size: int
    epochs: int
    batch_size: int
    learning_rate: float
    weight_decay: float
    l2_mode: Literal["coupled", "decoupled", "none"]
    loss_reduction: Literal["sum", "mean"]
    select_split: Literal["dev", "test"] | None
    first_epoch_saveable: bool
    patience: int | None = None
    imitating: Imitating | None = None
    divergence_weight: float | None = None


def train(job: Job[TrainSettings]) -> None:
    """Train a model, or go on with an interrupted training."""
    from attnnn.models.fitting import fit

    fit(job)


def _settings(study: Study, run: Run) -> TrainSettings:
    training, switches = study.training_of(run.corpus), study.protocol_of(run.corpus)
    adversary = run.model.lambda_ is not None
    doubled = run.model.encoder == "cnn" and switches.cnn_width == "double"
    imitating = Imitating(
        tvd_scale=switches.tvd_scale,
        batch_weight=switches.adv_batch_weight,
        select=switches.adv_select,
    )
    return TrainSettings(
        embedding=study.corpora[run.corpus].embedding,
        hidden_size=training.hidden_size * (2 if doubled else 1),
        epochs=switches.adv_epochs if adversary else training.epochs,
        batch_size=training.batch_size,
        learning_rate=training.learning_rate,
        weight_decay=training.weight_decay,
        l2_mode=switches.l2_mode,
        loss_reduction=switches.loss_reduction,
        select_split=None if adversary else switches.select_split,
        first_epoch_saveable=adversary or switches.first_epoch_saveable,
        patience=switches.adv_patience if adversary else None,
        imitating=imitating if adversary else None,
        divergence_weight=study.log_odds.divergence_weight if run.model.towards_log_odds else None,
    )


def reads(study: Study, run: Run) -> dict[str, Artifact]:
    """The corpus, the vectors that it starts from, and what it learns from beside labels."""
    found = {name: PREPARE.made(name, run.corpus) for name in PREPARE.writes}
    if study.corpora[run.corpus].embedding.kind != "random":
        found["embedding"] = EMBED.made("embedding", run.corpus)
    return found | guide(study, run)


def guide(study: Study, run: Run) -> dict[str, Artifact]:
    """What a run learns from beside labels: another run's predictions, or the log-odds of words."""
    guiding = guiding_run(study.base_seed, run)
    if guiding is not None:
        return {"guide": STAGE.made("predictions", guiding)}
    if run.model.uses_log_odds:
        return {"log_odds": WEIGH.made("log_odds", run.corpus)}
    return {}


STAGE = Stage(
    verb="train",
    about="run",
    does=train,
    writes={
        "weights": Output("models/{corpus}/{model}/seed-{seed}/weights.safetensors"),
        "model": Output("models/{corpus}/{model}/seed-{seed}/model.json"),
        "history": Output("models/{corpus}/{model}/seed-{seed}/history.parquet", (schemas.HISTORY,)),
        "predictions": Output(
            "models/{corpus}/{model}/seed-{seed}/predictions.parquet",
            (schemas.PREDICTIONS, schemas.CLASS_PREDICTIONS),
        ),
    },
    settings=_settings,
    reads=reads,
    after=(PREPARE, EMBED, WEIGH),
    on_device=True,
    memory=4000,
    minutes=720,
    # Most other jobs wait for the base model.
    priority=lambda study, run: int(run == base_run(study, run.corpus)),
)
