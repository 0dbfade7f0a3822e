"""The ε-max JSD of K classes: feasible attention, and a bound that none exceeds; exact where both meet.

The readout gives K logits and softmax makes them probabilities. TVD ≤ ε is then no interval, and the feasible
set not convex.

- **bound**: no feasible attention has a larger JSD. Each of several slabs or half-spaces (see `slabs`
  and `halfspaces`) holds the whole feasible set; the largest JSD within one is known exactly, and the
  least of these is the bound.
- **feasible**: the best attention found with TVD ≤ ε: what `ascent` climbs to from the model's own,
  from another feasible start such as the searched adversary's, and from the best single token, point on an
  edge between two tokens, or mixture of the model's own with a token.
- **exact**: the feasible attention is a maximum. So it is wherever the point that attains the bound is itself
  feasible, or the two values meet; for two classes and logits that are linear in the attention, always.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from attnnn.counterfactual.exact import Vertices, farthest_within, portions
from attnnn.counterfactual.multiclass.ascent import climb
from attnnn.counterfactual.multiclass.edges import improve_by_edges, improve_by_mixtures
from attnnn.counterfactual.multiclass.halfspaces import half_spaces
from attnnn.counterfactual.multiclass.points import MulticlassDocuments, Points
from attnnn.measures import jensen_shannon_divergence
from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged

Values = NDArray[np.float64]

# A gap between feasible value and bound that is rounding: attention is stored in single precision.
_MEET = 1e-7

# Slabs that bound are widened by this much, and distances that are to be feasible drawn in.
_ROUNDING = 1e-12

# Numbers (tokens × width) of the documents that are worked on together, which bounds memory.
_PORTION = 1 << 20


@dataclass(frozen=True)
class MulticlassAdversary:
    """One answer per document.

    Attributes:
        attention: the feasible attention, float64.
        jsd: shape (documents,): its divergence from the model's own, nats.
        bound: shape (documents,): what no feasible attention exceeds, nats.
        exact: shape (documents,): whether no feasible attention exceeds `jsd`; `bound` is then equal to it.
        change: shape (documents,): its TVD ½ Σ_c |p_c − p̂_c|, at most ε.
    """

    attention: Ragged
    jsd: Values
    bound: Values
    exact: NDArray[np.bool_]
    change: Values


def multiclass_adversary(
    attention: Ragged, readout: Readout, epsilon: float, start: Ragged | None = None
) -> MulticlassAdversary:
    """The ε-max JSD of every document with K classes, between feasible attention and a bound.

    Time is at most quadratic in the length of a document and in the number of classes that have slabs;
    memory is linear in the length.

    Args:
        attention: the model's own weights α̂ of the n tokens, one or more.
        readout: of the same documents; its logits may be linear in the attention or not.
        epsilon: largest allowed TVD, above 0.
        start: other attention of the same documents to climb from, where it is feasible.

    Raises:
        ValueError: fewer than two classes, or ε not above 0.

    Source: the maximum that Jain & Wallace 2019, equation 2, searches for, with TVD as in section 3.2.1.
    """
    if len(readout.bias) < 2:
        raise ValueError("expected two classes or more; one logit has `exact_adversary`")
    if epsilon <= 0:
        raise ValueError(f"expected an ε above 0, got {epsilon}")
    weights = np.array(attention.values, np.float64)
    place = attention.with_values(np.arange(len(weights)))
    bound, attained = np.zeros(len(attention)), np.zeros(len(attention), np.bool_)
    size = max(1, _PORTION // max(1, readout.projected.values.shape[1]))
    for rows in portions(attention.lengths, size):
        documents = MulticlassDocuments.of(attention.take(rows), readout.take(rows))
        begin = None if start is None else start.take(rows)
        found, bound[rows], attained[rows] = _solve(documents, epsilon, begin)
        weights[np.asarray(place.take(rows).values)] = found.values
    found = _better(attention, readout, attention.with_values(weights), start, epsilon)
    jsd = jensen_shannon_divergence(found, attention)
    exact = attained | (bound - jsd <= _MEET)
    return MulticlassAdversary(
        found, jsd, np.where(exact, jsd, bound), exact, readout.change(found, attention)
    )


def _solve(
    documents: MulticlassDocuments, epsilon: float, start: Ragged | None
) -> tuple[Ragged, Values, NDArray[np.bool_]]:
    """Feasible attention, the bound, and whether the attention attains it."""
    bound, value = _bound(documents, epsilon)
    attained = documents.distance(bound) <= epsilon
    written = documents.written(bound)
    rest = np.flatnonzero(~attained)
    if len(rest):
        begin = None if start is None else start.take(rest)
        found = _search(documents.take(rest), epsilon - _ROUNDING, begin)
        chosen = np.repeat(~attained, documents.attention.lengths)
        weights = np.array(written.values)
        weights[chosen] = found.values
        written = written.with_values(weights)
    return written, value, attained


def _search(documents: MulticlassDocuments, epsilon: float, start: Ragged | None) -> Ragged:
    """The farthest of what is climbed to from every start."""
    own = documents.attention
    best = improve_by_mixtures(documents, Points.own(len(documents)), epsilon)
    best = improve_by_edges(documents, best, epsilon)
    starts = [documents.written(best), own]
    if start is not None:
        starts.append(_usable(documents, epsilon, start))
    return reduce(partial(_farther, own), [climb(documents, x, epsilon) for x in starts])


def _usable(documents: MulticlassDocuments, epsilon: float, start: Ragged) -> Ragged:
    """The start, its weights made to sum to 1, or the model's own attention where that is not feasible."""
    own, given = documents.attention, np.asarray(start.values, np.float64)
    given = given / start.with_values(given).sums()[start.documents]
    feasible = documents.readout.change(start.with_values(given), own) <= epsilon
    return start.with_values(np.where(feasible[start.documents], given, own.values))


def _farther(own: Ragged, one: Ragged, other: Ragged) -> Ragged:
    farther = jensen_shannon_divergence(one, own) >= jensen_shannon_divergence(other, own)
    return one.with_values(np.where(farther[own.documents], one.values, other.values))


def _better(
    own: Ragged, readout: Readout, found: Ragged, start: Ragged | None, epsilon: float
) -> Ragged:
    """What was found, or the start as given where that is feasible and farther, if only by rounding."""
    if start is None:
        return found
    feasible = readout.change(start, own) <= epsilon
    given = start.with_values(
        np.where(feasible[own.documents], np.asarray(start.values, np.float64), found.values)
    )
    return _farther(own, found, given)


def _bound(documents: MulticlassDocuments, epsilon: float) -> tuple[Points, Values]:
    """The vertex of least JSD among the farthest ones of every half-space, and the bound itself."""
    # With two classes and a linear readout the slab is the feasible set, so its vertex is to be feasible.
    whole = documents.linear and documents.classes == 2
    directions, bounds = half_spaces(
        documents, epsilon - _ROUNDING if whole else epsilon + _ROUNDING
    )
    least = Vertices.none(len(documents))
    least.jsd[:] = np.inf
    for space in range(directions.shape[1]):
        found = farthest_within(
            documents.attention, documents.scores(directions[:, space]), bounds[:, space]
        )
        closer = np.flatnonzero(found.jsd < least.jsd)
        least.put(closer, found.take(closer))
    return Points.of_vertices(least), least.jsd
