"""The training stage: one run, from prepared documents to weights and predictions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.torch import load_file

from attnnn.dag.layout import Layout
from attnnn.machine import give_back_memory, set_up_torch
from attnnn.measures import accuracy, roc_auc
from attnnn.models.classifier import Classifier, build
from attnnn.models.documents import Documents
from attnnn.models.material import Material, read_material
from attnnn.models.objectives import (
    Classes,
    Drawn,
    Imitation,
    Labels,
    Objective,
    class_weights,
    positive_weight,
)
from attnnn.models.persistence import Checkpoint
from attnnn.models.prediction import predict
from attnnn.models.results import write_model, write_predictions
from attnnn.models.training import Recipe, Score, Training, total_loss
from attnnn.study import design, identity
from attnnn.study.config import Study
from attnnn.study.design import Run
from attnnn.study.protocol import Protocol
from attnnn.tables import schemas
from attnnn.tables.store import read_table


def train(
    study: Study, runs: Sequence[Run], *, device: str, threads: int, at_once: int = 1
) -> None:
    """Train runs and write the weights, description, history and predictions of each.

    Checkpoints are kept until all are trained, so that a killed job of many runs loses little.

    Args:
        study: the configuration.
        runs: which models, corpora and seeds; none may learn from another.
        device: ``cpu`` or ``cuda``.
        threads: CPU threads of each run; results are equal to the byte for the same number.
        at_once: runs that are trained at the same time, each in a process of its own. They share
            the device.

    Raises:
        UserError: a file that a run needs is missing.
    """
    if at_once == 1 or len(runs) == 1:
        for run in runs:
            _train(study, run, device, threads)
    else:
        # A server that has imported torch, but never used it, starts each process in no time.
        processes = get_context("forkserver")
        processes.set_forkserver_preload([__name__])
        with ProcessPoolExecutor(min(at_once, len(runs)), mp_context=processes) as pool:
            done = [pool.submit(_train, study, run, device, threads) for run in runs]
            for training in as_completed(done):
                training.result()
    for run in runs:
        _checkpoint(study, run).remove()


def _train(study: Study, run: Run, device: str, threads: int) -> None:
    set_up_torch(threads, keep_freed_memory=True)
    material = read_material(study, run)
    classifier = _new_classifier(study, run, material.documents)
    training = _new_training(study, run, material, classifier.to(device))
    checkpoint = _checkpoint(study, run)
    checkpoint.resume(training)
    title = f"{run.corpus} {run.model.name} seed {run.seed}"
    progress = training.run(after_epoch=checkpoint.keep, title=title)
    write_model(study, run, training.classifier, progress)
    # The moments are not needed any more, and predictions of a large corpus need the room.
    del training
    give_back_memory()
    write_predictions(study, run, classifier, material)


def _checkpoint(study: Study, run: Run) -> Checkpoint:
    return Checkpoint(
        Layout(study.results_dir).checkpoint(run.corpus, run.model.name, run.seed),
        {"run": identity.of_run(study, run), "inputs": _digests(study, run)},
        seconds=study.training_of(run.corpus).checkpoint_seconds,
    )


def _digests(study: Study, run: Run) -> dict[str, str]:
    """Checksums of all that a training reads, so that it is not resumed on other data."""
    layout = Layout(study.results_dir)
    paths = [
        layout.corpus(run.corpus, name) for name in ("documents.parquet", "vocabulary.parquet")
    ]
    if study.corpora[run.corpus].embedding.kind != "random":
        paths.append(layout.corpus(run.corpus, "embedding.safetensors"))
    guiding = design.guiding_run(study, run)
    if guiding is not None:
        paths.append(layout.predictions_of(guiding))
    if run.model.uses_log_odds:
        paths.append(layout.corpus(run.corpus, "log_odds.parquet"))
    return {path: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in paths}


def _two_classes(documents: Documents) -> bool:
    """Whether one logit is enough: the papers' classification tasks."""
    return documents.classes == 2 and documents.asked is None


def _new_classifier(study: Study, run: Run, documents: Documents) -> Classifier:
    layout = Layout(study.results_dir)
    embedding = study.corpora[run.corpus].embedding
    vocabulary = read_table(layout.corpus(run.corpus, "vocabulary.parquet"), schemas.VOCABULARY)
    vectors = None
    if embedding.kind != "random":
        vectors = load_file(layout.corpus(run.corpus, "embedding.safetensors"))["embedding"]
    return build(
        encoder=run.model.encoder,
        attention=run.model.attention,
        vocabulary=len(vocabulary),
        dimension=embedding.dimension,
        hidden_size=_hidden_size(study, run),
        seed=run.seed,
        outputs=1 if _two_classes(documents) else documents.classes,
        asked=documents.asked is not None,
        vectors=vectors,
        scale=embedding.scale,
    )


def _hidden_size(study: Study, run: Run) -> int:
    size = study.training_of(run.corpus).hidden_size
    double = run.model.encoder == "cnn" and study.protocol_of(run.corpus).cnn_width == "double"
    return 2 * size if double else size


def _new_training(study: Study, run: Run, material: Material, classifier: Classifier) -> Training:
    protocol = study.protocol_of(run.corpus)
    train_part = material.of_split("train")
    label = train_part.documents.label
    objective: Objective
    score: Score
    if not _two_classes(material.documents):
        objective = Classes(label)
        score = _accuracy_score(material.of_split(protocol.select_split))
    elif run.model.lambda_ is None:
        objective = Labels(label, class_weights(label, positive_weight(label)))
        if run.model.towards_log_odds:
            assert train_part.guide is not None
            gamma, reduction = study.log_odds.divergence_weight, protocol.loss_reduction
            objective = Drawn(objective, train_part.guide.attention, gamma, reduction)
        score = _auc_score(material.of_split(protocol.select_split))
    else:
        weight = class_weights(label, positive_weight(label))
        batch_weight = weight if protocol.adv_batch_weight == "code" else None
        objective = _imitation(train_part, run.model.lambda_, protocol, batch_weight)
        score = _loss_score(material, run.model.lambda_, protocol)
    return Training(
        classifier,
        train_part.documents.tokens,
        objective,
        _recipe(study, run, decay_attention=material.documents.asked is not None),
        score,
        imposed=train_part.imposed if run.model.given else None,
        asked=train_part.documents.asked,
    )


def _recipe(study: Study, run: Run, *, decay_attention: bool) -> Recipe:
    training, protocol = study.training_of(run.corpus), study.protocol_of(run.corpus)
    adversary = run.model.lambda_ is not None
    return Recipe(
        epochs=protocol.adv_epochs if adversary else training.epochs,
        batch_size=training.batch_size,
        learning_rate=training.learning_rate,
        weight_decay=training.weight_decay,
        l2_mode=protocol.l2_mode,
        loss_reduction=protocol.loss_reduction,
        first_epoch_saveable=adversary or protocol.first_epoch_saveable,
        patience=protocol.adv_patience if adversary else None,
        seed=run.seed,
        decay_attention=decay_attention,
    )


def _imitation(
    material: Material, lambda_: float, protocol: Protocol, weight: NDArray[np.float32] | None
) -> Imitation:
    assert material.guide is not None
    assert material.guide.probability is not None
    return Imitation(
        probability=material.guide.probability,
        attention=material.guide.attention,
        lambda_=lambda_,
        tvd_scale=1.0 if protocol.tvd_scale == "full" else 0.5,
        weight=weight,
    )


def _auc_score(selecting: Material) -> Score:
    documents = selecting.documents

    def score(classifier: Classifier, train_loss: float) -> float:
        predictions = predict(classifier, documents.tokens, imposed=selecting.imposed, pieces=False)
        return float(roc_auc(documents.label, predictions.logit))

    return score


def _accuracy_score(selecting: Material) -> Score:
    documents = selecting.documents

    def score(classifier: Classifier, train_loss: float) -> float:
        predictions = predict(
            classifier,
            documents.tokens,
            imposed=selecting.imposed,
            asked=documents.asked,
            pieces=False,
        )
        return float(accuracy(documents.label, predictions.logits.argmax(axis=1)))

    return score


def _loss_score(material: Material, lambda_: float, protocol: Protocol) -> Score:
    split = protocol.adv_select.removesuffix("_loss")
    if split == "train":
        return lambda classifier, train_loss: -train_loss
    selecting = material.of_split(split)
    objective = _imitation(selecting, lambda_, protocol, None)
    tokens = selecting.documents.tokens
    return lambda classifier, train_loss: -total_loss(classifier, tokens, objective)
