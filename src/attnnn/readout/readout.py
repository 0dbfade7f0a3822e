"""What follows the states of a model, held fixed: attention in, probabilities out. No torch here.

A decoder first multiplies each state by a matrix, so a token is known by its *projected state*, and the
sum of projected states under an attention is all that a prediction depends on:

- two classes: logit = Σ_t α_t s_t + b, one number per token (K = 1 output);
- K classes of single texts: logits = Σ_t α_t s_t + b, K numbers per token;
- pairs: logits = W tanh(Σ_t α_t s_t + q) + b over the classes that may be the answer, q from the question.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attnnn.measures import total_variation_distance
from attnnn.tables.ragged import Ragged

Values = NDArray[np.float64]


@dataclass(frozen=True)
class TanhLayer:
    """The layer between the sum of projected states and the logits in a model of pairs.

    Attributes:
        offset: what the question adds to the sum, shape (documents, width).
        weight: W, shape (outputs, width).
    """

    offset: Values
    weight: Values


@dataclass(frozen=True)
class Readout:
    """What follows the states of some documents.

    Attributes:
        projected: projected states, shape (tokens, width).
        bias: shape (outputs,); two classes have one output, the log-odds of class 1.
        layer: between; None where logits are linear in the attention.
        allowed: shape (documents, outputs): the classes that may be the answer; None: all.
    """

    projected: Ragged
    bias: Values
    layer: TanhLayer | None = None
    allowed: NDArray[np.bool_] | None = None

    @property
    def outputs(self) -> int:
        """Logits of a document."""
        return len(self.bias)

    @property
    def classes(self) -> int:
        """Classes: two where there is one output."""
        return max(2, self.outputs)

    @property
    def linear(self) -> bool:
        """Whether logits are linear in the attention."""
        return self.layer is None

    @property
    def contribution(self) -> Ragged:
        """w·h_t of the n tokens, for two classes: logit = Σ_t α_t · contribution_t + bias."""
        assert self.outputs == 1
        return self.projected.with_values(self.projected.values[:, 0])

    def take(self, rows: NDArray[np.int64]) -> Readout:
        """The same for the given documents."""
        layer = self.layer
        return replace(
            self,
            projected=self.projected.take(rows),
            layer=None if layer is None else replace(layer, offset=layer.offset[rows]),
            allowed=None if self.allowed is None else self.allowed[rows],
        )

    def double(self) -> Readout:
        """The same with projected states in double precision."""
        values = self.projected.values.astype(np.float64)
        return replace(self, projected=self.projected.with_values(values))

    def context(self, attention: Ragged) -> Values:
        """Σ_t α_t s_t of each document, shape (documents, width)."""
        weights = attention.values.astype(np.float64)
        if self.projected.values.shape[1] == 1:
            products = weights * self.projected.values[:, 0].astype(np.float64)
            return attention.with_values(products).sums()[:, None]
        projected = self.projected.values.astype(np.float64)
        return attention.with_values(weights[:, None] * projected).sums()

    def logits(self, context: Values, rows: NDArray[np.int64] | slice = slice(None)) -> Values:
        """Logits of sums of projected states; −∞ for a class that may not be the answer.

        Args:
            context: shape (documents, *, width), or (sums, width) with the document of each in `rows`.
            rows: the document of each sum; all documents in order by default.
        """
        wide = (slice(None), *[None] * (context.ndim - 2))
        logits = context
        if self.layer is not None:
            inner = np.tanh(context + self.layer.offset[rows][wide])
            logits = inner @ self.layer.weight.T
        logits = logits + self.bias
        if self.allowed is not None:
            logits = np.where(self.allowed[rows][wide], logits, -np.inf)
        return np.asarray(logits)

    def decide(self, context: Values) -> Values:
        """Probabilities for sums of projected states.

        Args:
            context: shape (documents, *, width).

        Returns:
            Shape (documents, *, outputs): of every class; for two classes that of class 1.
        """
        return probabilities_of(self.logits(context))

    def probabilities(self, attention: Ragged) -> Values:
        """Probabilities under any attention, shape (documents, outputs)."""
        return self.decide(self.context(attention))

    def predicted(self, probabilities: Values) -> NDArray[np.int64]:
        """The predicted class of probabilities of shape (…, outputs): the likeliest, a tie of two is 0."""
        if self.outputs == 1:
            return np.asarray(probabilities[..., 0] > 0.5, dtype=np.int64)
        return np.asarray(probabilities.argmax(axis=-1))

    def slope(self, attention: Ragged) -> Values:
        """Slope of the predicted class's probability in Σ_t α_t s_t, shape (documents, width)."""
        context = self.context(attention)
        probabilities = self.decide(context)
        predicted = self.predicted(probabilities)
        if self.outputs == 1:
            sign = np.where(predicted == 1, 1.0, -1.0)[:, None]
            return np.asarray(sign * probabilities * (1.0 - probabilities))
        rows = np.arange(len(predicted))
        slope = -probabilities * probabilities[rows, predicted][:, None]
        slope[rows, predicted] += probabilities[rows, predicted]
        if self.layer is not None:
            slope = (slope @ self.layer.weight) * (1.0 - np.tanh(context + self.layer.offset) ** 2)
        return np.asarray(slope)

    def explained(self, attention: Ragged, own: Ragged) -> Values:
        """The probability that tables show, shape (documents,): of class 1, or of the class under `own`."""
        probabilities = self.probabilities(attention)
        if self.outputs == 1:
            return np.asarray(probabilities[:, 0])
        predicted = self.predicted(self.probabilities(own))
        return np.asarray(probabilities[np.arange(len(predicted)), predicted])

    def change(self, attention: Ragged, own: Ragged) -> Values:
        """Total variation distance between predictions under two attentions, shape (documents,).

        |Δp| for two classes, ½ Σ|Δp| for more.
        """
        one, other = self.probabilities(attention), self.probabilities(own)
        if self.outputs == 1:
            return total_variation_distance(one[:, 0], other[:, 0])
        return np.asarray(np.abs(one - other).sum(axis=1) / 2)


def probabilities_of(logits: Values) -> Values:
    """Softmax over the last axis; of a single logit its sigmoid."""
    if logits.shape[-1] == 1:
        from scipy.special import expit

        return np.asarray(expit(logits))
    from scipy.special import softmax

    return np.asarray(softmax(logits, axis=-1))
