"""Climbing to attention of larger JSD from feasible attention, many documents at a time.

First a pivot is tried (see `pivots`), and where none is feasible a step.

A step takes weight away, from all tokens in proportion or from one that has much, and gives it to one token.
JSD is convex, so a step that gains gains more the further it goes, and one may have to go far to gain at all.
The steps of largest gain are tested against ε, some of every size, and the best feasible one is made, as far
as it is feasible. A document is done when no pivot and no step tested is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.counterfactual.exact import portions
from attnnn.counterfactual.multiclass.pivots import pivot
from attnnn.counterfactual.multiclass.points import MulticlassDocuments, spread
from attnnn.tables.ragged import Ragged, unpadded

Values = NDArray[np.float64]
Indices = NDArray[np.int64]

# Steps of a document, at most; few documents make more than a dozen.
_ROUNDS = 80

# Sizes of a step, shares of what its giver has.
_SIZES = np.array([1.0, 0.7, 0.45, 0.25, 0.12, 0.05, 0.02])

# Single tokens, those of most weight, that give.
_GIVERS = 3

# Steps of each size and giver that are tested.
_TESTED = 5

# Halvings that find how far a step may go.
_HALVINGS = 12

# A step that gains less, in nats, is not worth its time.
_LEAST_GAIN = 1e-5

# Numbers (documents × steps) that are compared at a time, which bounds memory.
_AT_ONCE = 1 << 20


def climb(documents: MulticlassDocuments, start: Ragged, epsilon: float) -> Ragged:
    """Feasible attention of no less JSD than `start`, which is feasible.

    Args:
        documents: whose predictions may change by ε.
        start: weights of every document, summing to 1.
        epsilon: largest allowed TVD.
    """
    attention = documents.attention
    place = attention.with_values(np.arange(len(attention.values)))
    found = np.array(start.values, np.float64)
    for rows in portions(attention.lengths):
        steps = len(_SIZES) * (_GIVERS + 1) * int(attention.lengths[rows].max())
        for part in np.array_split(rows, -(-len(rows) * steps // _AT_ONCE)):
            if len(part):
                climbers = _Climbers.of(documents, part, start, epsilon)
                climbers.climb()
                here = unpadded(climbers.x, attention.lengths[part])
                found[np.asarray(place.take(part).values)] = here.values
    return start.with_values(found)


@dataclass
class _Climbers:
    """MulticlassDocuments of alike length side by side.

    Attributes:
        documents: those whose numbers are in `rows`.
        rows: shape (documents,).
        q: the model's own weights α̂, 0 at padding, shape (documents, longest).
        x: where each document is, same shape.
        projected: shape (documents, longest, projected state).
        epsilon: largest allowed TVD.
    """

    documents: MulticlassDocuments
    rows: Indices
    q: Values
    x: Values
    projected: Values
    epsilon: float

    @classmethod
    def of(
        cls, documents: MulticlassDocuments, rows: Indices, start: Ragged, epsilon: float
    ) -> _Climbers:
        padded = (
            np.asarray(ragged.take(rows).padded(0.0), np.float64)
            for ragged in (documents.attention, start, documents.readout.projected)
        )
        q, x, projected = padded
        return cls(documents, rows, q, x, projected, epsilon)

    def climb(self) -> None:
        """Make steps until no document has a feasible one."""
        active = np.arange(len(self.rows))
        for _ in range(_ROUNDS):
            if not len(active):
                return
            x, pivoted = pivot(
                self.documents,
                self.rows[active],
                x=self.x[active],
                q=self.q[active],
                projected=self.projected[active],
                epsilon=self.epsilon,
            )
            self.x[active] = x
            rest = np.flatnonzero(~pivoted)
            if len(rest):
                pivoted[rest] = _Steps.from_here(self, active[rest]).make()
            active = active[pivoted]


@dataclass
class _Steps:
    """The steps that some climbers can make, of shape (documents, givers, sizes, tokens).

    Giver 0 is all tokens in proportion.

    Attributes:
        climbers: all of them.
        active: those that may move, shape (documents,).
        context: the sum of projected where each is, shape (documents, projected state).
        givers: positions of the single givers, shape (documents, givers − 1).
        gives: what a giver's weight adds to the sum of projected, shape (documents, givers, projected state).
        amount: of weight that is given, shape (documents, givers, sizes).
    """

    climbers: _Climbers
    active: Indices
    context: Values
    givers: Indices
    gives: Values
    amount: Values

    @classmethod
    def from_here(cls, climbers: _Climbers, active: Indices) -> _Steps:
        x, projected = climbers.x[active], climbers.projected[active]
        context = np.einsum("dt,dtp->dp", x, projected)
        givers = np.argsort(-x, axis=1, kind="stable")[:, :_GIVERS]
        place = np.arange(len(active))[:, None]
        gives = np.concatenate([context[:, None], projected[place, givers]], axis=1)
        weight = np.concatenate([np.ones((len(active), 1)), x[place, givers]], axis=1)
        return cls(climbers, active, context, givers, gives, weight[..., None] * _SIZES)

    def gains(self) -> Values:
        """What each step adds to the JSD; −∞ for no step."""
        x, q = self.climbers.x[self.active], self.climbers.q[self.active]
        kept = np.repeat(x[:, None, None], self.amount.shape[1], axis=1)
        kept = np.repeat(kept, len(_SIZES), axis=2)
        kept[:, 0] *= (1 - _SIZES)[:, None]
        place = np.arange(len(x))
        for number, giver in enumerate(self.givers.T):
            kept[place, number + 1, :, giver] -= self.amount[:, number + 1]
        kept, own = np.maximum(kept, 0.0), q[:, None, None]
        left = spread(kept, own)
        total = left.sum(axis=-1, keepdims=True) - spread(x, q).sum(axis=1)[:, None, None, None]
        gain = total + spread(kept + self.amount[..., None], own) - left
        lengths = self.climbers.documents.attention.lengths[self.climbers.rows[self.active]]
        real = np.arange(x.shape[1]) < lengths[:, None]
        return np.where(real[:, None, None], gain, -np.inf)

    def make(self) -> NDArray[np.bool_]:
        """Move each document by the best feasible step tested; False for those that have none."""
        gains = self.gains()
        number = min(_TESTED, gains.shape[-1])
        best = np.argpartition(-gains, number - 1, axis=-1)[..., :number]
        gain = np.take_along_axis(gains, best, axis=-1).reshape(len(self.active), -1)
        giver, size, taker = (
            np.broadcast_to(index, best.shape).reshape(len(self.active), -1)
            for index in (
                np.arange(gains.shape[1])[:, None, None],
                np.arange(len(_SIZES))[:, None],
                best,
            )
        )
        amount = self.amount[np.arange(len(self.active))[:, None], giver, size]
        tested = gain > _LEAST_GAIN
        document, step = np.nonzero(tested)
        chosen = (giver[tested], taker[tested])
        feasible = np.zeros(gain.shape, np.bool_)
        feasible[tested] = self._feasible(document, *chosen, amount[tested])
        value = np.where(feasible, gain, -np.inf)
        step = value.argmax(axis=1)
        moved: NDArray[np.bool_] = np.isfinite(value[np.arange(len(step)), step])
        document, step = np.flatnonzero(moved), step[moved]
        pick = (document, step)
        larger = self.amount[document, giver[pick], np.maximum(size[pick] - 1, 0)]
        self._move(document, giver[pick], taker[pick], amount[pick], larger)
        return moved

    def _feasible(
        self, document: Indices, giver: Indices, taker: Indices, amount: Values
    ) -> NDArray[np.bool_]:
        """Whether steps of one entry each keep TVD within ε."""
        active = self.active[document]
        given = self.climbers.projected[active, taker] - self.gives[document, giver]
        context = amount[:, None] * given + self.context[document]
        distance = self.climbers.documents.distance_at(self.climbers.rows[active], context)
        within: NDArray[np.bool_] = distance <= self.climbers.epsilon
        return within

    def _move(
        self, document: Indices, giver: Indices, taker: Indices, amount: Values, larger: Values
    ) -> None:
        """Make one step per document, of at least `amount` and at most `larger`, as far as is feasible."""
        for _ in range(_HALVINGS):
            middle = (amount + larger) / 2
            within = self._feasible(document, giver, taker, middle)
            amount, larger = np.where(within, middle, amount), np.where(within, larger, middle)
        rows, x = self.active[document], self.climbers.x
        everyone = giver == 0
        x[rows[everyone]] *= 1 - amount[everyone, None]
        single = ~everyone
        x[rows[single], self.givers[document[single], giver[single] - 1]] -= amount[single]
        x[rows, taker] += amount
        x[rows] = np.maximum(x[rows], 0.0)
