"""Figure 5 of Jain & Wallace 2019."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

EXHIBIT = FigureExhibit(
    papers=("jain-wallace",),
    question="How is the agreement with leave-one-out distributed over documents?",
    caption="Histograms over test documents of Kendall's τ-b between attention and leave-one-out "
    "importance of the BiLSTM, as fractions of each predicted class. The dotted line is τ-b after"
    " leave-one-out importance was shuffled within each document. n counts the documents of each "
    "class; documents whose τ-b is undefined are counted beside it and not drawn. More than three"
    " classes are drawn together.",
    needs=needs.correlation,
    settings=frozenset({"base_seed"}),
    draw="histograms:leave_one_out_correlations",
)
