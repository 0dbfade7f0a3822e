"""Figure 2 of Wiegreffe & Pinter 2019."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnnn.dag.exhibit import FigureExhibit
from attnnn.dag.stage import Artifact
from attnnn.exhibits import needs
from attnnn.stages.search import STAGE as SEARCH
from attnnn.study.config import Study
from attnnn.study.runs import base_run, guide_runs, guiding_run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attnnn.exhibits.results import Results


def draw(results: Results) -> Figure:
    """See the caption."""
    from attnnn.exhibits.drawing.maps import attention_maps

    return attention_maps(results)


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
    caption="One test document per corpus, its tokens shaded by the base model's attention, by the "
    "searched adversary's and by the trained adversary's that guides an MLP. The document is the "
    "one that the base model classifies correctly with the largest JSD between base and trained "
    "adversary among those that fit.",
    needs=_needs,
    settings=frozenset({"base_seed", "adversary_seed", "guide_lambda"}),
    draw=draw,
)
