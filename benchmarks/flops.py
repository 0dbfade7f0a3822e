"""Floating-point operations of the matrix products that a task cannot do without.

`lengths` counts the tokens of each document with start and end symbols. A multiply-add is two operations.
Elementwise work is not counted, nor is work that a plain implementation does twice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnnn.models.classifier import Classifier


def projection(classifier: Classifier, lengths: NDArray[np.int64]) -> float:
    """Input products of both LSTM directions: 4H × E for every token."""
    dimension, hidden = _sizes(classifier)
    return float(16 * dimension * hidden * lengths.sum())


def recurrence(classifier: Classifier, lengths: NDArray[np.int64]) -> float:
    """Recurrent products of both LSTM directions: 4H × H for every token."""
    _, hidden = _sizes(classifier)
    return float(16 * hidden**2 * lengths.sum())


def attention(classifier: Classifier, lengths: NDArray[np.int64]) -> float:
    """The hidden layer of additive attention: H × 2H for every token."""
    _, hidden = _sizes(classifier)
    return float(4 * hidden**2 * lengths.sum())


def encoder(classifier: Classifier, lengths: NDArray[np.int64]) -> float:
    """Forward and backward of the BiLSTM: two products backward for each one forward."""
    return 3 * (projection(classifier, lengths) + recurrence(classifier, lengths))


def training(classifier: Classifier, lengths: NDArray[np.int64]) -> float:
    """An epoch."""
    return encoder(classifier, lengths) + 3 * attention(classifier, lengths)


def gradient(classifier: Classifier, lengths: NDArray[np.int64]) -> float:
    """Forward, and backward to the inputs alone; attention is held constant."""
    encoding = projection(classifier, lengths) + recurrence(classifier, lengths)
    return 2 * encoding + attention(classifier, lengths)


def leave_one_out(classifier: Classifier, lengths: NDArray[np.int64]) -> float:
    """What is left when nothing is computed twice.

    Without token i, the forward direction changes behind i and the backward direction before it: n − 1
    recurrent steps of one direction and as many half products of the attention, for each of n tokens.
    """
    _, hidden = _sizes(classifier)
    n = lengths.astype(np.float64) - 2
    once = projection(classifier, lengths) + recurrence(classifier, lengths)
    again = (8 * hidden**2 + 2 * hidden**2) * float((n * (n - 1)).sum())
    return once + attention(classifier, lengths) + again


def _sizes(classifier: Classifier) -> tuple[int, int]:
    return classifier.embedding.embedding_dim, classifier.encoder.width // 2
