"""Figure 4 of Wiegreffe & Pinter 2019."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attnnn.exhibits.results import Results


def draw(results: Results) -> Figure:
    """See the caption."""
    from attnnn.exhibits.drawing.schematics import guided_mlp

    return guided_mlp(results)


EXHIBIT = FigureExhibit(
    papers=("wiegreffe-pinter",),
    question="What is a guided MLP?",
    caption="The diagnostic model of Wiegreffe & Pinter: a token-level MLP whose attention is imposed by "
    "another model.",
    needs=needs.nothing,
    draw=draw,
)
