"""Figure 1 of Jain & Wallace 2019."""

from __future__ import annotations

from attnnn.dag.exhibit import FigureExhibit
from attnnn.dag.stage import Artifact
from attnnn.exhibits import needs
from attnnn.study.config import Study


def _needs(study: Study, corpus: str) -> list[Artifact]:
    return [*needs.described_documents(study, corpus), *needs.adversaries(study, corpus)]


EXHIBIT = FigureExhibit(
    papers=("jain-wallace",),
    question="What does a text look like under its own and under adversarial attention?",
    caption="One test document per corpus, its words shaded by attention: the base model's own, that of "
    "the searched adversary, and that of the exact one (for more than two classes the best "
    "known), each of which may move the prediction by ε at most. Pairs of texts show the question"
    " in place of the exact adversary. Shades are relative to the largest weight of each text; of"
    " a long text the most attended words and their neighbours are shown. The document has the "
    "length nearest to the median among those that the base model classifies correctly, that the "
    "search found an adversary for, and that have at most 25 tokens, as far as there are any.",
    needs=_needs,
    settings=frozenset({"base_seed"}),
    draw="heatmap:opening",
)
