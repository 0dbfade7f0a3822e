"""Climbing to attention of larger JSD from feasible attention, many documents at a time.

First a pivot is tried (see `pivots`), and where none is feasible a step.

A step takes weight away, from all tokens in proportion or from one that has much, and gives it to one
token or to two. Two are given their shares so that at first order TVD does not change: one would raise it,
the other lowers it. JSD is convex, so a step that gains gains more the further it goes, and one may have to
go far to gain at all. The steps of largest gain are tested against ε, some of every size, and the best
feasible one is made, as far as it is feasible. A document is done when no pivot and no step tested is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.counterfactual.exact import portions
from attnnn.counterfactual.multiclass.pivots import pivot
from attnnn.counterfactual.multiclass.points import Documents, spread
from attnnn.counterfactual.multiclass.search import likely_tokens
from attnnn.tables.ragged import Ragged, unpadded

Values = NDArray[np.float64]
Indices = NDArray[np.int64]

# Steps of a document, at most; few documents make more than a dozen.
_ROUNDS = 80

# Sizes of a step, shares of what its giver has.
_SIZES = np.array([1.0, 0.7, 0.45, 0.25, 0.12, 0.05, 0.02])

# Single tokens, those of most weight, that give.
_GIVERS = 3

# Tokens of a document that may be given weight (see `likely_tokens`).
_MOST_TAKERS = 48

# Steps of each size and giver that are tested.
_TESTED = 5

# Halvings that find how far a step may go.
_HALVINGS = 12

# A step that gains less, in nats, is not worth its time.
_LEAST_GAIN = 1e-5

# Numbers (documents × steps) that are compared at a time, which bounds memory.
_AT_ONCE = 1 << 20


def climb(documents: Documents, start: Ragged, epsilon: float) -> Ragged:
    """Feasible attention of no less JSD than `start`, which is feasible.

    Args:
        documents: whose predictions may change by ε.
        start: weights of every document, summing to 1.
        epsilon: largest allowed TVD.
    """
    attention = documents.attention
    tried = attention.with_values(likely_tokens(documents, _MOST_TAKERS))
    place = attention.with_values(np.arange(len(attention.values)))
    found = np.array(start.values, np.float64)
    for rows in portions(attention.lengths):
        takers = min(int(attention.lengths[rows].max()), _MOST_TAKERS)
        steps = len(_SIZES) * (_GIVERS + 1) * takers * (takers + 1) // 2
        for part in np.array_split(rows, -(-len(rows) * steps // _AT_ONCE)):
            if len(part):
                climbers = _Climbers.of(documents, part, start, tried, epsilon)
                climbers.climb()
                here = unpadded(climbers.x, attention.lengths[part])
                found[np.asarray(place.take(part).values)] = here.values
    return start.with_values(found)


@dataclass
class _Climbers:
    """Documents of alike length side by side.

    Attributes:
        documents: those whose numbers are in `rows`.
        rows: shape (documents,).
        q: the model's own weights α̂, 0 at padding, shape (documents, longest).
        x: where each document is, same shape.
        projected: shape (documents, longest, projected state).
        takers: positions that may be given weight, −1 for none, shape (documents, takers).
        epsilon: largest allowed TVD.
    """

    documents: Documents
    rows: Indices
    q: Values
    x: Values
    projected: Values
    takers: Indices
    epsilon: float

    @classmethod
    def of(
        cls, documents: Documents, rows: Indices, start: Ragged, tried: Ragged, epsilon: float
    ) -> _Climbers:
        chosen = np.asarray(tried.take(rows).padded(0), np.bool_)
        takers = np.argsort(~chosen, axis=1, kind="stable")[:, : chosen.sum(axis=1).max()]
        takers = np.where(np.take_along_axis(chosen, takers, axis=1), takers, -1)
        padded = (
            np.asarray(ragged.take(rows).padded(0.0), np.float64)
            for ragged in (documents.attention, start, documents.readout.projected)
        )
        q, x, projected = padded
        return cls(documents, rows, q, x, projected, takers, epsilon)

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
    """The steps that some climbers can make, of shape (documents, givers, sizes, receivers).

    Receivers are the takers one by one, and then every two of them. Giver 0 is all tokens in proportion.

    Attributes:
        climbers: all of them.
        active: those that may move, shape (documents,).
        context: the sum of projected where each is, shape (documents, width).
        givers: positions of the single givers, shape (documents, givers − 1).
        gives: what a giver's weight adds to the sum of projected, shape (documents, givers, projected state).
        one, other: positions that are given weight, shape (documents, receivers).
        share: of what is given, the part of `one`, shape (documents, givers, receivers); NaN for no step.
        amount: of weight that is given, shape (documents, givers, sizes).
    """

    climbers: _Climbers
    active: Indices
    context: Values
    givers: Indices
    gives: Values
    one: Indices
    other: Indices
    share: Values
    amount: Values

    @classmethod
    def from_here(cls, climbers: _Climbers, active: Indices) -> _Steps:
        x, projected, takers = (
            climbers.x[active],
            climbers.projected[active],
            climbers.takers[active],
        )
        rows = climbers.rows[active]
        context = np.einsum("dt,dtp->dp", x, projected)
        givers = np.argsort(-x, axis=1, kind="stable")[:, :_GIVERS]
        place = np.arange(len(active))[:, None]
        gives = np.concatenate([context[:, None], projected[place, givers]], axis=1)
        slope = climbers.documents.slope_at(rows, context)
        rate = np.einsum("dtp,dp->dt", projected[place, takers], slope)
        of_giver = np.einsum("dgp,dp->dg", gives, slope)
        first, second = np.triu_indices(takers.shape[1], 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (of_giver[..., None] - rate[:, None, second]) / (
                rate[:, None, first] - rate[:, None, second]
            )
            share = np.where((share > 0) & (share < 1), share, np.nan)
        alone = np.ones((*of_giver.shape, takers.shape[1]))
        share = np.concatenate([alone, share], axis=2)
        one = np.concatenate([takers, takers[:, first]], axis=1)
        other = np.concatenate([takers, takers[:, second]], axis=1)
        share = np.where((one >= 0)[:, None] & (other >= 0)[:, None], share, np.nan)
        weight = np.concatenate([np.ones((len(active), 1)), x[place, givers]], axis=1)
        amount = weight[..., None] * _SIZES
        return cls(climbers, active, context, givers, gives, one, other, share, amount)

    def gains(self) -> Values:
        """What each step adds to the JSD; −∞ for no step."""
        x, q = self.climbers.x[self.active], self.climbers.q[self.active]
        kept = np.repeat(x[:, None, None], self.amount.shape[1], axis=1)
        kept = np.repeat(kept, len(_SIZES), axis=2)
        kept[:, 0] *= (1 - _SIZES)[:, None]
        place = np.arange(len(x))
        for number, giver in enumerate(self.givers.T):
            kept[place, number + 1, :, giver] -= self.amount[:, number + 1]
        kept = np.maximum(kept, 0.0)
        before = spread(x, q).sum(axis=1)
        left = spread(kept, q[:, None, None])
        total = left.sum(axis=-1) - before[:, None, None]
        gain = np.repeat(total[..., None], self.one.shape[1], axis=-1)
        pairs = self.climbers.takers.shape[1]
        for positions, share in ((self.one, self.share), (self.other, 1 - self.share)):
            given = self.amount[..., None] * share[:, :, None]
            at = np.broadcast_to(positions[:, None, None], gain.shape)
            # One taker alone is written twice, as one and as the other.
            part = slice(0 if positions is self.one else pairs, None)
            weight = np.take_along_axis(kept, at[..., part], axis=-1)
            own = np.take_along_axis(q, positions[:, part], axis=1)[:, None, None]
            gain[..., part] += spread(weight + given[..., part], own)
            gain[..., part] -= np.take_along_axis(left, at[..., part], axis=-1)
        return np.where(np.isnan(gain), -np.inf, gain)

    def make(self) -> NDArray[np.bool_]:
        """Move each document by the best feasible step tested; False for those that have none."""
        gains = self.gains()
        number = min(_TESTED, gains.shape[-1])
        best = np.argpartition(-gains, number - 1, axis=-1)[..., :number]
        gain = np.take_along_axis(gains, best, axis=-1).reshape(len(self.active), -1)
        giver, size, receiver = (
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
        chosen = (giver[tested], receiver[tested])
        feasible = np.zeros(gain.shape, np.bool_)
        feasible[tested] = self._feasible(document, *chosen, amount[tested])
        value = np.where(feasible, gain, -np.inf)
        step = value.argmax(axis=1)
        moved: NDArray[np.bool_] = np.isfinite(value[np.arange(len(step)), step])
        document, step = np.flatnonzero(moved), step[moved]
        pick = (document, step)
        larger = self.amount[document, giver[pick], np.maximum(size[pick] - 1, 0)]
        self._move(document, giver[pick], receiver[pick], amount[pick], larger)
        return moved

    def _feasible(
        self, document: Indices, giver: Indices, receiver: Indices, amount: Values
    ) -> NDArray[np.bool_]:
        """Whether steps of one entry each keep TVD within ε."""
        projected, active = self.climbers.projected, self.active[document]
        share = self.share[document, giver, receiver][:, None]
        given = share * projected[active, self.one[document, receiver]]
        given += (1 - share) * projected[active, self.other[document, receiver]]
        context = amount[:, None] * (given - self.gives[document, giver]) + self.context[document]
        distance = self.climbers.documents.distance_at(self.climbers.rows[active], context)
        within: NDArray[np.bool_] = distance <= self.climbers.epsilon
        return within

    def _move(
        self, document: Indices, giver: Indices, receiver: Indices, amount: Values, larger: Values
    ) -> None:
        """Make one step per document, of at least `amount` and at most `larger`, as far as is feasible."""
        for _ in range(_HALVINGS):
            middle = (amount + larger) / 2
            within = self._feasible(document, giver, receiver, middle)
            amount, larger = np.where(within, middle, amount), np.where(within, larger, middle)
        rows, x = self.active[document], self.climbers.x
        everyone = giver == 0
        x[rows[everyone]] *= 1 - amount[everyone, None]
        single = ~everyone
        x[rows[single], self.givers[document[single], giver[single] - 1]] -= amount[single]
        share = self.share[document, giver, receiver]
        x[rows, self.one[document, receiver]] += amount * share
        x[rows, self.other[document, receiver]] += amount * (1 - share)
        x[rows] = np.maximum(x[rows], 0.0)
