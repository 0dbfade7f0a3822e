"""What figures of erased attention weights show: which models, and the documents of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attnnn.dag.stage import Artifact
from attnnn.erasure.flips import Flips
from attnnn.erasure.reasons import Reason
from attnnn.erasure.single_weight import contrast, flip_table
from attnnn.exhibits.erasures import rankings, rules, summarised
from attnnn.exhibits.finished import Floats, Results
from attnnn.stages.erase import STAGE as ERASE
from attnnn.study.config import Study
from attnnn.study.model import Model, Run
from attnnn.study.runs import base_run, network_runs, papers_of

# The keys by which `drawn_runs` chooses.
CHOOSING = frozenset({"papers", "base_seed", "serrano_smith"})
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
_UNRANKED = (Reason.INVALID_SCORE, Reason.NOT_LINEAR)


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
    found = rules(results.erased(run))
    highest, random = found["highest"], found["random"]
    tested = highest.reason == Reason.NONE
    difference = contrast(highest, random)
    return Contrasts(
        difference.weight[tested, 0],
        difference.js[tested, 0],
        flip_table(highest, random),
        int((~tested).sum()),
    )


def until_flip(
    results: Results, run: Run, column: Literal["fraction", "mass"]
) -> dict[str, Floats]:
    """What has been erased when the decision first changes, by ranking, of the documents that count.

    Args:
        results: the study's tables.
        run: whose attention is erased.
        column: fraction (of items) or mass (of attention).

    Returns:
        In the order of `RANKINGS`, without those that rank no document of the run; which documents count
        is for `erasures.summarised` to say.
    """
    flips = rankings(results.ranked(run))
    counted = summarised(results, run.corpus, flips)
    return {
        name: getattr(flips[name], column)[counted[name]]
        for name in RANKINGS
        if name in flips and _ranks(flips[name])
    }


def _ranks(flips: Flips) -> bool:
    """Whether a ranking ranks any document, or could if there were one to be tested."""
    ranked = np.isin(flips.reason, (Reason.NONE, Reason.NEVER)).any()
    return bool(ranked or (len(flips.reason) and not np.isin(flips.reason, _UNRANKED).any()))
