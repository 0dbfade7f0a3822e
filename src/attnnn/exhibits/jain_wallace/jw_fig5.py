"""Figure 5 of Jain & Wallace 2019."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attnnn.exhibits.results import Results


def draw(results: Results) -> Figure:
    """See the caption."""
    from attnnn.exhibits.drawing.histograms import leave_one_out_correlations

    return leave_one_out_correlations(results)


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
    draw=draw,
)
