"""Distances between predictions and between attention distributions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnnn.tables.ragged import Ragged


def total_variation_distance(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Total variation distance between predictions, in [0, 1].

    Args:
        p: probabilities of class 1, shape (documents,), or of every class, shape
            (documents, classes), rows summing to 1.
        q: the other predictions, same shape.

    Returns:
        Shape (documents,): |p − q| of one sigmoid output, which is the distance between the two
        Bernoulli distributions; ½ Σ_c |p_c − q_c| of K classes.

    Raises:
        ValueError: the shapes differ, or are neither of the two.

    Source: Jain & Wallace 2019, section 3.2.1 (TVD); Wiegreffe & Pinter 2019, section 3.3. The
    latter's released code halves the sigmoid's distance once more.
    """
    first, second = np.asarray(p, np.float64), np.asarray(q, np.float64)
    if first.shape != second.shape or first.ndim not in (1, 2):
        raise ValueError(
            "expected two arrays of one shape (documents,) or (documents, classes), "
            f"got {first.shape} and {second.shape}"
        )
    distance = np.abs(first - second)
    return distance if distance.ndim == 1 else 0.5 * distance.sum(axis=1)


def kl_divergence(p: Ragged, q: Ragged) -> NDArray[np.float64]:
    """Kullback–Leibler divergence KL(p ‖ q) of every document, in nats, at least 0.

    Terms with p_t = 0 are exactly 0. The result is infinite where q_t = 0 < p_t.

    Args:
        p: a distribution over the tokens of each document; weights are used as they are.
        q: another one over the same tokens.

    Returns:
        Shape (documents,), float64.

    Raises:
        ValueError: the documents differ in length.

    Source: Wiegreffe & Pinter 2019, section 4 (with p the adversary's attention, q the base model's).
    """
    first, second = _aligned(p, q)
    return p.with_values(_relative_entropy(first, second)).sums()


def jensen_shannon_divergence(p: Ragged, q: Ragged) -> NDArray[np.float64]:
    """Jensen–Shannon divergence of every document, in nats, from 0 to ln 2.

    ½ KL(p ‖ m) + ½ KL(q ‖ m) with m = ½ (p + q). Zero weights contribute exactly 0, where the papers'
    code adds 1e-10 inside the logarithms.

    Args:
        p: a distribution over the tokens of each document; weights are used as they are.
        q: another one over the same tokens.

    Returns:
        Shape (documents,), float64.

    Raises:
        ValueError: the documents differ in length.

    Source: Jain & Wallace 2019, section 3.2.2 (JSD).
    """
    first, second = _aligned(p, q)
    mid = 0.5 * (first + second)
    terms = 0.5 * (_relative_entropy(first, mid) + _relative_entropy(second, mid))
    # Rounding leaves equal distributions a hair below zero.
    return np.maximum(p.with_values(terms).sums(), 0.0)


def jensen_shannon_of_predictions(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Jensen–Shannon divergence between class distributions, in nats, from 0 to ln 2.

    ½ KL(p ‖ m) + ½ KL(q ‖ m) with m = ½ (p + q). A class whose p_c and q_c are close, in terms of
    d = (p_c − q_c) / (p_c + q_c), adds ½ m_c (ln(1 − d²) + 2 d artanh d). Its two terms do not cancel, so the
    divergences of nearly equal distributions keep their digits and their order.

    Args:
        p: probabilities of every class, shape (…, classes), two columns for two classes.
        q: other ones; the shapes are broadcast.

    Returns:
        Shape (…).

    Raises:
        ValueError: the numbers of classes differ.

    Source: Lin 1991, IEEE Transactions on Information Theory 37; Serrano & Smith 2019, section 4.1.
    """
    first, second = np.asarray(p, np.float64), np.asarray(q, np.float64)
    if first.shape[-1] != second.shape[-1]:
        raise ValueError(
            f"expected the same classes, found {first.shape[-1]} and {second.shape[-1]} of them"
        )
    mid = 0.5 * (first + second)
    d = 0.5 * (first - second) / np.where(mid > 0, mid, 1.0)
    near = np.abs(d) < 0.5
    small = np.where(near, d, 0.0)
    terms = np.where(
        near,
        mid * (np.log1p(-(small**2)) + 2 * small * np.arctanh(small)),
        _relative_entropy(first, mid) + _relative_entropy(second, mid),
    )
    return np.asarray(0.5 * terms.sum(axis=-1))


def _aligned(p: Ragged, q: Ragged) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if not np.array_equal(p.offsets, q.offsets):
        raise ValueError("expected two values for every token, but the documents differ in length")
    return p.values.astype(np.float64), q.values.astype(np.float64)


def _relative_entropy(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """The terms p ln(p/q) of every token, with 0 ln 0 = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p == 0, 0.0, p * np.log(p / q))
