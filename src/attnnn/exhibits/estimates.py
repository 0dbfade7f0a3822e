"""Statistics of documents, or of seeds, with their 95 % intervals, as the published tables give them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.exhibits.facts import Fact, Setting
from attnnn.exhibits.finished import Floats
from attnnn.measures import bootstrap_interval, bootstrap_values
from attnnn.study.config import Study

Interval = tuple[float | None, float | None]
Statistic = Callable[..., Any]


def mean(values: NDArray[Any]) -> Floats:
    """Mean over documents, the last axis."""
    return np.asarray(values.mean(axis=-1))


def median(values: Floats) -> Floats:
    """Median over documents, the last axis."""
    return np.asarray(np.median(values, axis=-1))


def deviation(values: Floats) -> Floats:
    """Standard deviation (ddof 0) over documents, the last axis."""
    return np.asarray(values.std(axis=-1))


def estimate(
    study: Study,
    corpus: str,
    setting: Setting,
    metric: str,
    statistic: Statistic,
    *columns: NDArray[Any],
    published: float | None = None,
) -> Fact:
    """A statistic of documents of a corpus with its interval; no number where there is no document.

    Args:
        study: the configuration.
        corpus: whose documents these are.
        setting: of the fact.
        metric: of the fact.
        statistic: takes the columns, documents along the last axis, and returns a number for each row.
        columns: of the documents, each of shape (documents,).
        published: of the fact.
    """
    n = len(columns[0])
    value = float(statistic(*columns)) if n else None
    low, high = interval(study, corpus, statistic, *columns)
    return Fact(corpus, setting, metric, value, low, high, n, published)


def interval(study: Study, corpus: str, statistic: Statistic, *columns: NDArray[Any]) -> Interval:
    """Percentile bootstrap interval of a statistic over documents; none where a number is undefined (NaN).

    The generator is seeded by the corpus's name, anew for every interval: intervals over the same
    documents rest on the same resamples, whatever else a table holds. Columns are resampled together.
    Resamples whose statistic is undefined, as the ROC-AUC of a single class, do not count.
    """
    if any(np.isnan(column).any() for column in columns):
        return None, None
    low, high = bootstrap_interval(
        lambda index: statistic(*(column[index] for column in columns)),
        len(columns[0]),
        resamples=study.bootstrap,
        generator=_generator_of(corpus),
    )
    return (None, None) if np.isnan(low) else (low, high)


def _generator_of(corpus: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(corpus.encode()))


def of_mean_of_corpora(study: Study, values: Mapping[str, Floats]) -> Interval:
    """Interval of the mean over corpora of their means over documents, which are resampled corpus by corpus.

    Args:
        study: the configuration.
        values: by corpus, one defined number per document.
    """
    means = [
        bootstrap_values(
            lambda index, of=of_documents: mean(of[index]),  # type: ignore[misc]
            len(of_documents),
            resamples=study.bootstrap,
            generator=_generator_of(corpus),
        )
        for corpus, of_documents in values.items()
    ]
    low, high = np.quantile(np.mean(means, axis=0), [0.025, 0.975])
    return float(low), float(high)


def over_seeds(values: Sequence[float]) -> Interval:
    """Student's t interval of a mean over seeds; none for a single seed."""
    from scipy.stats import t

    if len(values) < 2:
        return None, None
    half = t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return float(np.mean(values) - half), float(np.mean(values) + half)
