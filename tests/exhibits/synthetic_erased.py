"""Made-up tables of erased weights that behave like real ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import erased_runs, explained_runs
from attnnn.tables import analyses, store
from tests.support import Layout

RULES = (
    *("highest", "second_highest", "lowest", "second_lowest"),
    *("gradient", "attention_gradient", "contribution", "random"),
)
# How many times as long as the smallest set each ranking takes.
_DETOURS = {
    "random": 12.0,
    "attention": 4.0,
    "gradient": 2.0,
    "attention_gradient": 1.2,
    "contribution": 1.1,
    "ascending_attention": 25.0,
    "leave_one_out": 1.5,
    "truth": 3.0,
    "smallest": 1.0,
}


def write_erased(
    study: Study, corpus: str, document: np.ndarray, predicted: np.ndarray, lengths: np.ndarray
) -> None:
    """Both tables of every erased run of a corpus.

    Args:
        study: whose.
        corpus: which.
        document: numbers of the test documents.
        predicted: class of each.
        lengths: tokens of each; a sentence has eight.
    """
    rng = np.random.default_rng(len(corpus))
    for run in erased_runs(study, corpus):
        items = lengths // 8 + 1 if run.model.kind.hierarchical else lengths
        items = np.where(rng.random(len(items)) < 0.04, 1, items)
        about = {"document": document, "predicted": predicted, "items": items}
        paths = Layout(study.results_dir)
        for name, schema, columns in (
            ("erased", analyses.ERASED, _erased(about, rng)),
            ("ranked", analyses.RANKED, _ranked(study, run, about, rng)),
        ):
            store.write_table(paths.made("erase", name, run), schema, columns, made_by={})


def _erased(about: dict[str, np.ndarray], rng: np.random.Generator) -> dict[str, Any]:
    items = about["items"]
    one = items == 1
    highest = 1 / items + (1 - 1 / items) * rng.beta(0.8, 2.5, len(items))
    parts = []
    for rule in RULES:
        for draw in range(5 if rule == "random" else 1):
            share = 1.0 if rule == "highest" else rng.random(len(items))
            weight = highest if rule == "highest" else (1 - highest) * share / np.sqrt(items)
            js = np.minimum(np.log(2), 0.5 * weight**2 * rng.lognormal(0, 1.2, len(items)))
            parts.append(
                {
                    **about,
                    "rule": [rule] * len(items),
                    "draw": np.full(len(items), draw),
                    "position": np.minimum(draw, items - 1),
                    "weight": _null(weight, one),
                    "js": _null(js, one),
                    "flips": (js > 0.1) & ~one,
                    "reason": ["one token" if none else None for none in one],
                }
            )
    return _joined(parts)


def _ranked(
    study: Study, run: Run, about: dict[str, np.ndarray], rng: np.random.Generator
) -> dict[str, Any]:
    items = about["items"]
    smallest = np.maximum(1, items * rng.beta(0.7, 9, len(items)))
    planted = study.corpora[run.corpus].source.kind == "planted"
    absent = set()
    if run not in explained_runs(study, run.corpus):
        absent.add("leave_one_out")
    if run.model.kind.hierarchical or not planted:
        absent.add("truth")
    hopeless = rng.random(len(items)) < 0.1
    parts = []
    for ranking, detour in _DETOURS.items():
        if ranking in absent:
            continue
        longer = 1 + (detour - 1) * rng.lognormal(-0.3, 0.8, len(items)) if detour > 1 else 1
        count = np.maximum(1, np.round(smallest * longer)).astype(np.int64)
        never = (hopeless | (count >= items)) & (items > 1)
        none = never | (items == 1)
        fraction = count / items
        parts.append(
            {
                **about,
                "ranking": [ranking] * len(items),
                "count": np.where(none, -1, count),
                "fraction": _null(fraction, none),
                "mass": _null(fraction ** (0.4 if ranking == "attention" else 1), none),
                "reason": [
                    "one token" if one else "never" if lost else None
                    for one, lost in zip(items == 1, never, strict=True)
                ],
            }
        )
    return _joined(parts)


def _null(values: np.ndarray, undefined: np.ndarray) -> list[float | None]:
    return [None if u else float(v) for v, u in zip(values, undefined, strict=True)]


def _joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: [value for part in parts for value in part[name]] for name in parts[0]}
