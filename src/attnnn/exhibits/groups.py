"""By what documents are told apart: their predicted class, and the largest weight of their attention."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnnn.exhibits.finished import Ints

MOST_CLASSES = 3
# As in Jain & Wallace's violin figures.
MAX_ATTENTION_BINS = ("[0,.25)", "[.25,.5)", "[.5,.75)", "[.75,1]")


def bin_of(max_attention: ArrayLike) -> NDArray[np.int64]:
    """Index of the bin of each weight, 0 … 3; a weight of exactly 1 belongs to the last."""
    bins = np.floor(np.asarray(max_attention, dtype=np.float64) * 4).astype(np.int64)
    return np.clip(bins, 0, len(MAX_ATTENTION_BINS) - 1)


def predicted_groups(predicted: Ints) -> dict[str, NDArray[np.bool_]]:
    """The documents of each predicted class by its number, and all; all alone where more are predicted.

    Source: Jain & Wallace's released code tells classes apart where a model predicts fewer than four.
    """
    classes = np.unique(predicted).tolist()
    by_class = classes if len(classes) <= MOST_CLASSES else []
    groups = {str(k): predicted == k for k in by_class}
    return {**groups, "all": np.ones(len(predicted), np.bool_)}


def series_of(predicted: Ints) -> dict[int | None, NDArray[np.bool_]]:
    """The series of a panel: by predicted class, or None for all where there are more classes.

    Two classes at least, also where a model predicts one alone. Many answers are not told apart even where
    a model gives few of them, so that a colour means one class in all panels.
    """
    largest = int(predicted.max(initial=0))
    if largest >= MOST_CLASSES:
        return {None: np.ones(len(predicted), np.bool_)}
    return {k: predicted == k for k in range(max(2, largest + 1))}


def in_order(classes: Iterable[int | None]) -> list[int | None]:
    """Series as legends list them, each once: the classes, then all together."""
    return sorted(set(classes), key=lambda k: (k is None, k or 0))


def name_of(class_: int | None) -> str:
    """A series in a legend."""
    return "any predicted class" if class_ is None else f"predicted class {class_}"
