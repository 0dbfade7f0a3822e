"""Figure 1 of Wiegreffe & Pinter 2019."""

from attnnn.dag.exhibit import FigureExhibit

EXHIBIT = FigureExhibit(
    papers=("wiegreffe-pinter",),
    question="Which component does each experiment change?",
    caption="A classifier's parts, and which of them each of Wiegreffe & Pinter's experiments changes: "
    "attention (uniform), the seed, attention imposed on another model, or attention trained to "
    "diverge.",
    draw="schematics:experiments",
)
