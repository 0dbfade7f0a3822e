"""Figure 2 of Jain & Wallace 2019."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

EXHIBIT = FigureExhibit(
    papers=("jain-wallace",),
    question="How is the agreement with gradients distributed over documents?",
    caption="Histograms over test documents of Kendall's τ-b between attention and gradients, as "
    "fractions of each predicted class, for the BiLSTM and the average encoder. The dotted line "
    "is τ-b after the gradients were shuffled within each document. n counts the documents of "
    "each class; documents whose τ-b is undefined are counted beside it and not drawn. More than "
    "three classes are drawn together.",
    needs=needs.correlations,
    settings=frozenset({"base_seed"}),
    draw="histograms:gradient_correlations",
)
