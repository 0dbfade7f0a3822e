"""Tables of a few documents whose statistics can be worked out by hand."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from attnnn.dag.stage import Artifact
from attnnn.exhibits.correlations import CLASS_PAIRS, PAIRS
from attnnn.exhibits.finished import Results, Table
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import adversary_runs, adversary_seeds, base_run
from attnnn.tables import analyses, schemas, store
from tests.support import Layout

# Divergences by results folder, run and split, in the place of what predictions would give.
_DIVERGENCES: dict[tuple[str, Run, str], Table] = {}
SPLITS = ("dev", "test")
HALF = [0.5, 0.5]


def write_predictions(
    study: Study, run: Run, labels: Sequence[int], probability: dict[str, Sequence[float]]
) -> None:
    """The same labels in every split of `probability`; two tokens per document."""
    count, splits = len(labels), list(probability)
    flat = np.concatenate([probability[split] for split in splits])
    columns = {
        "document": np.arange(len(flat)),
        "split": list(np.repeat(splits, count)),
        "label": np.tile(labels, len(splits)),
        "logit": np.zeros(len(flat)),
        "probability": flat,
        "attention": [HALF] * len(flat),
        "contribution": [None] * len(flat),
    }
    path = Layout(study.results_dir).predictions_of(run)
    store.write_table(path, schemas.PREDICTIONS, columns, made_by={})


def write_divergence(
    study: Study, run: Run, jsd: dict[str, Sequence[float]], tvd: Sequence[float]
) -> None:
    """JSD by split; the same TVD in every split."""
    count = len(tvd)
    for place, (split, values) in enumerate(jsd.items()):
        columns = {
            "document": np.arange(count) + count * place,
            "jsd": np.asarray(values, dtype=float),
            "tvd": np.asarray(tvd, dtype=float),
            "tvd_half": np.asarray(tvd, dtype=float) / 2,
        }
        _DIVERGENCES[study.results_dir, run, split] = Table(pa.table(columns))


class _Everything(Results):
    """Results that may read everything, with divergences worked out by hand where there are any."""

    def _path(self, made: Artifact) -> Path:
        return self._root / made.path

    def divergence(self, run: Run, split: str = "test") -> Table:
        known = [key for key in _DIVERGENCES if key[:2] == (str(self._root), run)]
        if not known:
            return super().divergence(run, split)
        found = _DIVERGENCES.get((str(self._root), run, split))
        return found or _DIVERGENCES[known[0]].take(np.zeros(0, dtype=int))


def results(study: Study) -> Results:
    """Results of a study without the limits of an exhibit."""
    return _Everything(study, Path(study.results_dir), ())


def write_correlation(
    study: Study,
    run: Run,
    predicted: Sequence[int],
    tau: Sequence[float | None],
    p_value: Sequence[float | None],
    excluded: Sequence[str | None],
    shuffled: float = 0.0,
) -> None:
    """The same τ for every pair, `shuffled` after a shuffle; scores about a class are about the predicted."""
    count = len(predicted)
    about = [predicted if pair in CLASS_PAIRS else [None] * count for pair in PAIRS]
    columns = {
        "class": [one for classes in about for one in classes],
        "document": np.tile(np.arange(count), len(PAIRS)),
        "predicted": np.tile(predicted, len(PAIRS)),
        "pair": list(np.repeat(PAIRS, count)),
        "tokens": np.full(count * len(PAIRS), 9),
        "tau": list(tau) * len(PAIRS),
        "p_value": list(p_value) * len(PAIRS),
        "tau_shuffled": [None if t is None else shuffled for t in tau] * len(PAIRS),
        "p_value_shuffled": [p if p is None else 1.0 for p in p_value] * len(PAIRS),
        "top_k_distance": [None if t is None else (1 - t) / 2 for t in tau] * len(PAIRS),
        "excluded": list(excluded) * len(PAIRS),
    }
    path = Layout(study.results_dir).analysis_of("correlation", run)
    store.write_table(path, analyses.CORRELATION, columns, made_by={})


def write_log_odds(study: Study, weight: dict[str, float | None], corpus: str = "sst") -> None:
    """A vocabulary with its log-odds."""
    columns = {
        "id": np.arange(len(weight)),
        "token": list(weight),
        "weight": list(weight.values()),
    }
    path = Layout(study.results_dir).corpus(corpus, "log_odds.parquet")
    store.write_table(path, schemas.LOG_ODDS, columns, made_by={})


def write_replacement(study: Study, columns: dict[str, Sequence[float]]) -> None:
    """Of the base model of sst, documents numbered as `write_predictions` numbers one split."""
    count = len(columns["jsd"])
    path = Layout(study.results_dir).analysis_of("replacement", base_run(study, "sst"))
    content = {"document": np.arange(count), **columns}
    store.write_table(path, analyses.REPLACEMENT, content, made_by={})


def write_erased(
    study: Study, run: Run, predicted: Sequence[int], rules: Sequence[dict[str, Any]]
) -> None:
    """One entry of `rules` for each rule and draw, with the columns of `analyses.ERASED` by document."""
    same = {"document": list(range(len(predicted))), "predicted": list(predicted)}
    _write_parts(study, "erased", run, analyses.ERASED, same, rules)


def write_ranked(
    study: Study, run: Run, predicted: Sequence[int], rankings: Sequence[dict[str, Any]]
) -> None:
    """One entry of `rankings` for each ranking, with the columns of `analyses.RANKED` by document."""
    same = {"document": list(range(len(predicted))), "predicted": list(predicted)}
    _write_parts(study, "ranked", run, analyses.RANKED, same, rankings)


def _write_parts(
    study: Study,
    name: str,
    run: Run,
    schema: store.Schema,
    same: dict[str, list[int]],
    parts: Sequence[dict[str, Any]],
) -> None:
    """Parts under one another; a text or a number stands for a column of it."""
    columns: dict[str, list[Any]] = {column: [] for column in schema.columns}
    for part in parts:
        for column, values in (same | part).items():
            many = isinstance(values, list)
            columns[column] += values if many else [values] * len(same["document"])
    path = Layout(study.results_dir).made("erase", name, run)
    store.write_table(path, schema, columns, made_by={})


def adversaries(study: Study, corpus: str = "sst") -> list[Run]:
    """The sweep of the headline seed, λ ascending."""
    return adversary_runs(study, corpus, adversary_seeds(study, corpus)[0])
