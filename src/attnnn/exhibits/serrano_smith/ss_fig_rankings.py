"""Items erased until the decision changes (Serrano & Smith 2019, section 5)."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits.drawn_erasures import CHOOSING, drawn_ranked

EXHIBIT = FigureExhibit(
    papers=("serrano-smith",),
    question="How much of a document must be erased until the decision changes, by which order?",
    caption="Fraction of a test document's items (tokens, in HANs sentences) erased when the predicted class "
    "first changes, items being erased in the order of a ranking, the highest first, and the other "
    "weights renormalised. The paper has random order, attention, gradient and attention × gradient; "
    "added are attention × contribution (to the decision), leave-one-out and the planted truth where "
    "there are such, and the smallest set that changes the decision. One panel per corpus and model. "
    "Boxes are quartiles, the thick line is the median, whiskers reach from the 5th to the 95th "
    "percentile; fewer than five documents are dots. The number beside each box counts its "
    "documents: of those whose decision each of the four changes, the ones that its own ranking changes; "
    "where the protocol sets per_ranking_subset, as in the paper, all that its ranking changes. A decision "
    "that changes with the last item alone counts only where it sets count_full_erasure, as in the paper.",
    needs=drawn_ranked,
    settings=CHOOSING,
    draw="ranked_erasures:fractions_until_flip",
)
