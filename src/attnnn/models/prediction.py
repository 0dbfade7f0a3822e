"""Predictions of a trained classifier, written once for every later stage to read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from attnnn.models.batches import EVALUATION_TOKENS, length_sorted_batches, make_batch
from attnnn.models.classifier import Classifier
from attnnn.ragged import Ragged


@dataclass(frozen=True)
class Predictions:
    """What a classifier says of each document.

    Attributes:
        logit: shape (documents,), log-odds of class 1.
        attention: weights of the n tokens.
        contribution: w·h_t of the n tokens.
    """

    logit: NDArray[np.float32]
    attention: Ragged
    contribution: Ragged

    @property
    def probability(self) -> NDArray[np.float32]:
        """Shape (documents,), probability of class 1."""
        return torch.sigmoid(torch.from_numpy(self.logit)).numpy()


@torch.inference_mode()
def predict(
    classifier: Classifier, tokens: Ragged, *, imposed: Ragged | None = None
) -> Predictions:
    """Classify documents of token ids (without start and end symbols), in any number."""
    device = classifier.decoder.weight.device
    logit = np.zeros(len(tokens), dtype=np.float32)
    attention = np.zeros(len(tokens.values), dtype=np.float32)
    contribution = np.zeros(len(tokens.values), dtype=np.float32)
    for rows in length_sorted_batches(tokens, max_tokens=EVALUATION_TOKENS):
        part = tokens.take(rows)
        given = None if imposed is None else imposed.take(rows)
        output = classifier(make_batch(part, device=device, imposed=given))
        logit[rows] = output.logit.cpu().numpy()
        here = tokens.offsets[rows][part.documents] + part.positions
        cells = (part.documents, part.positions + 1)
        attention[here] = output.attention.cpu().numpy()[cells]
        contribution[here] = output.contribution.cpu().numpy()[cells]
    return Predictions(logit, tokens.with_values(attention), tokens.with_values(contribution))
