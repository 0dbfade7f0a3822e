"""What a finished run's decoder makes of any attention: no encoder and no torch needed.

A decoder first multiplies each state by a matrix (see `models.decoders`), so a token is known by its
*piece*, and Σ_t attention_t · piece_t is all that a prediction depends on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attnnn.measures import total_variation_distance
from attnnn.tables.ragged import Ragged


@dataclass(frozen=True)
class Decoder:
    """The decoder for two classes on some documents: logit = Σ_t attention_t · contribution_t + bias.

    Attributes:
        contribution: w·h_t of the n tokens of each document.
        bias: the decoder's bias.
    """

    contribution: Ragged
    bias: float

    def take(self, rows: NDArray[np.int64]) -> Decoder:
        """The same for the given documents."""
        return Decoder(self.contribution.take(rows), self.bias)

    def probabilities(self, attention: Ragged) -> NDArray[np.float64]:
        """Probability of class 1 under any attention, shape (documents,)."""
        products = attention.values.astype(np.float64) * self.contribution.values.astype(np.float64)
        return sigmoid(attention.with_values(products).sums() + self.bias)

    @property
    def pieces(self) -> Ragged:
        """The contributions as pieces of one number, shape (tokens, 1)."""
        return self.contribution.with_values(self.contribution.values[:, None])

    @property
    def outputs(self) -> int:
        """Classes."""
        return 2

    def decide(self, context: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities of both classes for sums of pieces.

        Args:
            context: shape (documents, variants, 1): any number of sums of each document.

        Returns:
            Shape (documents, variants, 2).
        """
        positive = sigmoid(context[..., 0] + self.bias)
        return np.stack([1.0 - positive, positive], axis=-1)

    def slope(self, attention: Ragged) -> NDArray[np.float64]:
        """Slope of the predicted class's probability in Σ attention·piece, shape (documents, 1)."""
        positive = self.probabilities(attention)
        sign = np.where(positive > 0.5, 1.0, -1.0)
        return np.asarray((sign * positive * (1.0 - positive))[:, None])

    def explained(self, attention: Ragged, own: Ragged) -> NDArray[np.float64]:
        """The probability that tables show, of class 1, shape (documents,)."""
        return self.probabilities(attention)

    def change(self, attention: Ragged, own: Ragged) -> NDArray[np.float64]:
        """|Δp| between any attention and the model's own, shape (documents,)."""
        return total_variation_distance(self.probabilities(attention), self.probabilities(own))


@dataclass(frozen=True)
class ClassDecoder:
    """The decoder for several classes on some documents.

    The softmax is of Σ attention·piece + bias, or in a corpus of pairs of
    W tanh(Σ attention·piece + offset) + bias, over those classes that may be the answer.

    Attributes:
        pieces: shape (tokens, piece): of the n tokens of each document.
        bias: shape (outputs,).
        offset: shape (documents, piece): what each question adds; None without questions.
        weight: shape (outputs, piece): W; None without questions.
        allowed: shape (documents, outputs): the classes that may be the answer; None: all.
    """

    pieces: Ragged
    bias: NDArray[np.float64]
    offset: NDArray[np.float64] | None = None
    weight: NDArray[np.float64] | None = None
    allowed: NDArray[np.bool_] | None = None

    def take(self, rows: NDArray[np.int64]) -> ClassDecoder:
        """The same for the given documents."""
        return replace(
            self,
            pieces=self.pieces.take(rows),
            offset=None if self.offset is None else self.offset[rows],
            allowed=None if self.allowed is None else self.allowed[rows],
        )

    def decide(self, context: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities for sums of pieces.

        Args:
            context: shape (documents, variants, piece): any number of sums of each document.

        Returns:
            Shape (documents, variants, outputs).
        """
        logits = context
        if self.weight is not None and self.offset is not None:
            logits = np.tanh(context + self.offset[:, None]) @ self.weight.T
        logits = logits + self.bias
        if self.allowed is not None:
            logits = np.where(self.allowed[:, None], logits, -np.inf)
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True))

    def probabilities(self, attention: Ragged) -> NDArray[np.float64]:
        """Probabilities under any attention, shape (documents, outputs)."""
        return self.decide(context_of(attention, self)[:, None])[:, 0]

    @property
    def outputs(self) -> int:
        """Classes."""
        return len(self.bias)

    def slope(self, attention: Ragged) -> NDArray[np.float64]:
        """Slope of the predicted class's probability in Σ attention·piece, shape (documents, piece)."""
        sums = context_of(attention, self)
        probabilities = self.decide(sums[:, None])[:, 0]
        predicted = probabilities.argmax(axis=1)
        rows = np.arange(len(predicted))
        slope = -probabilities * probabilities[rows, predicted][:, None]
        slope[rows, predicted] += probabilities[rows, predicted]
        if self.weight is not None and self.offset is not None:
            slope = slope @ self.weight * (1.0 - np.tanh(sums + self.offset) ** 2)
        return np.asarray(slope)

    def explained(self, attention: Ragged, own: Ragged) -> NDArray[np.float64]:
        """The probability that tables show: of the class predicted under `own`, shape (documents,)."""
        predicted = self.probabilities(own).argmax(axis=1)
        return np.asarray(self.probabilities(attention)[np.arange(len(predicted)), predicted])

    def change(self, attention: Ragged, own: Ragged) -> NDArray[np.float64]:
        """Total variation distance ½ Σ|Δp| between any attention and the model's own, (documents,)."""
        difference = self.probabilities(attention) - self.probabilities(own)
        return np.asarray(np.abs(difference).sum(axis=1) / 2)


def context_of(attention: Ragged, decoder: Decoder | ClassDecoder) -> NDArray[np.float64]:
    """Σ attention·piece of each document, shape (documents, piece)."""
    weights = attention.values.astype(np.float64)[:, None]
    return attention.with_values(weights * decoder.pieces.values.astype(np.float64)).sums()


def sigmoid(logit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of class 1 of a logit, without overflow."""
    smaller = np.exp(-np.abs(logit))
    return np.asarray(np.where(logit >= 0, 1.0, smaller) / (1.0 + smaller))
