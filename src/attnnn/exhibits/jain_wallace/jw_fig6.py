"""Figure 6 of Jain & Wallace 2019."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

EXHIBIT = FigureExhibit(
    papers=("jain-wallace",),
    question="How far do predictions move when attention is shuffled, by how peaked it was?",
    caption="Change of the base model's prediction when its attention is permuted: |Δp|, for more than "
    "two classes the total variation distance, as the median over permutations. Violins over test"
    " documents, by the document's largest attention weight and predicted class. Lines in a "
    "violin are quartiles; fewer than five documents, or equal ones, are dots; n counts the "
    "documents of each violin. More than three classes are drawn together.",
    needs=needs.permutation,
    settings=frozenset({"base_seed", "permutations"}),
    draw="violin_figures:permuted",
)
