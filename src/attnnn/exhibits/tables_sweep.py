"""Tables 4 and 5 of Wiegreffe & Pinter 2019, and how convex each curve of their figure 5 is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from attnnn.exhibits.intervals import Resampling
from attnnn.exhibits.long_table import Fact, LongTable
from attnnn.exhibits.published import published, published_lambda
from attnnn.exhibits.results import Results
from attnnn.exhibits.sweeps import (
    JSD_FLOOR,
    Choice,
    choose,
    curve,
    headline_tvd,
    lambda_of,
    seed_words,
)
from attnnn.exhibits.tables_f1 import run_f1
from attnnn.exhibits.typeset import Cell, Sheet, best, measured, number, protocol_phrase
from attnnn.measures import convexity_index
from attnnn.study import design
from attnnn.study.design import Run, format_lambda

_PAPER_METRIC = {"tvd": "tvd_mean", "tvd_half": "tvd_mean", "jsd": "jsd_mean"}
_TVD_NOTE = (
    "TVD is |Δp|, halved where the protocol sets tvd_scale = half_scalar, as Wiegreffe & Pinter's "
    "code has it in its loss too: an optimum at λ there is one at 2λ here under tvd_scale = full."
)


def _joined(*words: str) -> str:
    return " ".join(word for word in words if word)


def _adversary(
    results: Results, run: Run, setting: str, table: Literal["4", "5"], printed: bool
) -> Iterator[Fact]:
    study, lambda_ = results.study, lambda_of(run)
    dataset = study.corpora[run.corpus].published if printed else None
    if table == "4":
        lambda_ = published_lambda(dataset) or lambda_
    f1 = published(dataset, table=table, metric="f1_pos", lambda_=lambda_)
    yield run_f1(results, run, setting, f1)
    test = results.divergence(run)
    resampling = Resampling(study, run.corpus)
    headline = headline_tvd(study, run.corpus)
    for metric in ("tvd", "tvd_half", "jsd"):
        of_paper = None
        if metric in (headline, "jsd"):
            of_paper = published(
                dataset, table=table, metric=_PAPER_METRIC[metric], lambda_=lambda_
            )
        values = test.floats(metric)
        low, high = resampling.mean(values)
        value = float(np.mean(values))
        yield Fact(run.corpus, setting, metric, value, low, high, len(test), of_paper)


def sweep(results: Results) -> LongTable:
    """Table 5: F1, TVD (whole and halved) and JSD of every trained adversary."""
    study = results.study
    facts: list[Fact] = []
    for corpus in study.corpora:
        for rank, seed in enumerate(design.adversary_seeds(study, corpus)):
            for run in design.adversary_runs(study, corpus, seed):
                setting = _joined(
                    f"lambda={format_lambda(lambda_of(run))}", seed_words(study, corpus, seed)
                )
                facts += _adversary(results, run, setting, "5", rank == 0)
    return LongTable(facts)


def sweep_sheet(results: Results, table: LongTable) -> Sheet:
    """Table 5 for people."""
    study = results.study
    rows: list[list[Cell | str]] = []
    for corpus in study.corpora:
        headline = headline_tvd(study, corpus)
        for seed in design.adversary_seeds(study, corpus):
            words = seed_words(study, corpus, seed)
            settings = {
                format_lambda(value): _joined(f"lambda={format_lambda(value)}", words)
                for value in study.lambdas_of(corpus)
            }
            bold = best([table.get(corpus, setting, "f1") for setting in settings.values()])
            rows.append([])
            for shown, setting in settings.items():
                f1 = table.get(corpus, setting, "f1")
                others = [table.get(corpus, setting, metric) for metric in (headline, "jsd")]
                assert f1 is not None
                rows.append(
                    [
                        corpus,
                        str(seed),
                        shown,
                        Cell(measured(f1), f1 in bold),
                        *(measured(fact) for fact in others),
                        str(f1.n),
                    ]
                )
    return Sheet(
        name="table5",
        caption="Trained adversaries by λ on the test split: F1 of class 1 (highest of a sweep in bold), "
        "mean TVD between their predictions and the base model's, mean JSD between their "
        f"attention and the base model's. {protocol_phrase(study)}",
        columns=["corpus", "seed", "λ", "F1", "TVD", "JSD", "n"],
        rows=rows[1:],
        text_columns=3,
        notes=[
            "In brackets: 95 % percentile bootstrap interval over the n test documents. In "
            "parentheses: Wiegreffe & Pinter 2019, table 5, at the same λ, beside the first seed.",
            _TVD_NOTE,
        ],
    )


def best_adversaries(results: Results) -> LongTable:
    """Table 4: the adversary of highest F1 among those of mean JSD of at least .4.

    Raises:
        UserError: λ is to be chosen on a split that a corpus does not have.
    """
    study = results.study
    facts: list[Fact] = []
    for corpus in study.corpora:
        split = study.protocol_of(corpus).lambda_select
        for rank, seed in enumerate(design.adversary_seeds(study, corpus)):
            choice = choose(results, corpus, seed, split)
            setting = _joined(f"chosen_on={split}", seed_words(study, corpus, seed))
            facts += _chosen(results, corpus, setting, choice, rank == 0)
    return LongTable(facts)


def _chosen(
    results: Results, corpus: str, setting: str, choice: Choice, printed: bool
) -> Iterator[Fact]:
    dataset = results.study.corpora[corpus].published if printed else None
    n = choice.documents
    yield Fact(corpus, setting, "lambdas_with_jsd_at_least_0.4", choice.qualifying, n=n)
    yield Fact(corpus, setting, "highest_mean_jsd", choice.highest_jsd, n=n)
    lambda_ = None if choice.run is None else lambda_of(choice.run)
    yield Fact(corpus, setting, "lambda", lambda_, n=n, published=published_lambda(dataset))
    if choice.run is not None:
        yield from _adversary(results, choice.run, setting, "4", printed)


def best_adversaries_sheet(results: Results, table: LongTable) -> Sheet:
    """Table 4 for people."""
    study = results.study
    rows: list[list[Cell | str]] = []
    for corpus in study.corpora:
        metrics = ("f1", headline_tvd(study, corpus), "jsd")
        seeds = design.adversary_seeds(study, corpus)
        for seed, setting in zip(seeds, table.settings(corpus), strict=True):
            lambda_ = table.get(corpus, setting, "lambda")
            highest = table.get(corpus, setting, "highest_mean_jsd")
            assert lambda_ is not None
            assert highest is not None
            shown = f"none (highest JSD {number(highest.value)})"
            if lambda_.value is not None:
                shown = format_lambda(lambda_.value)
            if lambda_.published is not None:
                shown += f" ({format_lambda(lambda_.published)})"
            facts = [table.get(corpus, setting, metric) for metric in metrics]
            n = str(facts[0].n) if facts[0] else "–"
            split = setting.split()[0].removeprefix("chosen_on=")
            rows.append([corpus, str(seed), split, shown, *(measured(f) for f in facts), n])
    return Sheet(
        name="table4",
        caption=f"The trained adversary of highest F1 among those of mean JSD of at least {JSD_FLOOR:g}, "
        f"reported on the test split. {protocol_phrase(study)}",
        columns=["corpus", "seed", "λ chosen on", "λ", "F1", "TVD", "JSD", "n"],
        rows=rows,
        text_columns=4,
        notes=[
            "In brackets: 95 % percentile bootstrap interval over the n test documents. In "
            "parentheses: Wiegreffe & Pinter 2019, table 4 (λ chosen on test).",
            _TVD_NOTE,
        ],
    )


def convexity(results: Results) -> LongTable:
    """The convexity index of every curve of figure 5, with an interval over documents."""
    study = results.study
    facts = []
    for corpus in study.corpora:
        for seed in design.adversary_seeds(study, corpus):
            points = curve(results, corpus, seed)
            value = float(convexity_index(points.jsd.mean(axis=1), points.tvd.mean(axis=1)))
            low, high = Resampling(study, corpus).convexity(points.jsd, points.tvd)
            setting = f"seed={seed}"
            n = points.jsd.shape[1]
            facts.append(Fact(corpus, setting, "convexity_index", value, low, high, n))
            facts.append(Fact(corpus, setting, "lambdas", len(points.lambdas), n=n))
    return LongTable(facts)


def convexity_sheet(results: Results, table: LongTable) -> Sheet:
    """The convexity table for people."""
    rows = []
    for corpus in results.study.corpora:
        for setting in table.settings(corpus):
            index = table.get(corpus, setting, "convexity_index")
            count = table.get(corpus, setting, "lambdas")
            assert index is not None
            seed = setting.removeprefix("seed=")
            rows.append([corpus, seed, measured(count, 0), measured(index), str(index.n)])
    return Sheet(
        name="fig5_convexity",
        caption="Convexity index of each λ sweep of figure 5: area between the curve of mean TVD against "
        f"mean JSD and its chord, positive where the curve sags below. {protocol_phrase(results.study)}",
        columns=["corpus", "seed", "λ", "convexity index", "n"],
        rows=rows,
        text_columns=2,
        notes=["In brackets: 95 % percentile bootstrap interval over the n test documents."],
    )
