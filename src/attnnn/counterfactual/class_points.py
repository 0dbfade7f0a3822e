"""Attention vectors of the form c·α̂ + w_a e_a + w_b e_b, and what K classes make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from attnnn.counterfactual.class_slabs import softmax
from attnnn.counterfactual.exact import Vertices, gain
from attnnn.ragged import Ragged

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

    @classmethod
    def where(cls, condition: NDArray[np.bool_], yes: Points, no: Points) -> Points:
        """Point by point one or the other."""
        return cls(
            *(np.where(condition, getattr(yes, name), getattr(no, name)) for name in vars(yes))
        )

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
class Documents:
    """Attention and logits of some documents.

    Attributes:
        attention: the model's own weights α̂, float64.
        logits: of each token if it had all weight, values of shape (tokens, classes).
        own: the model's own logits, shape (documents, classes).
    """

    attention: Ragged
    logits: Ragged
    own: Values

    @classmethod
    def of(cls, attention: Ragged, contribution: Ragged, bias: Values) -> Documents:
        """From contributions of shape (tokens, classes) and bias of shape (classes,)."""
        weights, pieces = (v.values.astype(np.float64) for v in (attention, contribution))
        own = contribution.with_values(weights[:, None] * pieces).sums() + bias
        return cls(attention.with_values(weights), contribution.with_values(pieces + bias), own)

    def __len__(self) -> int:
        return len(self.attention)

    @property
    def classes(self) -> int:
        """K."""
        return int(self.own.shape[1])

    def scores(self, weights: Values) -> Ragged:
        """Weighted sums of each token's logits; `weights` of shape (documents, classes)."""
        logits = np.asarray(self.logits.values, np.float64)
        return self.logits.with_values((logits * weights[self.logits.documents]).sum(axis=1))

    def distance(self, points: Points) -> Values:
        """TVD between the predictions under `points` and the model's own."""
        start = self.logits.offsets[:-1][points.row]
        tokens = np.asarray(self.logits.values, np.float64)
        logits = points.own_weight[:, None] * self.own[points.row]
        for token, weight in ((points.a, points.weight_a), (points.b, points.weight_b)):
            logits += weight[:, None] * tokens[start + np.maximum(token, 0)]
        own = softmax(self.own)[points.row]
        return np.asarray(0.5 * np.abs(softmax(logits) - own).sum(axis=1))

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
