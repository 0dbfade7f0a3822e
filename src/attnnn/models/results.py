"""What a finished training leaves: weights, description, history and predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.models.classifier import Classifier
from attnnn.models.decoders import LinearDecoder
from attnnn.models.documents import Documents
from attnnn.models.material import Material
from attnnn.models.prediction import Predicted, predict
from attnnn.models.training import Progress
from attnnn.study.model import Model
from attnnn.tables import schemas
from attnnn.tables.ragged import blocks
from attnnn.tables.store import Schema


def description(model: Model, classifier: Classifier, progress: Progress) -> dict[str, Any]:
    """What ``model.json`` says of a trained model."""
    vocabulary, dimension = classifier.embedding.weight.shape
    return {
        "encoder": model.encoder,
        "attention": model.attention,
        "vocabulary": vocabulary,
        "dimension": dimension,
        "hidden_size": classifier.hidden_size,
        "outputs": classifier.outputs,
        "with_question": classifier.question_encoder is not None,
        "parameters": classifier.parameter_counts(),
        "selected_epoch": progress.best_epoch,
        "selected_score": progress.best_score,
        "epochs": progress.epoch,
        "device": classifier.device.type,
    }


def history_columns(progress: Progress) -> dict[str, Any]:
    """The columns of `schemas.HISTORY`."""
    return {name: [epoch[name] for epoch in progress.history] for name in schemas.HISTORY.columns}


def predicted(
    classifier: Classifier, material: Material, model: Model
) -> tuple[Schema, Iterable[dict[str, Any]], dict[str, NDArray[np.float32]]]:
    """Predictions and attention of all documents, and what a readout needs of those of the test split.

    Returns:
        The schema of the table, its columns block by block, and arrays to keep with it.
    """
    if classifier.outputs > 1:
        parts = _class_blocks(classifier, material, model)
        return schemas.MULTICLASS_PREDICTIONS, parts, _readout(classifier)
    documents = material.documents
    predictions = predict(classifier, material.inputs(model))
    columns = _columns(documents, predictions, attends=model.attends)
    return schemas.PREDICTIONS, [columns], _readout(classifier)


def _columns(documents: Documents, predictions: Predicted, *, attends: bool) -> dict[str, Any]:
    test = (documents.split == "test") & attends
    return {
        "document": documents.document,
        "split": documents.split.tolist(),
        "label": documents.label,
        "logit": predictions.logit,
        "probability": predictions.probability,
        "attention": predictions.attention if attends else [None] * len(documents),
        "contribution": [
            row if kept else None for row, kept in zip(predictions.contribution, test, strict=True)
        ],
    }


def _readout(classifier: Classifier) -> dict[str, NDArray[np.float32]]:
    """What follows the projected states: a bias, and for pairs the output layer."""
    decoder = classifier.decoder
    if isinstance(decoder, LinearDecoder):
        return {"bias": decoder.bias.detach().cpu().numpy()}
    output = {"bias": decoder.output.bias, "weight": decoder.output.weight}
    return {name: values.detach().cpu().numpy() for name, values in output.items()}


def _class_blocks(
    classifier: Classifier, material: Material, model: Model
) -> Iterator[dict[str, Any]]:
    """The columns of `schemas.MULTICLASS_PREDICTIONS`, some documents at a time."""
    documents, inputs = material.documents, material.inputs(model)
    for split in ("train", "dev", "test"):
        inside = np.flatnonzero(documents.split == split)
        test = split == "test"
        for part in blocks(documents.tokens.lengths[inside], 1 << (18 if test else 20)):
            rows = inside[part]
            predictions = predict(classifier, inputs.take(rows), projected=test)
            chosen = documents.take(rows)
            yield _class_columns(chosen, predictions, attends=model.attends, test=test)


def _class_columns(
    documents: Documents, predictions: Predicted, *, attends: bool, test: bool
) -> dict[str, Any]:
    nothing = [None] * len(documents)
    projected, offset = predictions.projected, predictions.offset
    return {
        "document": documents.document,
        "split": documents.split.tolist(),
        "label": documents.label,
        "predicted": predictions.logits.argmax(axis=1),
        "probabilities": list(predictions.probabilities) if test else nothing,
        "attention": predictions.attention if attends else nothing,
        "projected": [row.ravel() for row in projected]
        if projected is not None and attends
        else nothing,
        "candidates": nothing
        if documents.questions is None or documents.questions.candidates is None
        else documents.questions.candidates,
        "offset": nothing if offset is None else list(offset),
    }
