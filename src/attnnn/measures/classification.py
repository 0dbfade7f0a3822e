"""Scores of classification, over the last axis, so that all bootstrap resamples go at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def predicted_class(probability: ArrayLike) -> NDArray[np.int64]:
    """The predicted class: 1 where the probability of class 1 is above one half, else 0 (a tie too).

    Source: Jain & Wallace's released code, sklearn metrics at p > 0.5.
    """
    return (np.asarray(probability) > 0.5).astype(np.int64)


def accuracy(label: ArrayLike, predicted: ArrayLike) -> NDArray[np.float64]:
    """Share of documents whose class is predicted; NaN of no document.

    Args:
        label: gold classes, shape (..., documents).
        predicted: predicted classes, same shape.

    Returns:
        Shape (...), in [0, 1]; a plain number for one sample.
    """
    right = np.asarray(label) == np.asarray(predicted)
    return _ratio(right.sum(axis=-1), np.full(right.shape[:-1], right.shape[-1]), empty=np.nan)


def precision(label: ArrayLike, predicted: ArrayLike) -> NDArray[np.float64]:
    """Share of the documents predicted as class 1 that are of class 1; 0 where none is predicted so.

    Args:
        label: gold classes 0 and 1, shape (..., documents).
        predicted: predicted classes 0 and 1, same shape.

    Returns:
        Shape (...), in [0, 1]; a plain number for one sample.
    """
    both, _, found = _positives(label, predicted)
    return _ratio(both, found)


def recall(label: ArrayLike, predicted: ArrayLike) -> NDArray[np.float64]:
    """Share of the documents of class 1 that are predicted as class 1; 0 where there are none.

    Args:
        label: gold classes 0 and 1, shape (..., documents).
        predicted: predicted classes 0 and 1, same shape.

    Returns:
        Shape (...), in [0, 1]; a plain number for one sample.
    """
    both, gold, _ = _positives(label, predicted)
    return _ratio(both, gold)


def f1_score(label: ArrayLike, predicted: ArrayLike) -> NDArray[np.float64]:
    """F1 of class 1, the harmonic mean of its precision and recall; 0 where class 1 never occurs.

    Args:
        label: gold classes 0 and 1, shape (..., documents).
        predicted: predicted classes 0 and 1, same shape.

    Returns:
        Shape (...), in [0, 1]; a plain number for one sample.

    Source: Wiegreffe & Pinter 2019, Table 2 (F1 of the positive class).
    """
    both, gold, found = _positives(label, predicted)
    return _ratio(2 * both, gold + found)


def macro_f1(label: ArrayLike, predicted: ArrayLike) -> NDArray[np.float64]:
    """Mean over classes of the F1 of each; a class that is neither gold nor predicted does not count.

    Args:
        label: gold classes 0, 1, …, shape (..., documents).
        predicted: predicted classes, same shape.

    Returns:
        Shape (...), in [0, 1]; a plain number for one sample, NaN of no document.

    Source: Sokolova & Lapalme 2009 (macro-averaging), as sklearn.metrics.f1_score with average="macro".
    """
    label, predicted = np.asarray(label), np.asarray(predicted)
    total = np.zeros(label.shape[:-1])
    classes = np.zeros(label.shape[:-1])
    for class_ in np.union1d(label, predicted).tolist():
        gold, found = label == class_, predicted == class_
        members = gold.sum(axis=-1) + found.sum(axis=-1)
        total += _ratio(2.0 * (gold & found).sum(axis=-1), members.astype(np.float64))
        classes += members > 0
    return _ratio(total, classes, empty=np.nan)


def roc_auc(label: ArrayLike, score: ArrayLike) -> NDArray[np.float64]:
    """Area under the ROC curve: the chance that a document of class 1 outscores one of class 0.

    Equal scores count one half. NaN where a class is absent or a score is NaN.

    Args:
        label: gold classes 0 and 1, shape (..., documents).
        score: any increasing function of the probability of class 1, same shape.

    Returns:
        Shape (...), in [0, 1]; a plain number for one sample.

    Source: Mann & Whitney 1947 (from ranks).
    """
    positive, score = np.asarray(label) == 1, np.asarray(score)
    ranks = _average_ranks(score)
    ones = positive.sum(axis=-1).astype(np.float64)
    zeros = positive.shape[-1] - ones
    wins = (ranks * positive).sum(axis=-1) - ones * (ones + 1) / 2
    area = np.asarray(_ratio(wins, ones * zeros, empty=np.nan))
    return plain(np.where(np.isnan(score).any(axis=-1), np.nan, area))


def plain(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same array; a number (``np.float64``) where it has no axis."""
    number: NDArray[np.float64] = values[()]
    return number


def _positives(label: ArrayLike, predicted: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    """Documents of class 1 in both, in the label, in the prediction."""
    gold, found = np.asarray(label) == 1, np.asarray(predicted) == 1
    counted = (gold & found, gold, found)
    return tuple(members.sum(axis=-1).astype(np.float64) for members in counted)


def _ratio(
    part: NDArray[np.float64], whole: NDArray[np.float64], *, empty: float = 0.0
) -> NDArray[np.float64]:
    out = np.full(np.shape(whole), empty)
    np.divide(part, whole, out=out, where=np.asarray(whole) > 0)
    return plain(out)


def _average_ranks(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Ranks 1 … n along the last axis, equal values sharing the mean of theirs."""
    order = np.argsort(values, axis=-1, kind="stable")
    in_order = np.take_along_axis(values, order, axis=-1)
    place = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    differs = in_order[..., 1:] != in_order[..., :-1]
    edge = np.ones((*values.shape[:-1], 1), np.bool_)
    first = np.maximum.accumulate(np.where(np.concatenate([edge, differs], -1), place, 0), axis=-1)
    ends = np.where(np.concatenate([differs, edge], -1), place, values.shape[-1])
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks
