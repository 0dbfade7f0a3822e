"""ΔJS over Δα of the highest weight (Serrano & Smith 2019, section 4.1)."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits.erasing import CHOOSING, drawn_erased

EXHIBIT = FigureExhibit(
    papers=("serrano-smith",),
    question="Does erasing the highest attention weight change a prediction more than erasing another?",
    caption="The highest attention weight i* of each test document against a random other one r, the first "
    "drawn: ΔJS, the Jensen-Shannon divergence (nats) between the class distributions before and "
    "after i* is erased minus the same of r, over Δα, the difference of their weights. One panel "
    "per corpus and model; items are tokens, in HANs sentences. A hexagon's shade counts its "
    "documents, on a logarithmic scale; the strips are histograms of Δα and ΔJS, each to a height "
    "of its own. Each panel gives the share of documents below zero, for which r mattered more, "
    "and n, the documents tested; those that cannot be (one item, or one item with all weight) "
    "are counted beneath. All tested documents are shown, where the paper's figure thins dense "
    "regions to ten points per .005 of Δα and leaves out the largest ΔJS.",
    needs=drawn_erased,
    settings=CHOOSING,
    draw="erasing:single_weights",
)
