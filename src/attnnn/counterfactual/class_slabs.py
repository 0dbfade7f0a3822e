"""What |Δp| ≤ ε means for the logits of K classes: slabs that hold every attention within ε.

A slab is lowest ≤ Σ_c m_c logit_c ≤ highest. Logits are linear in the attention, so a slab is the space
between two parallel hyperplanes of attention vectors. Two kinds follow from TVD(p, p̂) ≤ ε:

- two classes a and b: p_a and p_b each lie within ε of their own, so that logit_a − logit_b = ln(p_a / p_b)
  lies between ln((p̂_a − ε)/(p̂_b + ε)) and ln((p̂_a + ε)/(p̂_b − ε));
- a class c against the rest, weighted as the model has them, w_j = p̂_j / (1 − p̂_c): since
  logsumexp_j≠c(logit) ≥ Σ_j w_j logit_j + H(w), logit_c − Σ_j w_j logit_j is at least
  ln((p̂_c − ε)/(1 − p̂_c + ε)) + H(w), and at most Σ_j w_j times its highest difference to class j.

With two classes the one slab is the feasible set itself; with more it is larger.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def softmax(logits: Values) -> Values:
    """Probabilities over the last axis, without overflow."""
    scaled = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(scaled / scaled.sum(axis=-1, keepdims=True))


def class_slabs(probability: Values, epsilon: float) -> tuple[Values, Values]:
    """Slabs that hold the logits of every prediction with TVD ≤ ε from the given one.

    Args:
        probability: the model's own p̂, shape (documents, classes), two classes or more.
        epsilon: largest allowed total variation distance.

    Returns:
        Weights of the logits, shape (documents, slabs, classes), and lowest and highest sums, shape
        (documents, slabs, 2), infinite where ε allows it.
    """
    below, above = np.maximum(probability - epsilon, 0.0), np.minimum(probability + epsilon, 1.0)
    with np.errstate(divide="ignore"):
        # highest[d, a, b] of ln(p_a / p_b)
        highest = np.log(above)[:, :, None] - np.log(below)[:, None, :]
    parts = [_two_classes(highest)]
    if probability.shape[1] > 2:
        parts.append(_one_against_the_rest(probability, highest, below))
    weights, bounds = zip(*parts, strict=True)
    return np.concatenate(weights, axis=1), np.concatenate(bounds, axis=1)


def _two_classes(highest: Values) -> tuple[Values, Values]:
    documents, classes, _ = highest.shape
    first, second = np.array(list(combinations(range(classes), 2))).T
    weights = np.eye(classes)[first] - np.eye(classes)[second]
    bounds = np.stack([-highest[:, second, first], highest[:, first, second]], axis=-1)
    return np.tile(weights, (documents, 1, 1)), bounds


def _one_against_the_rest(
    probability: Values, highest: Values, below: Values
) -> tuple[Values, Values]:
    classes = probability.shape[1]
    others = probability[:, None, :] * (1 - np.eye(classes))
    # A class without competitors has no slab of this kind: all its bounds are infinite.
    total = others.sum(axis=-1, keepdims=True)
    share = np.divide(others, total, out=np.zeros_like(others), where=total > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.where(share > 0, share * np.log(share), 0.0).sum(axis=-1)
        least = np.log(below) - np.log1p(-below) + entropy
        most = np.where(share > 0, share * highest, 0.0).sum(axis=-1)
    none = total[..., 0] <= 0
    bounds = np.stack([np.where(none, -np.inf, least), np.where(none, np.inf, most)], axis=-1)
    return np.eye(classes) - share, bounds
