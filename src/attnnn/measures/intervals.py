"""Percentile bootstrap over documents."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Statistic = Callable[[NDArray[np.int64]], ArrayLike]

# Indices drawn at a time, which bounds memory.
_DRAWN_AT_ONCE = 1 << 20


def bootstrap_interval(
    statistic: Statistic,
    documents: int,
    *,
    resamples: int,
    generator: np.random.Generator,
    level: float = 0.95,
) -> tuple[float, float]:
    """Percentile bootstrap interval of a statistic over documents drawn with replacement.

    For a mean: ``lambda index: values[index].mean(axis=-1)``; for F1:
    ``lambda index: f1_score(label[index], predicted[index])``.

    Args:
        statistic: takes document indices, shape (resamples, documents), and returns one number for
            each row, shape (resamples,). It may be called several times, for some resamples each.
        documents: number of documents.
        resamples: number of resamples.
        generator: source of randomness.
        level: probability content of the interval.

    Returns:
        Lower and upper end. Resamples whose statistic is undefined (NaN, for instance the AUC of a
        resample of one class) count for neither end; both ends are NaN if all are, or of no document.

    Source: Efron 1979, Annals of Statistics 7; Efron & Tibshirani 1993, chapter 13.
    """
    if documents == 0:
        return float("nan"), float("nan")
    values = bootstrap_values(statistic, documents, resamples=resamples, generator=generator)
    defined = values[~np.isnan(values)]
    if not len(defined):
        return float("nan"), float("nan")
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bootstrap_values(
    statistic: Statistic, documents: int, *, resamples: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """A statistic of every bootstrap resample.

    Args:
        statistic: as for `bootstrap_interval`.
        documents: number of documents, at least 1.
        resamples: number of resamples.
        generator: source of randomness.

    Returns:
        Shape (resamples,).
    """
    at_once = max(1, _DRAWN_AT_ONCE // documents)
    found: list[NDArray[np.float64]] = []
    for start in range(0, resamples, at_once):
        shape = (min(at_once, resamples - start), documents)
        drawn = generator.integers(documents, size=shape)
        found.append(np.asarray(statistic(drawn), dtype=np.float64))
    return np.concatenate(found)
