"""Figure 8 of Jain & Wallace 2019."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attnnn.exhibits.results import Results


def draw(results: Results) -> Figure:
    """See the caption."""
    from attnnn.exhibits.drawing.class_violins import adversaries

    return adversaries(results)


EXHIBIT = FigureExhibit(
    papers=("jain-wallace",),
    question="How different can attention be while the prediction stays, where it was peaked?",
    caption="ε-max JSD (nats), searched and exact: violins over test documents, by the largest attention "
    "weight and predicted class.",
    needs=needs.adversaries,
    settings=frozenset({"base_seed"}),
    draw=draw,
)
