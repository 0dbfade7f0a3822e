"""Δα where ΔJS is negative (Serrano & Smith 2019, section 4.1)."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits.drawn_erasures import CHOOSING, drawn_erased

EXHIBIT = FigureExhibit(
    papers=("serrano-smith",),
    question="Where erasing another weight matters more than erasing the highest, were the two nearly equal?",
    caption="Histograms, in bins of .05, of Δα, the highest attention weight i* of a test document minus "
    "that of a random other item r: filled, of the documents with negative ΔJS, whose class "
    "distribution moved further (Jensen-Shannon divergence) when r was erased than when i* was, as a "
    "fraction of these; the line, of all tested documents, as a fraction of all. One panel per "
    "corpus and model; n counts the documents of the filled histogram, of all those tested. The "
    "paper has the filled histograms alone.",
    needs=drawn_erased,
    settings=CHOOSING,
    draw="single_erasures:negative_contrasts",
)
