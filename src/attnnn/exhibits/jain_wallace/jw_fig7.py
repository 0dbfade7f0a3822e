"""Figure 7 of Jain & Wallace 2019."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

EXHIBIT = FigureExhibit(
    papers=("jain-wallace",),
    question="How different can attention be while the prediction stays?",
    caption="Histograms over test documents of the ε-max JSD (nats) of per-document adversaries that move"
    " the base model's prediction by ε at most, as fractions of each predicted class: on the left"
    " as the paper's search finds them, on the right the exact answer, which the paper does not "
    "have; for more than two classes the best known one, with its upper bound as a dotted line. n"
    " counts the documents of each class. More than three classes are drawn together.",
    needs=needs.adversaries,
    settings=frozenset({"base_seed"}),
    draw="histograms:adversaries",
)
