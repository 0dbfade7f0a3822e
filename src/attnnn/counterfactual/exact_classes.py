"""The ε-max JSD of any number of classes: exact for two, between a feasible value and a bound for more.

The decoder gives K logits, each linear in the attention given the states, and softmax makes them
probabilities. TVD ≤ ε is then no longer an interval, and the feasible set not convex.

- **exact**: K = 2, where the difference of the logits takes the part of the one logit (see `exact`); and
  wherever the point that attains the bound is itself feasible, or both values meet.
- **bound**: no feasible attention has a larger JSD. Each of several slabs (see `class_slabs`) holds the
  whole feasible set; the largest JSD within one slab is known exactly, and the least of these is the bound.
- **feasible**: the best attention found that satisfies TVD ≤ ε, among single tokens, points on the edge
  between two tokens, and mixtures of a token, or of the point that attains a bound, with the model's own.

A decoder that is not linear in the attention has none of the three.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.counterfactual.class_points import Documents, Points
from attnnn.counterfactual.class_search import improve_by_edges, improve_by_mixtures
from attnnn.counterfactual.class_slabs import class_slabs, softmax
from attnnn.counterfactual.exact import Vertices, farthest_within
from attnnn.ragged import Ragged

# A gap between feasible value and bound that is rounding.
_MEET = 1e-9

# Slabs that bound are widened by this much, and distances that are to be feasible drawn in.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class ClassesAdversary:
    """Answers, one or two a document; columns of one length.

    The attention of an answer is weight_own · α̂ + weight_a on token a + weight_b on token b.

    Attributes:
        document: number of the document among those given.
        epsilon: the largest allowed TVD.
        kind: ``exact``; or ``feasible`` and ``bound``, in this order.
        jsd: nats. Of a ``bound``, the value that no feasible attention exceeds.
        token_a: position of the first token; −1 where there is none.
        weight_a: its weight, 0 where there is none.
        token_b: position of the second token; −1 where there is none.
        weight_b: its weight, 0 where there is none.
        weight_own: weight of the model's own attention; 0 unless ``feasible`` is a mixture.
        slack: ε − TVD; at least 0 unless the kind is ``bound``.
    """

    document: NDArray[np.int64]
    epsilon: NDArray[np.float64]
    kind: NDArray[np.str_]
    jsd: NDArray[np.float64]
    token_a: NDArray[np.int64]
    weight_a: NDArray[np.float64]
    token_b: NDArray[np.int64]
    weight_b: NDArray[np.float64]
    weight_own: NDArray[np.float64]
    slack: NDArray[np.float64]

    def columns(self) -> dict[str, Any]:
        """By name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def classes_adversary(
    attention: Ragged, contribution: Ragged, bias: NDArray[np.float64], epsilon: float
) -> ClassesAdversary:
    """The ε-max JSD of every document with K classes, exact or as a feasible value and a bound.

    Documents without tokens are left out. Time is at most quadratic in the length of a document and in K;
    memory is linear in the length.

    Args:
        attention: the model's own weights α̂ of the n tokens.
        contribution: what each token adds to the K logits, values of shape (tokens, K).
        bias: the decoder's, shape (K,).
        epsilon: largest allowed TVD, ½ Σ_c |p_c − p̂_c|, above 0.

    Raises:
        ValueError: fewer than two classes, shapes that do not agree, or ε not above 0.

    Source: the maximum that Jain & Wallace 2019, equation 2, searches for, with TVD as in section 3.2.1.
    """
    bias = np.asarray(bias, np.float64)
    if contribution.values.ndim != 2 or bias.shape != contribution.values.shape[1:]:
        raise ValueError(
            f"expected contributions of shape (tokens, K) and K biases, got {contribution.values.shape} "
            f"and {bias.shape}"
        )
    if len(bias) < 2:
        raise ValueError("expected two classes or more; one logit has `exact_adversary`")
    if epsilon <= 0:
        raise ValueError(f"expected an ε above 0, got {epsilon}")
    used = np.flatnonzero(attention.lengths > 0)
    documents = Documents.of(attention.take(used), contribution.take(used), bias)
    bound, value = _bound(documents, epsilon)
    best = Points.own(len(used))
    best = improve_by_mixtures(documents, best, bound, epsilon - _ROUNDING)
    best = improve_by_edges(documents, best, epsilon - _ROUNDING)
    return _answers(documents, used, best=best, bound=bound, value=value, epsilon=epsilon)


def _bound(documents: Documents, epsilon: float) -> tuple[Points, NDArray[np.float64]]:
    """The vertex of least JSD among the farthest ones of every slab, and the bound itself."""
    weights, bounds = class_slabs(softmax(documents.own), epsilon + _ROUNDING)
    if documents.classes == 2:  # the slab is the feasible set, so its vertex is to be feasible
        weights, bounds = class_slabs(softmax(documents.own), epsilon - _ROUNDING)
    least = Vertices.none(len(documents))
    least.jsd[:] = np.inf
    for slab in range(weights.shape[1]):
        found = farthest_within(
            documents.attention, documents.scores(weights[:, slab]), bounds[:, slab]
        )
        closer = np.flatnonzero(found.jsd < least.jsd)
        least.put(closer, found.take(closer))
    return Points.of_vertices(least), least.jsd


def _answers(
    documents: Documents,
    number: NDArray[np.int64],
    *,
    best: Points,
    bound: Points,
    value: NDArray[np.float64],
    epsilon: float,
) -> ClassesAdversary:
    # Where the point that attains the bound is feasible, it is the answer.
    attained = documents.distance(bound) <= epsilon
    best = Points.where(attained, bound, best)
    jsd = documents.divergence(best)
    exact = attained | (value - jsd <= _MEET)
    rows = np.arange(len(documents))
    row = np.concatenate([rows, rows[~exact]])
    order = np.argsort(row, kind="stable")
    points = Points.concatenate([best, bound.take(~exact)]).take(order)
    kinds = np.concatenate([np.where(exact, "exact", "feasible"), np.full((~exact).sum(), "bound")])
    return ClassesAdversary(
        document=number[row[order]],
        epsilon=np.full(len(row), epsilon),
        kind=kinds[order],
        jsd=np.concatenate([jsd, value[~exact]])[order],
        token_a=points.a,
        weight_a=points.weight_a,
        token_b=points.b,
        weight_b=points.weight_b,
        weight_own=points.own_weight,
        slack=epsilon - documents.distance(points),
    )
