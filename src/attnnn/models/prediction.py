"""Predictions of a trained classifier, written once for every later stage to read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from attnnn.models.batches import EVALUATION_TOKENS, batch_of, length_sorted_batches
from attnnn.models.classifier import Classifier, probabilities
from attnnn.models.decoders import PairDecoder
from attnnn.models.documents import Questions
from attnnn.tables.ragged import Ragged


@dataclass(frozen=True)
class Predictions:
    """What a classifier says of each document.

    Attributes:
        logits: shape (documents, outputs); for two classes the log-odds of class 1 alone.
        attention: weights of the n tokens.
        pieces: shape (tokens, piece): what the decoder makes of the states of the n tokens before they are
            summed; None where it was not asked for.
        offset: shape (documents, piece): what each question adds to the sum of pieces; None without
            questions, and where pieces were not asked for.
    """

    logits: NDArray[np.floating]
    attention: Ragged
    pieces: Ragged | None
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
        assert self.pieces is not None
        return self.pieces.with_values(self.pieces.values[:, 0])


# Rows of the documents of a batch, and what was found of them.
_Batch = tuple[NDArray[np.int64], dict[str, NDArray[np.floating]]]


@torch.inference_mode()
def predict(
    classifier: Classifier,
    tokens: Ragged,
    *,
    imposed: Ragged | None = None,
    asked: Questions | None = None,
    pieces: bool = True,
) -> Predictions:
    """Classify documents of token ids (without start and end symbols), in any number.

    Args:
        classifier: works on the device and in the precision that it has.
        tokens: ids of the n tokens of each document.
        imposed: attention weights for a classifier with imposed attention.
        asked: the questions of a classifier of pairs.
        pieces: whether to keep the pieces of every token.
    """
    batches = length_sorted_batches(tokens, max_tokens=EVALUATION_TOKENS)
    found: list[_Batch] = []
    for rows in batches:
        part = tokens.take(rows)
        batch = batch_of(rows, tokens, device=classifier.device, imposed=imposed, asked=asked)
        query = classifier.read_questions(batch)
        output = classifier(batch, query=query)
        cells = (part.documents, part.positions + 1)
        kept = {"logits": output.logits, "attention": output.attention[cells]}
        if pieces:
            kept["pieces"] = output.pieces[cells]
            if isinstance(classifier.decoder, PairDecoder) and query is not None:
                kept["offset"] = classifier.decoder.offset(query)
        found.append((rows, {name: tensor.cpu().numpy() for name, tensor in kept.items()}))
    if not found:
        nothing = np.zeros((0, classifier.outputs), dtype=np.float32)
        return Predictions(nothing, tokens, tokens.with_values(nothing) if pieces else None)
    return _in_order(found, tokens)


def _in_order(
    found: list[_Batch],
    tokens: Ragged,
) -> Predictions:
    per_token = {"attention", "pieces"}
    whole: dict[str, NDArray[np.floating]] = {}
    for rows, kept in found:
        part = tokens.take(rows)
        here = tokens.offsets[rows][part.documents] + part.positions
        for name, values in kept.items():
            count = len(tokens.values) if name in per_token else len(tokens)
            target = whole.setdefault(name, np.zeros((count, *values.shape[1:]), values.dtype))
            target[here if name in per_token else rows] = values
    return Predictions(
        whole["logits"],
        tokens.with_values(whole["attention"]),
        tokens.with_values(whole["pieces"]) if "pieces" in whole else None,
        whole.get("offset"),
    )
