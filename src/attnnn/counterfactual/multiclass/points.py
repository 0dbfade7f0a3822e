"""Attention vectors of the form c·α̂ + w_a e_a + w_b e_b, and what K classes make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax, xlogy

from attnnn.counterfactual.exact import Vertices, gain
from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged

Values = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Points:
    """One point a row: own_weight · α̂ + weight_a on token a + weight_b on token b, weights summing to 1.

    Attributes:
        row: the document, shape (points,).
        own_weight: shape (points,).
        a: position of a token, −1 for none, whose weight is then 0.
        weight_a: shape (points,).
        b: like a.
        weight_b: shape (points,).
    """

    row: Indices
    own_weight: Values
    a: Indices
    weight_a: Values
    b: Indices
    weight_b: Values

    @classmethod
    def own(cls, documents: int) -> Points:
        """The model's own attention of every document."""
        none, zero = np.full(documents, -1), np.zeros(documents)
        return cls(np.arange(documents), np.ones(documents), none, zero, none, zero)

    @classmethod
    def of_vertices(cls, vertices: Vertices) -> Points:
        """One point for every document."""
        weight_b = np.where(vertices.token_b >= 0, 1 - vertices.weight_a, 0.0)
        row, zero = np.arange(len(vertices.jsd)), np.zeros(len(vertices.jsd))
        return cls(row, zero, vertices.token_a, vertices.weight_a, vertices.token_b, weight_b)

    @classmethod
    def concatenate(cls, parts: Sequence[Points]) -> Points:
        """All points of all parts."""
        names = vars(parts[0])
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def __len__(self) -> int:
        return len(self.row)

    def take(self, chosen: NDArray[np.generic]) -> Points:
        """The chosen points (indices or a boolean mask)."""
        return Points(*(values[chosen] for values in vars(self).values()))

    def mixed(self, share: Values) -> Points:
        """`share` of each point and 1 − `share` of the model's own attention."""
        return Points(
            self.row,
            1 - share + share * self.own_weight,
            self.a,
            share * self.weight_a,
            self.b,
            share * self.weight_b,
        )


@dataclass(frozen=True)
class MulticlassDocuments:
    """Attention of some documents, and what the readout of K classes makes of it.

    Attributes:
        attention: the model's own weights α̂, float64.
        readout: of the same documents, float64.
        context: the model's own sums of projected states, shape (documents, width).
        own: the model's own probabilities, shape (documents, classes).
    """

    attention: Ragged
    readout: Readout
    context: Values
    own: Values

    @classmethod
    def of(cls, attention: Ragged, readout: Readout) -> MulticlassDocuments:
        """Of the model's own attention and its readout."""
        weights, projected = (v.values.astype(np.float64) for v in (attention, readout.projected))
        context = attention.with_values(weights[:, None] * projected).sums()
        readout = readout.double()
        own = readout.decide(context[:, None])[:, 0]
        return cls(attention.with_values(weights), readout, context, own)

    def __len__(self) -> int:
        return len(self.attention)

    @property
    def linear(self) -> bool:
        """Whether logits are linear in the attention: no layer stands between."""
        return self.readout.layer is None

    @property
    def classes(self) -> int:
        """K."""
        return int(self.own.shape[1])

    @property
    def projected(self) -> Values:
        """Of every token, shape (tokens, width)."""
        return np.asarray(self.readout.projected.values, np.float64)

    def take(self, rows: Indices) -> MulticlassDocuments:
        """Some of them."""
        return MulticlassDocuments(
            self.attention.take(rows), self.readout.take(rows), self.context[rows], self.own[rows]
        )

    def written(self, points: Points) -> Ragged:
        """The weights of all tokens under one point per document, in order."""
        start = self.attention.offsets[:-1]
        own = np.asarray(self.attention.values, np.float64)
        weights = points.own_weight[self.attention.documents] * own
        for token, weight in ((points.a, points.weight_a), (points.b, points.weight_b)):
            some = token >= 0
            weights[start[some] + token[some]] += weight[some]
        return self.attention.with_values(weights)

    def ranges(self) -> tuple[Values, Values]:
        """The lowest and highest projected state of each document by dimension, (documents, width)."""
        start = self.attention.offsets[:-1]
        return np.minimum.reduceat(self.projected, start), np.maximum.reduceat(
            self.projected, start
        )

    def scores(self, directions: Values) -> Ragged:
        """Each token's projected state along directions of shape (documents, width)."""
        along = directions[self.attention.documents]
        return self.attention.with_values((self.projected * along).sum(axis=1))

    def distance(self, points: Points) -> Values:
        """TVD between the predictions under `points` and the model's own."""
        start = self.attention.offsets[:-1][points.row]
        context = points.own_weight[:, None] * self.context[points.row]
        for token, weight in ((points.a, points.weight_a), (points.b, points.weight_b)):
            context += weight[:, None] * self.projected[start + np.maximum(token, 0)]
        return self.distance_at(points.row, context)

    def distance_at(self, row: Indices, context: Values) -> Values:
        """TVD between the predictions for sums of projected states and the model's own.

        Args:
            row: the document of each sum, shape (sums,).
            context: shape (sums, width).
        """
        readout, inner = self.readout, context
        if readout.layer is not None:
            inner = np.tanh(context + readout.layer.offset[row])
        if readout.allowed is None:
            logits = inner if readout.layer is None else inner @ readout.layer.weight.T
            return _distance(logits + readout.bias, self.own[row])
        # Each document has candidates of its own, few of many classes.
        found = np.zeros(len(row))
        order = np.argsort(row, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(row[order])) + 1) if len(row) else ():
            document = row[part[0]]
            among = np.flatnonzero(readout.allowed[document])
            weight = None if readout.layer is None else readout.layer.weight[among]
            logits = inner[part][:, among] if weight is None else inner[part] @ weight.T
            found[part] = _distance(logits + readout.bias[among], self.own[document, among])
        return found

    def _logits(self, row: Indices, context: Values) -> tuple[Values, Values]:
        """Logits at sums of projected states, −∞ for no candidate, and the layer's derivative."""
        readout = self.readout
        logits, slope = context, np.ones_like(context)
        if readout.layer is not None:
            inner = np.tanh(context + readout.layer.offset[row])
            logits, slope = inner @ readout.layer.weight.T, 1 - inner**2
        logits = logits + readout.bias
        if readout.allowed is not None:
            logits = np.where(readout.allowed[row], logits, -np.inf)
        return logits, slope

    def moves_at(self, row: Indices, context: Values, projected: Values) -> Values:
        """The derivative of probabilities when weight comes upon a token, at sums of projected states.

        Args:
            row: the document of each sum, shape (sums,).
            context: shape (sums, width).
            projected: of its tokens, shape (sums, tokens, width).

        Returns:
            Shape (sums, classes, tokens).
        """
        logits, slope = self._logits(row, context)
        probability = softmax(logits, axis=-1)
        if self.readout.layer is None:
            of_logits = projected.transpose(0, 2, 1)
        else:
            of_logits = self.readout.layer.weight @ (projected * slope[:, None]).transpose(0, 2, 1)
        mean = (probability[..., None] * of_logits).sum(axis=1, keepdims=True)
        return np.asarray(probability[..., None] * (of_logits - mean))

    def divergence(self, points: Points) -> Values:
        """JSD between `points` and the model's own attention, in nats.

        With f(c) = c ln c − (1 + c) ln(1 + c) all tokens of weight c·α̂ together add ½ f(c) times their
        α̂ to ln 2; a and b add theirs one by one.
        """
        start = self.attention.offsets[:-1][points.row]
        q, share = np.asarray(self.attention.values, np.float64), points.own_weight
        rest, total = np.ones(len(points)), np.full(len(points), np.log(2))
        for token, weight in ((points.a, points.weight_a), (points.b, points.weight_b)):
            own = np.where(token >= 0, q[start + np.maximum(token, 0)], 0.0)
            rest -= own
            total += gain(share * own + weight, own)
        spread = 0.5 * (xlogy(share, share) - xlogy(1 + share, 1 + share))
        return np.asarray(np.maximum(total + np.maximum(rest, 0.0) * spread, 0.0))


def _distance(logits: Values, own: Values) -> Values:
    return np.asarray(0.5 * np.abs(softmax(logits, axis=-1) - own).sum(axis=-1))


def spread(weight: Values, q: Values) -> Values:
    """½ [w ln w − (w + q) ln(w + q)]: what a token adds to the JSD, but for a term in q alone."""
    total, weight = np.maximum(weight + q, 1e-300), np.maximum(weight, 1e-300)
    return np.asarray(0.5 * (weight * np.log(weight) - total * np.log(total)))
