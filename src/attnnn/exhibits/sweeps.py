"""The λ sweep of the trained adversaries, as tables 4 and 5 and the convexity table read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from attnnn.errors import UserError
from attnnn.exhibits.results import Floats, Results, require_same_documents
from attnnn.measures import f1_score
from attnnn.study import design
from attnnn.study.config import Study
from attnnn.study.design import Run

TvdMetric = Literal["tvd", "tvd_half"]
JSD_FLOOR = 0.4  # Wiegreffe & Pinter 2019, table 4


@dataclass(frozen=True)
class Curve:
    """Divergence of a sweep's adversaries from the base model, document by document.

    Attributes:
        lambdas: ascending.
        jsd: nats, shape (lambdas, documents).
        tvd: in the scale of switch tvd_scale, shape (lambdas, documents).
    """

    lambdas: list[float]
    jsd: Floats
    tvd: Floats


def headline_tvd(study: Study, corpus: str) -> TvdMetric:
    """The column that switch tvd_scale makes the headline."""
    return "tvd" if study.protocol_of(corpus).tvd_scale == "full" else "tvd_half"


def seed_words(study: Study, corpus: str, seed: int) -> str:
    """``seed=…`` where a corpus has sweeps of more than one seed, else nothing."""
    return f"seed={seed}" if len(design.adversary_seeds(study, corpus)) > 1 else ""


def lambda_of(run: Run) -> float:
    """λ of a trained adversary."""
    assert run.model.lambda_ is not None
    return run.model.lambda_


def curve(results: Results, corpus: str, seed: int, split: str = "test") -> Curve:
    """The sweep of one seed on one split."""
    study = results.study
    runs = design.adversary_runs(study, corpus, seed)
    tables = [results.divergence(run, split) for run in runs]
    require_same_documents(*tables)
    return Curve(
        [lambda_of(run) for run in runs],
        np.stack([table.floats("jsd") for table in tables]),
        np.stack([table.floats(headline_tvd(study, corpus)) for table in tables]),
    )


@dataclass(frozen=True)
class Choice:
    """The adversary of table 4: highest F1 among those of mean JSD of at least `JSD_FLOOR`.

    Attributes:
        run: the chosen adversary; None where none diverges that far.
        qualifying: how many λ do.
        highest_jsd: the highest mean JSD of the sweep on the choosing split.
        documents: of the choosing split.
    """

    run: Run | None
    qualifying: int
    highest_jsd: float
    documents: int


def choose(results: Results, corpus: str, seed: int, split: str) -> Choice:
    """Choose λ on a split; of equal F1, the one that diverges more.

    Args:
        results: the study's tables.
        corpus: the corpus.
        seed: seed of the sweep.
        split: switch lambda_select; the paper chose on test.

    Raises:
        UserError: the corpus has no such split.
    """
    runs = design.adversary_runs(results.study, corpus, seed)
    documents = len(results.divergence(runs[0], split))
    if documents == 0:
        raise UserError(
            f"switches.lambda_select: {split}: corpus {corpus} has no {split} split to choose λ on; "
            "set it to test for this corpus, or give the corpus such a split"
        )
    jsd = [float(np.mean(results.divergence(run, split).floats("jsd"))) for run in runs]
    scored = []
    for run, divergence in zip(runs, jsd, strict=True):
        if divergence >= JSD_FLOOR:
            table = results.predictions(run, split)
            f1 = float(f1_score(table.ints("label"), table.predicted))
            scored.append((f1, divergence, run))
    chosen = max(scored, key=lambda item: item[:2])[2] if scored else None
    return Choice(chosen, len(scored), max(jsd), documents)
