"""A run's settings turned into a classifier and its training: its objective, and what selects its epoch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from attnnn.errors import UserError
from attnnn.measures import accuracy, roc_auc
from attnnn.models.classifier import Classifier, build
from attnnn.models.documents import Documents
from attnnn.models.dropout import Shares
from attnnn.models.inputs import Inputs
from attnnn.models.material import Material
from attnnn.models.objectives import (
    Classes,
    Drawn,
    Imitation,
    Labels,
    Objective,
    class_weights,
    positive_weight,
)
from attnnn.models.prediction import predict
from attnnn.models.train_settings import Imitating, TrainSettings
from attnnn.models.training import Recipe, Score, Training, total_loss
from attnnn.study.model import Model


def new_classifier(
    settings: TrainSettings,
    model: Model,
    documents: Documents,
    *,
    seed: int,
    vocabulary: int,
    vectors: Float[Tensor, "vocabulary dimension"] | None,
) -> Classifier:
    """A classifier of the documents with its initial weights.

    Args:
        settings: of the run.
        model: its encoder and attention.
        documents: that it is to classify.
        seed: of its initial weights.
        vocabulary: number of ids.
        vectors: word vectors to start from; None: random ones.

    Raises:
        UserError: Serrano & Smith's architectures are of single texts.
    """
    if model.kind.paper == "serrano-smith" and documents.questions is not None:
        raise UserError(
            f"{model.encoder} reads single texts, and this corpus is of pairs; leave out its flan- and han- "
            "models"
        )
    return build(
        encoder=model.encoder,
        attention=model.attention,
        vocabulary=vocabulary,
        dimension=settings.embedding.dimension,
        hidden_size=settings.hidden_size,
        seed=seed,
        outputs=1 if _two_classes(documents) else documents.classes,
        with_question=documents.questions is not None,
        vectors=vectors,
        scale=settings.embedding.scale,
        lstm_bias=settings.regime is not None and settings.regime.gru_bias == "lstm_init",
    )


def new_training(
    settings: TrainSettings, model: Model, material: Material, classifier: Classifier, *, seed: int
) -> Training:
    """The training of a classifier on the training split.

    Args:
        settings: of the run.
        model: its objective.
        material: all splits, with what the guide of the run says of them.
        classifier: on the device where it is trained.
        seed: of the order of the documents.
    """
    train_part = material.of_split("train")
    if not _two_classes(material.documents):
        objective: Objective = Classes(train_part.documents.label)
        score = _accuracy_score(_selecting(settings, material), model)
    elif settings.regime is not None:
        label = train_part.documents.label
        objective = Labels(label, np.ones(len(label), dtype=np.float32))
        score = _accuracy_score(_selecting(settings, material), model)
    elif settings.imitating is None:
        objective = _labels(settings, train_part)
        score = _auc_score(_selecting(settings, material), model)
    else:
        assert model.lambda_ is not None
        objective, score = _imitation(settings.imitating, model.lambda_, material, train_part)
    return Training(
        classifier,
        train_part.inputs(model),
        objective,
        _recipe(settings, seed, decay_attention=material.documents.questions is not None),
        score,
    )


def _two_classes(documents: Documents) -> bool:
    """Whether one logit is enough: the papers' classification tasks."""
    return documents.classes == 2 and documents.questions is None


def _selecting(settings: TrainSettings, material: Material) -> Material:
    """The split that selects the epoch of a model trained on labels."""
    assert settings.select_split is not None
    return _part(material, settings.select_split)


def _part(material: Material, split: str) -> Material:
    part = material.of_split(split)
    if not len(part.documents):
        raise UserError(
            f"there are no {split} documents to select an epoch on; set select_split and adv_select to a "
            "split that the corpus has, or train_part: minus_dev"
        )
    return part


def _labels(settings: TrainSettings, train_part: Material) -> Objective:
    label = train_part.documents.label
    labels = Labels(label, class_weights(label, positive_weight(label)))
    if settings.divergence_weight is None:
        return labels
    assert train_part.guide is not None
    return Drawn(
        labels, train_part.guide.attention, settings.divergence_weight, settings.loss_reduction
    )


def _imitation(
    how: Imitating, lambda_: float, material: Material, train_part: Material
) -> tuple[Objective, Score]:
    """What a trained adversary optimises, and the loss that selects its epoch."""

    def objective(part: Material, weight: NDArray[np.float32] | None) -> Imitation:
        assert part.guide is not None
        assert part.guide.probability is not None
        return Imitation(
            probability=part.guide.probability,
            attention=part.guide.attention,
            lambda_=lambda_,
            tvd_scale=1.0 if how.tvd_scale == "full" else 0.5,
            weight=weight,
        )

    label = train_part.documents.label
    weight = class_weights(label, positive_weight(label))
    trained = objective(train_part, weight if how.batch_weight == "code" else None)
    split = how.select.removesuffix("_loss")
    if split == "train":
        return trained, lambda classifier, train_loss: -train_loss
    selecting = _part(material, split)
    inputs, selected = Inputs.of(selecting.documents), objective(selecting, None)
    return trained, lambda classifier, train_loss: -total_loss(classifier, inputs, selected)


def _recipe(settings: TrainSettings, seed: int, *, decay_attention: bool) -> Recipe:
    recipe = Recipe(
        epochs=settings.epochs,
        batch_size=settings.batch_size,
        learning_rate=settings.learning_rate,
        weight_decay=settings.weight_decay,
        l2_mode=settings.l2_mode,
        loss_reduction=settings.loss_reduction,
        first_epoch_saveable=settings.first_epoch_saveable,
        patience=settings.patience,
        seed=seed,
        decay_attention=decay_attention,
    )
    regime = settings.regime
    if regime is None:
        return recipe
    return replace(
        recipe,
        amsgrad=regime.amsgrad,
        halving=True,
        clip_norm=regime.clip_norm,
        clip_value=regime.clip_value,
        samples_per_batch=regime.samples_per_batch,
        dropout=Shares(
            words=regime.word_dropout,
            sentences=regime.sentence_dropout,
            output=regime.output_dropout,
            of_logits=regime.logit_dropout == "logits",
        ),
    )


def _auc_score(selecting: Material, model: Model) -> Score:
    label, inputs = selecting.documents.label, selecting.inputs(model)

    def score(classifier: Classifier, train_loss: float) -> float:
        return float(roc_auc(label, predict(classifier, inputs, projected=False).logit))

    return score


def _accuracy_score(selecting: Material, model: Model) -> Score:
    label, inputs = selecting.documents.label, selecting.inputs(model)

    def score(classifier: Classifier, train_loss: float) -> float:
        logits = predict(classifier, inputs, projected=False).logits
        predicted = logits[:, 0] > 0 if logits.shape[1] == 1 else logits.argmax(axis=1)
        return float(accuracy(label, predicted.astype(np.int64)))

    return score
