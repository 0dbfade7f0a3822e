"""Measures: formulas with their sources, vectorised over documents."""

from attnnn.measures.classification import (
    accuracy,
    f1_score,
    macro_f1,
    precision,
    predicted_class,
    recall,
    roc_auc,
)
from attnnn.measures.curve import convexity_index
from attnnn.measures.divergence import (
    jensen_shannon_divergence,
    jensen_shannon_of_predictions,
    kl_divergence,
    total_variation_distance,
)
from attnnn.measures.intervals import Statistic, bootstrap_interval, bootstrap_values
from attnnn.measures.proportions import mcnemar_test, proportion_interval
from attnnn.measures.rank import kendall_tau
from attnnn.measures.top_k import top_k_distance, top_k_of

__all__ = [
    "Statistic",
    "accuracy",
    "bootstrap_interval",
    "bootstrap_values",
    "convexity_index",
    "f1_score",
    "jensen_shannon_divergence",
    "jensen_shannon_of_predictions",
    "kendall_tau",
    "kl_divergence",
    "macro_f1",
    "mcnemar_test",
    "precision",
    "predicted_class",
    "proportion_interval",
    "recall",
    "roc_auc",
    "top_k_distance",
    "top_k_of",
    "total_variation_distance",
]
