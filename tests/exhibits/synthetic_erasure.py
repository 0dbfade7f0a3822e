"""Made-up erasures of every erased run of a corpus: numbers that behave like real ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import erased_runs
from tests.exhibits import handmade

# By how few items they change decisions, on average.
RANKINGS = {
    "random": 0.5,
    "attention": 0.3,
    "gradient": 0.2,
    "attention_gradient": 0.15,
    "contribution": 0.15,
    "ascending_attention": 0.7,
    "smallest": 0.1,
}
RULES = {
    "highest": 0.1,
    "second_highest": 0.05,
    "lowest": 0.001,
    "second_lowest": 0.002,
    "gradient": 0.12,
    "attention_gradient": 0.15,
    "contribution": 0.15,
}
ITEMS = 20


def write_erasures(
    study: Study,
    corpus: str,
    document: np.ndarray,
    predicted: np.ndarray,
    rng: np.random.Generator,
) -> None:
    """Both tables of every erased run; the first document has a single item."""
    for run in erased_runs(study, corpus):
        _write_erased(study, run, document, predicted, rng)
        _write_ranked(study, run, document, predicted, rng)


def _shared(document: np.ndarray) -> dict[str, Any]:
    return {
        "document": document.tolist(),
        "items": [1] + [ITEMS] * (len(document) - 1),
        "reason": ["one token"] + [None] * (len(document) - 1),
    }


def _write_erased(
    study: Study, run: Run, document: np.ndarray, predicted: np.ndarray, rng: np.random.Generator
) -> None:
    count = len(document) - 1
    draws = study.serrano_smith_of(run.corpus).draws
    effects = [(name, 0, size) for name, size in RULES.items()]
    effects += [("random", draw, 0.01) for draw in range(draws)]
    parts = []
    for rule, draw, size in effects:
        part = {"rule": rule, "draw": draw, **_shared(document)}
        part["position"] = [0, *rng.integers(ITEMS, size=count).tolist()]
        part["weight"] = [None, *(2 * size * rng.random(count)).tolist()]
        part["js"] = [None, *(size * rng.random(count)).tolist()]
        part["flips"] = [False, *(rng.random(count) < size).tolist()]
        parts.append(part)
    handmade.write_erased(study, run, predicted.tolist(), parts)


def _write_ranked(
    study: Study, run: Run, document: np.ndarray, predicted: np.ndarray, rng: np.random.Generator
) -> None:
    parts = []
    for ranking, share in RANKINGS.items():
        part = {"ranking": ranking, **_shared(document)}
        drawn = 1 + rng.binomial(ITEMS, share, len(document) - 1)
        counts = [-1, *(-1 if count >= ITEMS else int(count) for count in drawn)]
        fractions = [None if count < 0 else count / ITEMS for count in counts]
        never = ["never" if count < 0 else None for count in counts[1:]]
        part |= {"count": counts, "fraction": fractions, "mass": fractions}
        part["reason"] = ["one token", *never]
        parts.append(part)
    handmade.write_ranked(study, run, predicted.tolist(), parts)
