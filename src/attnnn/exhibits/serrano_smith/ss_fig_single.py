"""ΔJS over Δα of the highest weight (Serrano & Smith 2019, section 4.1)."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits.drawn_erasures import CHOOSING, drawn_erased

EXHIBIT = FigureExhibit(
    papers=("serrano-smith",),
    question="Does erasing the highest attention weight change a prediction more than erasing another?",
    caption="The highest attention weight i* of each test document against a random other one r, the first "
    "drawn: ΔJS, the Jensen-Shannon divergence (nats) between the class distributions before and "
    "after i* is erased minus the same of r, over Δα, the difference of their weights. One panel per "
    "corpus and model, panels of a corpus on one scale; items are tokens, in HANs sentences. A "
    "hexagon's shade counts its documents, on a logarithmic scale; the strips are histograms of Δα "
    "and ΔJS, each to a height of its own. Above each panel stand n, the documents tested, of how "
    "many where some cannot be (one item, or all weight on one), and the share of n below zero, "
    "where r mattered more. All tested documents are shown, where the paper's figure thins dense "
    "regions to ten points per .005 of Δα and leaves out the largest ΔJS.",
    needs=drawn_erased,
    settings=CHOOSING,
    draw="single_erasures:single_weights",
)
