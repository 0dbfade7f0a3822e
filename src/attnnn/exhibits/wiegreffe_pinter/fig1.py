"""Figure 1 of Wiegreffe & Pinter 2019."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attnnn.exhibits.results import Results


def draw(results: Results) -> Figure:
    """See the caption."""
    from attnnn.exhibits.drawing.schematics import experiments

    return experiments(results)


EXHIBIT = FigureExhibit(
    papers=("wiegreffe-pinter",),
    question="Which component does each experiment change?",
    caption="A classifier's parts, and which of them each of Wiegreffe & Pinter's experiments changes: "
    "attention (uniform), the seed, attention imposed on another model, or attention trained to "
    "diverge.",
    needs=needs.nothing,
    draw=draw,
)
