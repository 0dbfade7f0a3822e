"""A trained classifier's output for any number of documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from attnnn.models.classifier import Classifier, probabilities
from attnnn.models.inputs import Inputs, Rows
from attnnn.tables.ragged import Ragged


@dataclass(frozen=True)
class ModelOutput:
    """The output of a classifier for each document.

    Attributes:
        logits: shape (documents, outputs); for two classes the log-odds of class 1 alone.
        attention: weights of the n tokens.
        projected: projected states of the n tokens (see `decoders`), shape (tokens, inner); None if they
            were not kept.
        offset: what each question adds to the sum of projected states, shape (documents, inner); None for
            single texts, and if projected states were not kept.
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
        """w·h_t of the n tokens, for two classes."""
        assert self.projected is not None
        return self.projected.with_values(self.projected.values[:, 0])


@torch.inference_mode()
def predict(classifier: Classifier, inputs: Inputs, *, projected: bool = True) -> ModelOutput:
    """Classify any number of documents.

    Args:
        classifier: works on the device and in the precision that it has.
        inputs: the documents.
        projected: whether to keep the projected state of every token.
    """
    tokens = inputs.tokens
    found = inputs.scatter(
        _outputs(classifier, inputs, projected), per_token=("attention", "projected")
    )
    if not found:
        none = np.zeros((0, classifier.outputs), dtype=np.float32)
        return ModelOutput(none, tokens, tokens.with_values(none) if projected else None)
    return ModelOutput(
        found["logits"],
        tokens.with_values(found["attention"]),
        tokens.with_values(found["projected"]) if projected else None,
        found.get("offset"),
    )


def _outputs(
    classifier: Classifier, inputs: Inputs, projected: bool
) -> Iterator[tuple[Rows, dict[str, NDArray[np.floating]]]]:
    """Rows of the documents of each batch, and the output for them."""
    for rows, batch in inputs.batches(device=classifier.device):
        query = classifier.read_questions(batch)
        output = classifier(batch, query=query)
        real = batch.real
        kept = {"logits": output.logits, "attention": output.attention[real]}
        if projected:
            kept["projected"] = output.projected[real]
            offset = classifier.decoder.offset(query)
            if offset is not None:
                kept["offset"] = offset
        yield rows, {name: tensor.cpu().numpy() for name, tensor in kept.items()}
