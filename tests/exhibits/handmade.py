"""Tables of a few documents whose statistics can be worked out by hand."""

from collections.abc import Sequence

import numpy as np

from attnnn.dag import layout
from attnnn.study import design
from attnnn.study.config import Study
from attnnn.study.design import Run
from attnnn.tables import schemas, store

SPLITS = ("dev", "test")
HALF = [0.5, 0.5]


def write_predictions(
    study: Study, run: Run, labels: Sequence[int], probability: dict[str, Sequence[float]]
) -> None:
    """The same labels in every split of `probability`; two tokens a document."""
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
    path = layout.Layout(study.results_dir).predictions_of(run)
    store.write_table(path, schemas.PREDICTIONS, columns, made_by={})


def write_divergence(
    study: Study,
    run: Run,
    jsd: dict[str, Sequence[float]],
    tvd: Sequence[float],
    base_predicted: Sequence[int] | None = None,
) -> None:
    """JSD by split; the same TVD in every split."""
    splits, count = list(jsd), len(tvd)
    columns = {
        "document": np.arange(count * len(splits)),
        "split": list(np.repeat(splits, count)),
        "base_predicted": np.tile(base_predicted or [0] * count, len(splits)),
        "base_max_attention": np.full(count * len(splits), 0.5),
        "jsd": np.concatenate([jsd[split] for split in splits]).astype(float),
        "tvd": np.tile(tvd, len(splits)).astype(float),
        "tvd_half": np.tile(tvd, len(splits)) / 2,
    }
    path = layout.Layout(study.results_dir).analysis_of("divergence", run)
    store.write_table(path, schemas.DIVERGENCE, columns, made_by={})


def write_correlation(
    study: Study,
    run: Run,
    predicted: Sequence[int],
    tau: Sequence[float | None],
    p_value: Sequence[float | None],
    excluded: Sequence[str | None],
    shuffled: float = 0.0,
) -> None:
    """The same τ for every pair, `shuffled` after a shuffle."""
    pairs = ("attention~gradient", "attention~leave_one_out", "gradient~leave_one_out")
    count = len(predicted)
    columns = {
        "document": np.tile(np.arange(count), len(pairs)),
        "predicted": np.tile(predicted, len(pairs)),
        "pair": list(np.repeat(pairs, count)),
        "tokens": np.full(count * len(pairs), 9),
        "tau": list(tau) * len(pairs),
        "p_value": list(p_value) * len(pairs),
        "tau_shuffled": [None if t is None else shuffled for t in tau] * len(pairs),
        "p_value_shuffled": [p if p is None else 1.0 for p in p_value] * len(pairs),
        "top_k_distance": [None if t is None else (1 - t) / 2 for t in tau] * len(pairs),
        "excluded": list(excluded) * len(pairs),
    }
    path = layout.Layout(study.results_dir).analysis_of("correlation", run)
    store.write_table(path, schemas.CORRELATION, columns, made_by={})


def write_log_odds(study: Study, weight: dict[str, float | None], corpus: str = "sst") -> None:
    """A vocabulary with its log-odds."""
    columns = {
        "id": np.arange(len(weight)),
        "token": list(weight),
        "weight": list(weight.values()),
    }
    path = layout.Layout(study.results_dir).corpus(corpus, "log_odds.parquet")
    store.write_table(path, schemas.LOG_ODDS, columns, made_by={})


def write_replacement(study: Study, columns: dict[str, Sequence[float]]) -> None:
    """Of the base model of sst, documents numbered as `write_predictions` numbers one split."""
    count = len(columns["jsd"])
    path = layout.Layout(study.results_dir).analysis_of(
        "replacement", design.base_run(study, "sst")
    )
    content = {"document": np.arange(count), **columns}
    store.write_table(path, schemas.REPLACEMENT, content, made_by={})


def adversaries(study: Study, corpus: str = "sst") -> list[Run]:
    """The sweep of the headline seed, λ ascending."""
    return design.adversary_runs(study, corpus, design.adversary_seeds(study, corpus)[0])
