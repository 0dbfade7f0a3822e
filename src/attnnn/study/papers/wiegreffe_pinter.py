"""Wiegreffe & Pinter 2019: what does attention that is trained to differ cost, and what is it worth?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnnn.study.papers.paper import Paper

if TYPE_CHECKING:
    from attnnn.study.config import Study
    from attnnn.study.model import Run


def _explained(study: Study, corpus: str) -> list[Run]:
    from attnnn.study.runs import average_run, base_run

    return [base_run(study, corpus), average_run(study, corpus)]


def _attacked(study: Study, corpus: str) -> list[Run]:
    from attnnn.study.runs import base_run

    return [base_run(study, corpus)]


WIEGREFFE_PINTER = Paper(
    name="wiegreffe-pinter",
    authors="Wiegreffe & Pinter",
    citation="Sarah Wiegreffe and Yuval Pinter. 2019. Attention is not not Explanation. EMNLP.",
    about=lambda source: source.two_classes,
    restriction="two classes",
    explained=_explained,
    attacked=_attacked,
)
