"""Table 5 of Wiegreffe & Pinter 2019: every trained adversary."""

from __future__ import annotations

from collections.abc import Iterator

from attnnn.dag.exhibit import TableExhibit
from attnnn.exhibits import needs
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Results
from attnnn.exhibits.sheet import Cell, Sheet, best, measured, protocol_phrase
from attnnn.exhibits.sweeps import (
    TVD_NOTE,
    adversary_facts,
    headline_tvd,
    lambda_of,
    shown_seed,
)
from attnnn.study.model import format_lambda
from attnnn.study.runs import adversary_runs, adversary_seeds


@of_each_corpus
def sweep(results: Results, corpus: str) -> Iterator[Fact]:
    """Table 5: F1, TVD (whole and halved) and JSD of every trained adversary."""
    study = results.study
    for rank, seed in enumerate(adversary_seeds(study, corpus)):
        dataset = None if rank else study.corpora[corpus].published
        for run in adversary_runs(study, corpus, seed):
            setting = Setting(lambda_=lambda_of(run), seed=shown_seed(study, corpus, seed))
            yield from adversary_facts(results, run, setting, "5", dataset)


def sweep_sheet(results: Results, table: Facts) -> Sheet:
    """Table 5 for people."""
    study = results.study
    rows: list[list[Cell | str]] = []
    for corpus in study.corpora:
        headline = headline_tvd(study, corpus)
        for seed in adversary_seeds(study, corpus):
            shown_as = shown_seed(study, corpus, seed)
            settings = {
                format_lambda(value): Setting(lambda_=value, seed=shown_as)
                for value in study.lambdas_of(corpus)
            }
            bold = best([table.get(corpus, setting, "f1") for setting in settings.values()])
            rows.append([])
            for shown, setting in settings.items():
                f1 = table.get(corpus, setting, "f1")
                others = [table.get(corpus, setting, metric) for metric in (headline, "jsd")]
                assert f1 is not None
                cells = [measured(fact) for fact in others]
                best_cell = Cell(measured(f1), f1 in bold)
                rows.append([corpus, str(seed), shown, best_cell, *cells, str(f1.n)])
    return Sheet(
        caption="Trained adversaries by λ on the test split: F1 of class 1 (highest of a sweep in bold), "
        "mean TVD between their predictions and the base model's, mean JSD between their "
        f"attention and the base model's. {protocol_phrase(study)}",
        columns=["corpus", "seed", "λ", "F1", "TVD", "JSD", "n"],
        rows=rows[1:],
        text_columns=3,
        notes=[
            "In brackets: 95 % percentile bootstrap interval over the n test documents. In "
            "parentheses: Wiegreffe & Pinter 2019, table 5, at the same λ, beside the first seed.",
            TVD_NOTE,
        ],
    )


EXHIBIT = TableExhibit(
    papers=("wiegreffe-pinter",),
    question="What does attention that is trained to differ cost, as F1 and as change of predictions?",
    caption="Every trained adversary by λ on the test split: F1 of class 1, mean TVD between its "
    "predictions and the base model's, and mean JSD between its attention and the base model's. "
    "Intervals are 95 % percentile bootstrap intervals over test documents.",
    needs=needs.sweep,
    settings=frozenset({"base_seed", "adversary_seed", "lambdas", "bootstrap"}),
    facts=sweep,
    sheet=sweep_sheet,
)
