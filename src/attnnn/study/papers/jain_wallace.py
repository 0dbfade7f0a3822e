"""Jain & Wallace 2019: does attention agree with other measures of importance, and can it be replaced?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnnn.study.papers.paper import Paper

if TYPE_CHECKING:
    from attnnn.study.config import Study
    from attnnn.study.model import Run


def _grid(study: Study, corpus: str) -> list[Run]:
    from attnnn.study.runs import grid_runs

    return grid_runs(study, corpus)


JAIN_WALLACE = Paper(
    name="jain-wallace",
    authors="Jain & Wallace",
    citation="Sarthak Jain and Byron C. Wallace. 2019. Attention is not Explanation. NAACL.",
    about=lambda source: True,
    restriction="",
    explained=_grid,
    attacked=_grid,
)
