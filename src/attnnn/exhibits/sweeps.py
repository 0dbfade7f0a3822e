"""The λ sweep of the trained adversaries, as tables 4 and 5 and the convexity table read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attnnn.errors import UserError
from attnnn.exhibits.estimates import estimate, mean
from attnnn.exhibits.facts import Fact, Setting
from attnnn.exhibits.finished import Results
from attnnn.exhibits.performance import run_f1
from attnnn.measures import f1_score
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.papers.published import published, published_lambda
from attnnn.study.runs import adversary_runs, adversary_seeds

TvdMetric = Literal["tvd", "tvd_half"]
TVD_NOTE = (
    "TVD is |Δp|, halved where the protocol sets tvd_scale = half_scalar, as Wiegreffe & Pinter's "
    "code has it in its loss too: an optimum at λ there is one at 2λ here under tvd_scale = full."
)
JSD_FLOOR = 0.4  # Wiegreffe & Pinter 2019, table 4


def headline_tvd(study: Study, corpus: str) -> TvdMetric:
    """The column that switch tvd_scale makes the headline."""
    return "tvd" if study.protocol_of(corpus).tvd_scale == "full" else "tvd_half"


def shown_seed(study: Study, corpus: str, seed: int) -> int | None:
    """The seed, in settings of a corpus that has sweeps of more than one; else None."""
    return seed if len(adversary_seeds(study, corpus)) > 1 else None


def lambda_of(run: Run) -> float:
    """λ of a trained adversary."""
    assert run.model.lambda_ is not None
    return run.model.lambda_


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
    runs = adversary_runs(results.study, corpus, seed)
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


def adversary_facts(
    results: Results, run: Run, setting: Setting, table: Literal["4", "5"], dataset: str | None
) -> Iterator[Fact]:
    """F1, TVD (whole and halved) and JSD of a trained adversary on the test split.

    Args:
        results: the study's tables.
        run: the adversary.
        setting: of the facts.
        table: of Wiegreffe & Pinter 2019 whose numbers stand beside them.
        dataset: as that paper calls it; None: no numbers do.
    """
    study, lambda_ = results.study, lambda_of(run)
    if table == "4":
        lambda_ = published_lambda(dataset) or lambda_
    f1 = published(dataset, table=table, metric="f1_pos", lambda_=lambda_)
    yield run_f1(results, run, setting, f1)
    test = results.divergence(run)
    of_paper = {headline_tvd(study, run.corpus): "tvd_mean", "jsd": "jsd_mean"}
    for metric in ("tvd", "tvd_half", "jsd"):
        printed = None
        if metric in of_paper:
            printed = published(dataset, table=table, metric=of_paper[metric], lambda_=lambda_)
        values = test.floats(metric)
        yield estimate(study, run.corpus, setting, metric, mean, values, published=printed)
