"""Figure 4 of Wiegreffe & Pinter 2019."""

from attnnn.dag.exhibit import FigureExhibit

EXHIBIT = FigureExhibit(
    papers=("wiegreffe-pinter",),
    question="What is a guided MLP?",
    caption="The diagnostic model of Wiegreffe & Pinter: a token-level MLP whose attention is imposed by "
    "another model.",
    draw="schematics:guided_mlp",
)
