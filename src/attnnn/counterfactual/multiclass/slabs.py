"""What |Δp| ≤ ε means for the logits of K classes: slabs that hold every attention within ε.

A slab is lowest ≤ Σ_c m_c logit_c ≤ highest. Where logits are linear in the attention, that is the space
between two parallel hyperplanes of attention vectors. Two kinds follow from TVD(p, p̂) ≤ ε:

- two classes a and b: p_a and p_b each lie within ε of their own, so that logit_a − logit_b = ln(p_a / p_b)
  lies between ln((p̂_a − ε)/(p̂_b + ε)) and ln((p̂_a + ε)/(p̂_b − ε));
- a class c against the rest, weighted as the model has them, w_j = p̂_j / (1 − p̂_c): since
  logsumexp_j≠c(logit) ≥ Σ_j w_j logit_j + H(w), logit_c − Σ_j w_j logit_j is at least
  ln((p̂_c − ε)/(1 − p̂_c + ε)) + H(w), and at most Σ_j w_j times its highest difference to class j.

With two classes the one slab is the feasible set itself; with more it is larger. Of many classes only the
most probable ones have slabs: any choice of slabs holds the feasible set.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Indices = NDArray[np.int64]

# Classes of a document, the most probable ones, that have slabs; their pairs grow with the square.
MOST_CLASSES = 8


def class_slabs(
    probability: Values, epsilon: float, possible: NDArray[np.bool_] | None = None
) -> tuple[Values, Values]:
    """Slabs that hold the logits of every prediction with TVD ≤ ε from the given one.

    Args:
        probability: the model's own p̂, shape (documents, classes), two classes or more.
        epsilon: largest allowed total variation distance.
        possible: shape (documents, classes): the classes that may be the answer, the others having no
            logit; None: all.

    Returns:
        Weights of the logits, shape (documents, slabs, classes), and lowest and highest sums, shape
        (documents, slabs, 2), infinite where ε allows it.
    """
    classes = probability.shape[1]
    most = min(classes, MOST_CLASSES)
    chosen = np.sort(np.argsort(-probability, axis=1, kind="stable")[:, :most], axis=1)
    parts = [_two_classes(probability, chosen, epsilon)]
    if classes > 2:
        parts.append(_one_against_the_rest(probability, chosen, epsilon))
    weights, bounds = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    if possible is not None:
        impossible = (weights * ~possible[:, None, :] != 0).any(axis=-1)
        bounds[impossible] = [-np.inf, np.inf]
    return weights, bounds


def _highest(one: Values, other: Values, epsilon: float) -> Values:
    """The highest ln(p_a / p_b) that ε allows."""
    with np.errstate(divide="ignore"):
        above, below = np.minimum(one + epsilon, 1.0), np.maximum(other - epsilon, 0.0)
        return np.asarray(np.log(above) - np.log(below))


def _two_classes(probability: Values, chosen: Indices, epsilon: float) -> tuple[Values, Values]:
    first, second = np.array(list(combinations(range(chosen.shape[1]), 2))).T
    weights = _one_hot(chosen[:, first], probability) - _one_hot(chosen[:, second], probability)
    own = np.take_along_axis(probability, chosen, axis=1)
    one, other = own[:, first], own[:, second]
    bounds = np.stack([-_highest(other, one, epsilon), _highest(one, other, epsilon)], axis=-1)
    return weights, bounds


def _one_against_the_rest(
    probability: Values, chosen: Indices, epsilon: float
) -> tuple[Values, Values]:
    one_hot = _one_hot(chosen, probability)
    others = probability[:, None, :] * (1 - one_hot)
    # A class without competitors has no slab of this kind: all its bounds are infinite.
    total = others.sum(axis=-1, keepdims=True)
    share = np.divide(others, total, out=np.zeros_like(others), where=total > 0)
    own = np.take_along_axis(probability, chosen, axis=1)
    below = np.maximum(own - epsilon, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.where(share > 0, share * np.log(share), 0.0).sum(axis=-1)
        least = np.log(below) - np.log1p(-below) + entropy
        highest = _highest(own[..., None], probability[:, None, :], epsilon)
        most = np.where(share > 0, share * highest, 0.0).sum(axis=-1)
    none = total[..., 0] <= 0
    bounds = np.stack([np.where(none, -np.inf, least), np.where(none, np.inf, most)], axis=-1)
    return one_hot - share, bounds


def _one_hot(chosen: Indices, probability: Values) -> Values:
    return np.asarray(chosen[..., None] == np.arange(probability.shape[1]), np.float64)
