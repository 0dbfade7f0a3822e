"""Figure 5 of Wiegreffe & Pinter 2019."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

EXHIBIT = FigureExhibit(
    papers=("wiegreffe-pinter",),
    question="How much change of attention can be had for how little change of predictions?",
    caption="Mean TVD from the base model's predictions against mean JSD (nats) from its attention over "
    "test documents, one panel per corpus: trained adversaries joined by a line in the order of "
    "λ, whose values stand beside them; other seeds of the base model; uniform attention; and "
    "per-document adversaries, searched (the best candidate, and the mean of all) and exact, "
    "which the paper does not have. The vertical line is the largest possible JSD, ln 2.",
    needs=needs.plane,
    settings=frozenset({"base_seed", "seeds", "adversary_seed", "lambdas"}),
    draw="plane:prediction_against_attention",
)
