"""Figure 2 of Wiegreffe & Pinter 2019."""

from __future__ import annotations

from attnnn.dag.exhibit import FigureExhibit
from attnnn.dag.stage import Artifact
from attnnn.exhibits import needs
from attnnn.stages.search import STAGE as SEARCH
from attnnn.study.config import Study
from attnnn.study.runs import base_run, guide_runs, guiding_run


def _needs(study: Study, corpus: str) -> list[Artifact]:
    base = base_run(study, corpus)
    guide = guiding_run(study.base_seed, guide_runs(study, corpus)["adversary"])
    assert guide is not None
    return [
        *needs.documents(study, corpus),
        *needs.predictions([base, guide]),
        SEARCH.made("adversary", base),
    ]


EXHIBIT = FigureExhibit(
    papers=("wiegreffe-pinter",),
    question="What does one document look like under base, searched and trained attention?",
    caption="One test document per corpus, its tokens shaded by the base model's attention, by that of "
    "the searched adversary, and by that of the trained adversary which guides an MLP, with each "
    "one's probability of class 1, JSD (nats) from the base model's attention, and largest "
    "weight. The document has the length nearest to the median among those that the base model "
    "classifies correctly, that the search found an adversary for, and that have at most 25 "
    "tokens, as far as there are any; of a longer one, the 25 neighbouring tokens with the most "
    "weight are shown.",
    needs=_needs,
    settings=frozenset({"base_seed", "adversary_seed", "guide_lambda"}),
    draw="maps:attention_maps",
)
