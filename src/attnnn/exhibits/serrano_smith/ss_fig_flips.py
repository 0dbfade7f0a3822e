"""Decision flips of the highest weight and of another (Serrano & Smith 2019, section 4.2)."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits.erasing import CHOOSING, drawn_erased

EXHIBIT = FigureExhibit(
    papers=("serrano-smith",),
    question="How often does erasing the highest attention weight change the decision, and how often another?",
    caption="Test documents by whether the predicted class changes when the highest attention weight i* is "
    "erased, when that of a random other item r is (the first drawn), when either is, or in "
    "neither case; the other weights are renormalised. One bar per model, its percentages beside "
    "it. n counts the documents tested: those of one item, or with all weight on one, are left "
    "out. The paper prints these numbers as tables of two by two.",
    needs=drawn_erased,
    settings=CHOOSING,
    draw="erasing:decision_flips",
)
