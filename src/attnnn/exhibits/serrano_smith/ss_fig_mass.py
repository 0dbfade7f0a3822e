"""Attention erased until the decision changes (Serrano & Smith 2019, section 5)."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits.erasing import CHOOSING, drawn_ranked

EXHIBIT = FigureExhibit(
    papers=("serrano-smith",),
    question="How much attention must be erased until the decision changes, by which order?",
    caption="Attention that the erased items of a test document had when its predicted class first "
    "changes, when items are erased in the order of a ranking, the highest first, and the other weights "
    "renormalised. The paper has random order, attention, gradient and attention × gradient; "
    "contribution to the decision × attention, leave-one-out, the planted truth and the smallest "
    "set that changes the decision are added where there are such. One panel per corpus and model. "
    "Boxes are quartiles, the thick line is the median, whiskers reach from the 5th to the 95th "
    "percentile. The number beside a box counts its documents: those that every ranking of the "
    "panel flips before the last item goes, where the paper draws each ranking over the documents "
    "that it flips (switch per_ranking_subset) and counts those that flip with the last item "
    "(count_full_erasure).",
    needs=drawn_ranked,
    settings=CHOOSING,
    draw="erasing:mass_until_flip",
)
