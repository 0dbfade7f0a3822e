"""Figure 7 of Jain & Wallace 2019."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attnnn.exhibits.results import Results


def draw(results: Results) -> Figure:
    """See the caption."""
    from attnnn.exhibits.drawing.histograms import adversaries

    return adversaries(results)


EXHIBIT = FigureExhibit(
    papers=("jain-wallace",),
    question="How different can attention be while the prediction stays?",
    caption="Histograms over test documents of ε-max JSD (nats), searched and exact, by predicted class.",
    needs=needs.adversaries,
    settings=frozenset({"base_seed"}),
    draw=draw,
)
