"""Figure 1 of Jain & Wallace 2019."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnnn.dag.exhibit import FigureExhibit
from attnnn.dag.stage import Artifact
from attnnn.exhibits import needs
from attnnn.study.config import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attnnn.exhibits.results import Results


def draw(results: Results) -> Figure:
    """See the caption."""
    from attnnn.exhibits.drawing.heatmap import opening

    return opening(results)


def _needs(study: Study, corpus: str) -> list[Artifact]:
    return [*needs.documents(study, corpus), *needs.adversaries(study, corpus)]


EXHIBIT = FigureExhibit(
    papers=("jain-wallace",),
    question="What does a text look like under its own and under adversarial attention?",
    caption="One test document per corpus under the base model's attention and under the per-document "
    "adversaries that keep its prediction within ε, searched and exact.",
    needs=_needs,
    settings=frozenset({"base_seed"}),
    draw=draw,
)
