"""The two sides of a comparison, and how much of a task each is run on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.clock import Setup
from benchmarks.kernels import KERNELS, Rows
from benchmarks.material import Material
from benchmarks.plain import BATCH_SIZE


@dataclass(frozen=True)
class Side:
    """A run of one implementation on part of a task.

    Attributes:
        setup: sets it up.
        share: of the whole task that it does; times are divided by it.
        measured_on: that part in words.
        rows: its documents.
    """

    setup: Setup
    share: float
    measured_on: str
    rows: Rows


@dataclass(frozen=True)
class Contender:
    """A kernel and how it must agree with the plain implementation.

    Attributes:
        side: its run.
        difference: from the plain result and its own, the largest difference found.
        tolerance: the largest allowed.
    """

    side: Side
    difference: Callable[[Any, Any], float]
    tolerance: float


@dataclass(frozen=True)
class Comparison:
    """One plain run and the kernels that are compared with it, by name."""

    plain: Side
    contenders: dict[str, Contender]


@dataclass(frozen=True)
class Effort:
    """How much of a task is run, where the whole would take many minutes. Batches are of 32 documents.

    Attributes:
        train: groups of consecutive batches of training documents, evenly spaced by length, and batches
            in a group.
        test: the same for test documents.
        deletion: the same for leave-one-out.
        positions: leave-one-out deletes every so many-th token in the plain implementation.
        shortened: documents that the kernel runs leave-one-out on, evenly spaced.
        search: groups and batches for the plain search.
        steps: of the plain search.
        searched: groups and batches for the kernel's search.
    """

    train: tuple[int, int]
    test: tuple[int, int]
    deletion: tuple[int, int]
    positions: int
    shortened: int
    search: tuple[int, int]
    steps: int
    searched: tuple[int, int]


_ALL = (1, 1 << 20)

EFFORTS = {
    "sst": Effort(
        train=(24, 1),
        test=_ALL,
        deletion=_ALL,
        positions=4,
        shortened=1 << 20,
        search=(16, 1),
        steps=50,
        searched=_ALL,
    ),
    "imdb": Effort(
        train=(8, 1),
        test=(4, 4),
        deletion=(8, 1),
        positions=20,
        shortened=32,
        search=(8, 1),
        steps=25,
        searched=(4, 4),
    ),
    "long": Effort(
        train=(1, 1),
        test=(1, 1),
        deletion=(1, 1),
        positions=500,
        shortened=1,
        search=(1, 1),
        steps=5,
        searched=(1, 1),
    ),
    "quick": Effort(
        train=_ALL,
        test=_ALL,
        deletion=_ALL,
        positions=1,
        shortened=1 << 20,
        search=(2, 1),
        steps=20,
        searched=_ALL,
    ),
}


def spaced(rows: Rows, groups: tuple[int, int]) -> Rows:
    """Documents of evenly spaced groups of consecutive batches of the given order."""
    count, each = groups
    size = min(each * BATCH_SIZE, len(rows))
    cuts = [rows[start : start + size] for start in range(0, len(rows), size)]
    count = min(count, len(cuts))
    chosen = ((np.arange(count) + 0.5) * len(cuts) / count).astype(int)
    return np.concatenate([cuts[index] for index in chosen])


def thinned(rows: Rows, count: int) -> Rows:
    """At most `count` of them, evenly spaced."""
    count = min(count, len(rows))
    chosen: Rows = ((np.arange(count) + 0.5) * len(rows) / count).astype(np.int64)
    return rows[chosen]


def fast_side(kernel: str, material: Material, rows: Rows) -> Side:
    """A kernel on some documents."""
    whole = len(KERNELS[kernel].documents(material))
    words = f"{len(rows)} of {whole} documents"
    return Side(KERNELS[kernel].setup(material, rows), len(rows) / whole, words, rows)


def plain_side(setup: Setup, rows: Rows, whole: int, *, part: float = 1, words: str = "") -> Side:
    """A plain implementation on some documents of `whole`, and on `part` of the work on these."""
    measured = f"{len(rows)} of {whole} documents{words}"
    return Side(setup, len(rows) / whole * part, measured, rows)
