"""How far a run is from the base model: in attention and in prediction, document by document."""

from __future__ import annotations

from typing import Any

from attnnn.measures import jensen_shannon_divergence, total_variation_distance
from attnnn.readout.predictions import Predictions


def divergence_columns(run: Predictions, base: Predictions) -> dict[str, Any]:
    """The columns of the divergence table.

    Args:
        run: predictions of the run that is compared, all splits.
        base: the base model's, of the same documents in the same order.

    Source: Wiegreffe & Pinter 2019, section 3.3; `tvd_half` is what their released code computes.
    """
    tvd = total_variation_distance(run.probability, base.probability)
    return {
        "document": base.document,
        "split": base.split.tolist(),
        "base_predicted": base.predicted,
        "base_max_attention": base.attention.maxima(),
        "jsd": jensen_shannon_divergence(run.attention, base.attention),
        "tvd": tvd,
        "tvd_half": tvd / 2,
    }
