"""Train a model, or go on with an interrupted training."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from attnnn.dag import work
from attnnn.dag.layout import checkpoint_path
from attnnn.dag.stage import Artifact, Job, Output, Stage
from attnnn.errors import UserError
from attnnn.models.train_settings import Imitating, Regime, TrainSettings
from attnnn.stages.embed import STAGE as EMBED
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.stages.segment import STAGE as SEGMENT
from attnnn.stages.weigh import STAGE as WEIGH
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import base_run, guiding_run
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged

if TYPE_CHECKING:
    from torch import Tensor

    from attnnn.dag.work import CorpusSize
    from attnnn.models.material import Material
    from attnnn.models.persistence import Checkpoint


def train(job: Job[TrainSettings]) -> None:
    """Train a model, or go on with an interrupted training."""
    from attnnn.machine import give_back_memory, set_up_torch
    from attnnn.models.fitting import new_classifier, new_training
    from attnnn.models.persistence import save_classifier
    from attnnn.models.results import description, history_columns, predicted

    set_up_torch(job.machine.threads, keep_freed_memory=True)
    material, run = read_material(job), job.run
    classifier = new_classifier(
        job.settings,
        run.model,
        material.documents,
        seed=run.seed,
        vocabulary=len(job.read("vocabulary")),
        vectors=_vectors(job),
    )
    training = new_training(
        job.settings, run.model, material, classifier.to(job.machine.device), seed=run.seed
    )
    checkpoint = _checkpoint(job)
    checkpoint.resume(training)
    title = f"{run.corpus} {run.model.name} seed {run.seed}"
    progress = training.run(after_epoch=checkpoint.keep, title=title)
    facts = description(run.model, training.classifier, progress)
    save_classifier(training.classifier, job.path("model").parent, facts | job.made_by)
    job.write("history", history_columns(progress))
    # The moments are not needed any more, and predictions of a large corpus need the room.
    del training
    give_back_memory()
    schema, blocks, arrays = predicted(classifier, material, run.model)
    job.write_blocks("predictions", schema, blocks, arrays=arrays)
    checkpoint.remove()


def read_material(job: Job[Any]) -> Material:
    """The documents of a run's corpus with the guide of the run.

    Raises:
        UserError: a file is missing, or the guide was trained on other documents.
    """
    from attnnn.models.documents import read_documents
    from attnnn.models.log_odds import read_word_weights
    from attnnn.models.material import Guide, Material

    sentences = job.path("sentences") if "sentences" in job.inputs else None
    documents = read_documents(job.path("documents"), sentences)
    if "log_odds" in job.inputs:
        words = read_word_weights(job.path("log_odds"))
        return Material(documents, Guide(words.attention(documents.tokens)))
    if "guide" not in job.inputs:
        return Material(documents, None)
    table = job.read("guide", columns=("document", "attention", "probability"))
    if not np.array_equal(table["document"].to_numpy(), documents.document):
        raise UserError(
            f"{job.path('guide')}: its documents are not those of {job.path('documents')}; delete it and "
            "run again"
        )
    guide = Guide(Ragged.from_arrow(table["attention"]), table["probability"].to_numpy())
    return Material(documents, guide)


def _vectors(job: Job[TrainSettings]) -> Tensor | None:
    from safetensors.torch import load_file

    return load_file(job.path("embedding"))["embedding"] if "embedding" in job.inputs else None


def _checkpoint(job: Job[TrainSettings]) -> Checkpoint:
    from attnnn.models.persistence import Checkpoint

    # Of all that a training reads, so that it is not resumed on other data.
    digests = {name: hashlib.sha256(job.path(name).read_bytes()).hexdigest() for name in job.inputs}
    return Checkpoint(
        checkpoint_path(job.path("predictions")),
        {**job.made_by, "inputs": digests},
        seconds=job.machine.checkpoint_seconds,
    )


def _settings(study: Study, run: Run) -> TrainSettings:
    if run.model.kind.paper == "serrano-smith":
        return _serrano_smith_settings(study, run)
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


def _serrano_smith_settings(study: Study, run: Run) -> TrainSettings:
    training, switches = study.serrano_smith_of(run.corpus), study.protocol_of(run.corpus)
    by_sentence = run.model.kind.hierarchical
    bare = run.model.encoder.endswith("-none")
    return TrainSettings(
        embedding=study.corpora[run.corpus].embedding,
        hidden_size=training.hidden_size,
        epochs=training.epochs_without_encoder if bare else training.epochs,
        batch_size=training.batch_size,
        learning_rate=training.learning_rate,
        weight_decay=0.0,
        l2_mode="none",
        loss_reduction="mean",
        select_split=switches.select_split,
        first_epoch_saveable=switches.first_epoch_saveable,
        patience=training.patience_without_encoder if bare else training.patience,
        regime=Regime(
            word_dropout=training.word_dropout,
            sentence_dropout=training.sentence_dropout,
            output_dropout=training.han_output_dropout
            if by_sentence
            else training.flan_output_dropout,
            logit_dropout=switches.logit_dropout,
            gru_bias=switches.gru_bias,
            amsgrad=training.amsgrad,
            clip_norm=training.clip_norm,
            clip_value=training.clip_value,
            samples_per_batch=training.han_samples_per_batch
            if by_sentence
            else training.flan_samples_per_batch,
        ),
    )


def reads(study: Study, run: Run) -> dict[str, Artifact]:
    """The corpus, the vectors that it starts from, and what it learns from beside labels."""
    found = {name: PREPARE.made(name, run.corpus) for name in PREPARE.writes}
    if study.corpora[run.corpus].embedding.kind != "random":
        found["embedding"] = EMBED.made("embedding", run.corpus)
    return found | sentences(run) | guide(study, run)


def sentences(run: Run) -> dict[str, Artifact]:
    """The sentences that a hierarchical model reads."""
    by_sentence = run.model.kind.hierarchical
    return {"sentences": SEGMENT.made("sentences", run.corpus)} if by_sentence else {}


def guide(study: Study, run: Run) -> dict[str, Artifact]:
    """What a run learns from beside labels: another run's predictions, or the log-odds of words."""
    guiding = guiding_run(study.base_seed, run)
    if guiding is not None:
        return {"guide": STAGE.made("predictions", guiding)}
    if run.model.uses_log_odds:
        return {"log_odds": WEIGH.made("log_odds", run.corpus)}
    return {}


def _work(study: Study, run: Run, size: CorpusSize) -> dict[str, float]:
    """Epochs over the training split, scores of the selecting split, and predictions of all."""
    settings = _settings(study, run)
    select = settings.imitating.select.removesuffix("_loss") if settings.imitating else None
    split = settings.select_split or select or "train"
    scored = 0.0 if split == "train" else size.tokens(split)
    read = settings.epochs * (work.FORWARD_AND_BACK * size.tokens("train") + scored)
    read += sum(map(size.tokens, size.splits))
    batches = settings.epochs * -(-len(size.lengths("train")) // settings.batch_size)
    shape, classes = (
        (settings.embedding.dimension, settings.hidden_size),
        work.classes_of(study, run),
    )
    updates = batches * work.parameters(run.model, *shape, size.vocabulary, classes) / 1e9
    steps = settings.epochs * size.tokens("train") / settings.batch_size / 1e3
    stepwise = {"lstm_steps": steps} if run.model.kind.recurrent else {}
    return {**work.reading(run.model, *shape, read, classes), **stepwise, "updates": updates}


def _parameters(study: Study, run: Run, size: CorpusSize) -> int:
    shape = study.corpora[run.corpus].embedding.dimension, _settings(study, run).hidden_size
    return work.parameters(run.model, *shape, size.vocabulary, work.classes_of(study, run))


def _size(study: Study, run: Run, size: CorpusSize) -> float:
    tokens, tested = float(size.all_lengths.sum()), float(size.lengths("test").sum())
    # Uniform attention has few distinct values.
    attention = 0.35 * tokens if run.model.attention == "uniform" else work.numbers(tokens)
    classes = work.classes_of(study, run)
    projected = work.numbers((1 if classes == 2 else classes) * tested)
    documents = work.numbers(2.0 * len(size.all_lengths))
    return 4.0 * _parameters(study, run, size) + attention + projected + documents + work.FOOTER


def _scratch(study: Study, run: Run, size: CorpusSize) -> float:
    """A checkpoint: parameters, the selected ones, and three moments of the optimiser."""
    return 5 * 4.0 * _parameters(study, run, size)


STAGE = Stage(
    verb="train",
    about="run",
    does=train,
    writes={
        "weights": Output("models/{corpus}/{model}/seed-{seed}/weights.safetensors"),
        "model": Output("models/{corpus}/{model}/seed-{seed}/model.json"),
        "history": Output(
            "models/{corpus}/{model}/seed-{seed}/history.parquet", (schemas.HISTORY,)
        ),
        "predictions": Output(
            "models/{corpus}/{model}/seed-{seed}/predictions.parquet",
            (schemas.PREDICTIONS, schemas.MULTICLASS_PREDICTIONS),
        ),
    },
    settings=_settings,
    reads=reads,
    after=(PREPARE, SEGMENT, EMBED, WEIGH),
    on_device=True,
    memory=4000,
    minutes=720,
    # Most other jobs wait for the base model.
    priority=lambda study, run: int(run == base_run(study, run.corpus)),
    work=_work,
    size=_size,
    scratch=_scratch,
)
