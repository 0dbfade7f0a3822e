"""Predictions of a trained classifier, written once for every later stage to read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attnnn.models.classifier import Classifier, probabilities
from attnnn.models.decoders import PairDecoder
from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged


@dataclass(frozen=True)
class Predicted:
    """What a classifier says of each document.

    Attributes:
        logits: shape (documents, outputs); for two classes the log-odds of class 1 alone.
        attention: weights of the n items: tokens, or sentences of a hierarchical model.
        projected: shape (items, width): projected states of the n items (`readout.Readout`); None where
            they were not asked for.
        offset: shape (documents, width): what each question adds to the sum of projected states; None
            without questions, and where these were not asked for.
    """

    logits: NDArray[np.floating]
    attention: Ragged
    projected: Ragged | None
    offset: NDArray[np.floating] | None = None

    @property
    def logit(self) -> NDArray[np.floating]:
        """Shape (documents,), log-odds of class 1, for two classes."""
        return self.logits[:, 0]

    @property
    def probabilities(self) -> NDArray[np.floating]:
        """Shape (documents, outputs), of every class; for two classes that of class 1 alone."""
        return probabilities(torch.from_numpy(self.logits)).numpy()

    @property
    def probability(self) -> NDArray[np.floating]:
        """Shape (documents,), probability of class 1, for two classes."""
        return self.probabilities[:, 0]

    @property
    def contribution(self) -> Ragged:
        """w·h_t of the n items, for two classes."""
        assert self.projected is not None
        return self.projected.with_values(self.projected.values[:, 0])


@torch.inference_mode()
def predict(classifier: Classifier, inputs: Inputs, *, projected: bool = True) -> Predicted:
    """Classify documents, in any number.

    Args:
        classifier: works on the device and in the precision that it has.
        inputs: the documents.
        projected: whether to keep the projected state of every item.
    """
    found: dict[str, NDArray[np.floating]] = {}
    for part, batch in inputs.batches(classifier.device):
        query = classifier.read_questions(batch)
        output = classifier(batch, query=query)
        of_items = {"attention": output.attention[part.cells]}
        of_documents = {"logits": output.logits}
        if projected:
            of_items["projected"] = output.projected[part.cells]
            if isinstance(classifier.decoder, PairDecoder) and query is not None:
                of_documents["offset"] = classifier.decoder.offset(query)
        for name, tensor in of_items.items():
            part.scatter(tensor.cpu().numpy(), _room(found, name, tensor, len(inputs.items.values)))
        for name, tensor in of_documents.items():
            _room(found, name, tensor, len(inputs))[part.rows] = tensor.cpu().numpy()
    items = inputs.items
    if not found:
        none = np.zeros((0, classifier.outputs), dtype=np.float32)
        return Predicted(none, items, items.with_values(none) if projected else None)
    return Predicted(
        found["logits"],
        items.with_values(found["attention"]),
        items.with_values(found["projected"]) if projected else None,
        found.get("offset"),
    )


def _room(
    found: dict[str, NDArray[np.floating]], name: str, like: Tensor, rows: int
) -> NDArray[np.floating]:
    """The array that keeps what is found under a name, made at its first use."""
    if name not in found:
        dtype = like.new_empty(0).cpu().numpy().dtype
        found[name] = np.zeros((rows, *like.shape[1:]), dtype)
    return found[name]
