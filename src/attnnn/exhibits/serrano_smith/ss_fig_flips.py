"""Decision flips of the highest weight and of another (Serrano & Smith 2019, section 4.2)."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits.drawn_erasures import CHOOSING, drawn_erased

EXHIBIT = FigureExhibit(
    papers=("serrano-smith",),
    question="How often does erasing the highest attention weight, or another, change the decision?",
    caption="Test documents by whether the predicted class changes only when the highest attention weight i* "
    "is erased, only when that of a random other item r is (the first drawn), in both cases, or in "
    "neither; the other weights are renormalised, and items are tokens, in HANs sentences. One bar per "
    "model, its percentages beside it. n counts the documents tested, which have two items or more and "
    "weight on two. The paper prints these numbers as tables of two by two.",
    needs=drawn_erased,
    settings=CHOOSING,
    draw="single_erasures:decision_flips",
)
