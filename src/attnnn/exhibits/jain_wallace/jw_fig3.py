"""Figure 3 of Jain & Wallace 2019."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attnnn.exhibits.results import Results


def draw(results: Results) -> Figure:
    """See the caption."""
    from attnnn.exhibits.drawing.differences import beside_leave_one_out

    return beside_leave_one_out(results)


EXHIBIT = FigureExhibit(
    papers=("jain-wallace",),
    question="Do gradients and leave-one-out agree with each other more than attention does with leave-"
    "one-out?",
    caption="Mean difference over test documents between τ-b of gradients with leave-one-out and τ-b of "
    "attention with leave-one-out, by corpus and predicted class, with 95 % bootstrap intervals.",
    needs=needs.correlation,
    settings=frozenset({"base_seed", "bootstrap"}),
    draw=draw,
)
