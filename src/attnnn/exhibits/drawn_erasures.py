"""What figures of erased attention weights show: which models, and the documents of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.dag.stage import Artifact
from attnnn.exhibits.erasures import PAPER_RANKINGS
from attnnn.exhibits.finished import Floats, Results, Table, require_same_documents
from attnnn.stages.erase import STAGE as ERASE
from attnnn.study.config import Study
from attnnn.study.model import Model, Run
from attnnn.study.runs import base_run, network_runs, papers_of

# The keys by which `drawn_runs` chooses.
CHOOSING = frozenset({"papers", "base_seed", "serrano_smith"})
# Which random item the highest weight is compared with.
_DRAW = 0
# The rankings in the order of figures, the paper's first; ascending attention is in tables alone.
RANKINGS = {
    "random": "random",
    "attention": "attention",
    "gradient": "gradient",
    "attention_gradient": "att. × gradient",
    "contribution": "att. × contribution",
    "leave_one_out": "leave-one-out",
    "truth": "planted truth",
    "smallest": "smallest set",
}
# Reasons of a ranking, not of a document, for which there is no number.
_UNRANKED = ("invalid score", "not linear")


def drawn_runs(study: Study, corpus: str) -> list[Run]:
    """The runs whose erasures are drawn: Serrano & Smith's networks, and the base model if it is erased."""
    others = [paper for paper in papers_of(study, corpus) if paper.name != "serrano-smith"]
    base = [base_run(study, corpus)] if others else []
    return list(dict.fromkeys([*network_runs(study, corpus), *base]))


def drawn_erased(study: Study, corpus: str) -> list[Artifact]:
    """What erasing one weight does, in every drawn run."""
    return [ERASE.made("erased", run) for run in drawn_runs(study, corpus)]


def drawn_ranked(study: Study, corpus: str) -> list[Artifact]:
    """How soon the decision changes by every ranking, in every drawn run."""
    return [ERASE.made("ranked", run) for run in drawn_runs(study, corpus)]


def label_of(model: Model) -> str:
    """What a model is called in a figure: FLAN-rnn, BiLSTM; its attention unless that is additive."""
    family, _, encoder = model.encoder.partition("-")
    name = f"{family.upper()}-{encoder}" if encoder else {"bilstm": "BiLSTM"}.get(family, family)
    return name if model.attention == "additive" else f"{name}, {model.attention}"


@dataclass(frozen=True)
class Contrasts:
    """The highest weight i* of each document against a random other one r, the first that was drawn.

    Attributes:
        weight: Δα, shape (documents,), of those that could be tested.
        js: ΔJS, shape (documents,), nats.
        flips: shape (2, 2): documents by whether erasing i* changes the decision (no, yes) and whether
            erasing r does.
        untested: documents that could not be tested, for instance of one token.
    """

    weight: Floats
    js: Floats
    flips: NDArray[np.int64]
    untested: int

    @property
    def negative(self) -> NDArray[np.bool_]:
        """Where erasing r changed the prediction more than erasing i* did."""
        return self.js < 0


def contrasts(results: Results, run: Run) -> Contrasts:
    """The highest weight of every test document of a run against a random other one."""
    table = results.erased(run)
    highest = table.where("rule", "highest")
    other = table.where("rule", "random").where("draw", _DRAW)
    require_same_documents(highest, other)
    js = highest.floats("js") - other.floats("js")
    weight = highest.floats("weight") - other.floats("weight")
    tested = np.isfinite(js)
    flips = np.zeros((2, 2), dtype=np.int64)
    np.add.at(flips, tuple(one.flags("flips")[tested].astype(int) for one in (highest, other)), 1)
    return Contrasts(weight[tested], js[tested], flips, int((~tested).sum()))


def until_flip(results: Results, run: Run, column: str) -> dict[str, Floats]:
    """What has been erased when the decision first changes, by ranking, of the documents that count.

    By switch per_ranking_subset, these are the documents whose decision the ranking changes: all of them, or
    those whose decision every ranking of the paper changes, as in `erasures.summarised`.

    Args:
        results: the study's tables.
        run: whose attention is erased.
        column: fraction (of items) or mass (of attention).

    Returns:
        In the order of `RANKINGS`, without those that rank no document of the run.
    """
    table = results.ranked(run)
    found = {name: table.where("ranking", name) for name in RANKINGS}
    found = {name: one for name, one in found.items() if _ranks(one)}
    require_same_documents(*found.values())
    values = {name: one.floats(column) for name, one in found.items()}
    if results.study.protocol_of(run.corpus).per_ranking_subset:
        return {name: one[np.isfinite(one)] for name, one in values.items()}
    common = np.isfinite([values[name] for name in PAPER_RANKINGS if name in values]).all(axis=0)
    return {name: one[common & np.isfinite(one)] for name, one in values.items()}


def _ranks(table: Table) -> bool:
    """Whether a ranking ranks any document, or could if there were one to be tested."""
    reasons = table.texts("reason")
    ranked = any(reason is None or reason == "never" for reason in reasons)
    return ranked or (len(table) > 0 and not set(reasons) & set(_UNRANKED))
