"""Predictions under log-odds attention (Jain & Wallace 2019, released code)."""

from __future__ import annotations

from attnnn.dag.exhibit import FigureExhibit
from attnnn.dag.stage import Artifact
from attnnn.exhibits import needs
from attnnn.stages.replace import STAGE as REPLACE
from attnnn.study.config import Study
from attnnn.study.runs import base_run, has_log_odds


def _needs(study: Study, corpus: str) -> list[Artifact]:
    base = base_run(study, corpus)
    return [*needs.predictions([base]), REPLACE.made("replacement", base)]


EXHIBIT = FigureExhibit(
    papers=("jain-wallace",),
    question="How far does attention by a bag of words move predictions, by how different it is?",
    caption="Change |Δp| of the base model's prediction when the log-odds of words replace its attention,"
    " against the JSD (nats) between the two attentions: on the left one point per test document,"
    " on the right violins by the JSD's share of ln 2 and predicted class. Lines in a violin are "
    "quartiles; fewer than five documents, or equal ones, are dots; n counts the documents of "
    "each violin. More than three classes are drawn together. Each title gives the share of "
    "documents whose predicted class changes.",
    needs=_needs,
    settings=frozenset({"base_seed"}),
    shows=has_log_odds,
    requires="log_odds: {run: true}",
    draw="violin_figures:log_odds",
)
