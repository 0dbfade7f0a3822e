"""The 95 % intervals of the published tables."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

import numpy as np

from attnnn.exhibits.results import Floats, Ints
from attnnn.measures import (
    Statistic,
    accuracy,
    bootstrap_interval,
    bootstrap_values,
    convexity_index,
    f1_score,
    macro_f1,
    roc_auc,
)
from attnnn.study.config import Study

Interval = tuple[float | None, float | None]


class Resampling:
    """Percentile bootstrap over the documents of one corpus.

    The generator is seeded by the corpus's name, anew for every interval: intervals over the same
    documents rest on the same resamples, whatever else a table holds.
    """

    def __init__(self, study: Study, corpus: str) -> None:
        self._resamples = study.bootstrap
        self._seed = _seed_of(corpus)

    def mean(self, values: Floats) -> Interval:
        """Interval of the mean; none where a value is undefined (NaN)."""
        if np.isnan(values).any():
            return None, None
        return self._interval(lambda index: values[index].mean(axis=-1), len(values))

    def median(self, values: Floats) -> Interval:
        """Interval of the median."""
        return self._interval(lambda index: np.median(values[index], axis=-1), len(values))

    def deviation(self, values: Floats) -> Interval:
        """Interval of the standard deviation (ddof 0); none where a value is undefined (NaN)."""
        if np.isnan(values).any():
            return None, None
        return self._interval(lambda index: values[index].std(axis=-1), len(values))

    def accuracy(self, label: Ints, predicted: Ints) -> Interval:
        """Interval of the accuracy."""
        return self._interval(lambda index: accuracy(label[index], predicted[index]), len(label))

    def auc(self, label: Ints, score: Floats) -> Interval:
        """Interval of the ROC-AUC; resamples of a single class do not count."""
        return self._interval(lambda index: roc_auc(label[index], score[index]), len(label))

    def f1(self, label: Ints, predicted: Ints) -> Interval:
        """Interval of the F1 of class 1."""
        return self._interval(lambda index: f1_score(label[index], predicted[index]), len(label))

    def macro_f1(self, label: Ints, predicted: Ints) -> Interval:
        """Interval of the mean F1 of the classes that a resample holds."""
        return self._interval(lambda index: macro_f1(label[index], predicted[index]), len(label))

    def f1_difference(self, label: Ints, first: Ints, second: Ints) -> Interval:
        """Interval of F1 of `first` minus F1 of `second`, both on the same resample."""
        return self._interval(
            lambda index: (
                f1_score(label[index], first[index]) - f1_score(label[index], second[index])
            ),
            len(label),
        )

    def convexity(self, jsd: Floats, tvd: Floats) -> Interval:
        """Interval of the convexity index of mean TVD against mean JSD.

        Args:
            jsd: shape (points, documents).
            tvd: same shape.
        """

        def index_of(index: Ints) -> Floats:
            x, y = (np.stack([row[index].mean(-1) for row in part], -1) for part in (jsd, tvd))
            return convexity_index(x, y)

        return self._interval(index_of, jsd.shape[1])

    def _interval(self, statistic: Statistic, documents: int) -> Interval:
        low, high = bootstrap_interval(
            statistic,
            documents,
            resamples=self._resamples,
            generator=np.random.default_rng(self._seed),
        )
        return (None, None) if np.isnan(low) else (low, high)


def _seed_of(corpus: str) -> int:
    return zlib.crc32(corpus.encode())


def of_mean_of_corpora(study: Study, values: Mapping[str, Floats]) -> Interval:
    """Interval of the mean over corpora of their means over documents, which are resampled corpus by corpus.

    Args:
        study: the configuration.
        values: by corpus, one defined number per document.
    """
    means = [
        bootstrap_values(
            lambda index, of=of_documents: of[index].mean(axis=-1),  # type: ignore[misc]
            len(of_documents),
            resamples=study.bootstrap,
            generator=np.random.default_rng(_seed_of(corpus)),
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
