"""Gradient × input: what a token's embedding adds to the probability, to first order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from tqdm import tqdm

from attnnn.importance.scores import Importance
from attnnn.models.batches import EVALUATION_TOKENS
from attnnn.models.classifier import Classifier
from attnnn.models.inputs import Inputs


def gradient(
    classifier: Classifier,
    inputs: Inputs,
    *,
    through_attention: bool = False,
    max_tokens: int = EVALUATION_TOKENS,
) -> Importance:
    """Gradient × input e_t·∂p/∂e_t of every token, p being the probability of class 1.

    With more than two classes p is the probability of the predicted one.

    That is the derivative of p with respect to the one-hot coordinate of the observed word. Attention
    is held constant, so that the gradient reaches a token through the states alone (for the BiLSTM also
    through its neighbours' states).

    In a hierarchical model e_t is the vector of a sentence, which is what attention is to.

    Args:
        classifier: a trained classifier; works on the device and in the precision that it has.
        inputs: the documents. Words of questions are not explained.
        through_attention: let the gradient flow through the attention weights too
            (switch grad_through_attention).
        max_tokens: padded tokens of a batch, which bounds memory.

    Returns:
        One number for every token, or sentence.

    Source: Jain & Wallace 2019, Algorithm 1 (``XxE[X]`` in their code, before |·|).
    """
    found = np.zeros(len(inputs.items.values), dtype=_numpy_dtype(classifier))
    parts = inputs.parts(max_tokens)
    with _differentiable(classifier):
        for part in tqdm(parts, desc="gradient", unit="batch", disable=None, leave=False):
            batch = part.inputs.batch(classifier.device)
            embedded = classifier.embed(batch).detach().requires_grad_()
            output = classifier(batch, embedded=embedded, detach_attention=not through_attention)
            # Documents of a batch do not touch each other: the sum has each one's own gradient.
            # The only probability of two classes is its own maximum.
            explained = output.probabilities.amax(dim=1)
            (slope,) = torch.autograd.grad(explained.sum(), embedded)
            signed = (slope * embedded.detach()).sum(dim=-1).cpu().numpy()
            part.scatter(signed[part.cells], found)
    return Importance.of_signed(inputs.items.with_values(found))


def _numpy_dtype(classifier: Classifier) -> type[np.floating]:
    return np.float64 if classifier.embedding.weight.dtype == torch.float64 else np.float32


@contextmanager
def _differentiable(classifier: Classifier) -> Iterator[None]:
    """Gradients with respect to inputs alone, and in the mode that cuDNN's LSTM insists on for them."""
    training = classifier.training
    frozen = [parameter for parameter in classifier.parameters() if parameter.requires_grad]
    try:
        for parameter in frozen:
            parameter.requires_grad_(False)
        # No layer behaves differently in training mode: dropout is only in a step of training.
        classifier.train()
        yield
    finally:
        classifier.train(training)
        for parameter in frozen:
            parameter.requires_grad_(True)
