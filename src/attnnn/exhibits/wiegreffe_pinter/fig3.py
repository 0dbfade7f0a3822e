"""Figure 3 of Wiegreffe & Pinter 2019."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

EXHIBIT = FigureExhibit(
    papers=("wiegreffe-pinter",),
    question="Do seeds alone move attention as far as an adversary does?",
    caption="Divergence from the base model's attention (JSD, nats) over test documents, by the base "
    "model's largest attention weight and predicted class: of the same model with other seeds "
    "(median over seeds), and of per-document adversaries that move the prediction by ε at most, "
    "searched and exact; the paper has no exact ones. Lines in a violin are quartiles; fewer than"
    " five documents, or equal ones, are dots; n counts the documents of each violin. More than "
    "three classes are drawn together.",
    needs=needs.shifts,
    settings=frozenset({"base_seed", "seeds"}),
    draw="violin_figures:attention_shift",
)
