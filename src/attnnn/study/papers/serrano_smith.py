"""Serrano & Smith 2019: does attention find what a model's decision rests on? They erase it and look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnnn.study.papers.paper import Paper, no_runs

if TYPE_CHECKING:
    from attnnn.study.config import Study
    from attnnn.study.model import Run


def _erased(study: Study, corpus: str) -> list[Run]:
    from attnnn.study.runs import erased_runs_of_others, network_runs

    return [*network_runs(study, corpus), *erased_runs_of_others(study, corpus)]


SERRANO_SMITH = Paper(
    name="serrano-smith",
    authors="Serrano & Smith",
    citation="Sofia Serrano and Noah A. Smith. 2019. Is Attention Interpretable? ACL.",
    about=lambda source: not source.pairs,
    restriction="single texts",
    explained=no_runs,
    attacked=no_runs,
    erased=_erased,
)
