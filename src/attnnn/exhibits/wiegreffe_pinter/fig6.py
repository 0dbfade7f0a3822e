"""Figure 6 of Wiegreffe & Pinter 2019."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attnnn.exhibits.results import Results


def draw(results: Results) -> Figure:
    """See the caption."""
    from attnnn.exhibits.drawing.plane import prediction_against_attention_by_class

    return prediction_against_attention_by_class(results)


EXHIBIT = FigureExhibit(
    papers=("wiegreffe-pinter",),
    question="How much change of attention can be had for how little change of predictions, by predicted "
    "class?",
    caption="Mean TVD from the base model's predictions against mean JSD (nats) from its attention over "
    "the n test documents that the base model puts into one class, one panel per corpus and "
    "class: trained adversaries joined by a line in the order of λ, whose values stand beside "
    "them; other seeds of the base model; uniform attention; and per-document adversaries, "
    "searched (the best candidate, and the mean of all) and exact, which the paper does not have."
    " The vertical line is the largest possible JSD, ln 2.",
    needs=needs.plane,
    settings=frozenset({"base_seed", "seeds", "adversary_seed", "lambdas"}),
    draw=draw,
)
