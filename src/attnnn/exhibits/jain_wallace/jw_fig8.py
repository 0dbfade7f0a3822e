"""Figure 8 of Jain & Wallace 2019."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

EXHIBIT = FigureExhibit(
    papers=("jain-wallace",),
    question="How different can attention be while the prediction stays, where it was peaked?",
    caption="ε-max JSD (nats) of per-document adversaries that move the base model's prediction by ε at "
    "most: on the left as the paper's search finds them, on the right the exact answer, which the"
    " paper does not have; for more than two classes the best known one. Violins over test "
    "documents, by the largest weight of the base model's attention and predicted class. Lines in"
    " a violin are quartiles; fewer than five documents, or equal ones, are dots; n counts the "
    "documents of each violin. More than three classes are drawn together.",
    needs=needs.adversaries,
    settings=frozenset({"base_seed"}),
    draw="violin_figures:adversaries",
)
