"""Table 4 of Wiegreffe & Pinter 2019: the best adversary among those that attend differently."""

from __future__ import annotations

from collections.abc import Iterator

from attnnn.dag.exhibit import TableExhibit
from attnnn.exhibits import needs
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Results
from attnnn.exhibits.sheet import Cell, Sheet, measured, number, protocol_phrase
from attnnn.exhibits.sweeps import (
    JSD_FLOOR,
    TVD_NOTE,
    adversary_facts,
    choose,
    headline_tvd,
    lambda_of,
    shown_seed,
)
from attnnn.study.model import format_lambda
from attnnn.study.papers.published import published_lambda
from attnnn.study.runs import adversary_seeds


@of_each_corpus
def best_adversaries(results: Results, corpus: str) -> Iterator[Fact]:
    """Table 4: the adversary of highest F1 among those of mean JSD of at least .4.

    Raises:
        UserError: λ is to be chosen on a split that a corpus does not have.
    """
    study = results.study
    split = study.protocol_of(corpus).lambda_select
    for rank, seed in enumerate(adversary_seeds(study, corpus)):
        dataset = None if rank else study.corpora[corpus].published
        choice = choose(results, corpus, seed, split)
        setting = Setting(chosen_on=split, seed=shown_seed(study, corpus, seed))
        n = choice.documents
        yield Fact(corpus, setting, "lambdas_with_jsd_at_least_0.4", choice.qualifying, n=n)
        yield Fact(corpus, setting, "highest_mean_jsd", choice.highest_jsd, n=n)
        lambda_ = None if choice.run is None else lambda_of(choice.run)
        yield Fact(corpus, setting, "lambda", lambda_, n=n, published=published_lambda(dataset))
        if choice.run is not None:
            yield from adversary_facts(results, choice.run, setting, "4", dataset)


def best_adversaries_sheet(results: Results, table: Facts) -> Sheet:
    """Table 4 for people."""
    study = results.study
    rows: list[list[Cell | str]] = []
    for corpus in study.corpora:
        metrics = ("f1", headline_tvd(study, corpus), "jsd")
        seeds = adversary_seeds(study, corpus)
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
            split = setting["chosen_on"]
            rows.append([corpus, str(seed), split, shown, *(measured(f) for f in facts), n])
    return Sheet(
        caption=f"The trained adversary of highest F1 among those of mean JSD of at least {JSD_FLOOR:g}, "
        f"reported on the test split. {protocol_phrase(study)}",
        columns=["corpus", "seed", "λ chosen on", "λ", "F1", "TVD", "JSD", "n"],
        rows=rows,
        text_columns=4,
        notes=[
            "In brackets: 95 % percentile bootstrap interval over the n test documents. In "
            "parentheses: Wiegreffe & Pinter 2019, table 4 (λ chosen on test).",
            TVD_NOTE,
        ],
    )


EXHIBIT = TableExhibit(
    papers=("wiegreffe-pinter",),
    question="What does the best adversary that attends differently cost, as F1 and as change of "
    "predictions?",
    caption="The trained adversary of highest F1 among those of mean JSD of at least .4 to the base "
    "model's attention: its F1, its mean TVD from the base model's predictions and its mean JSD "
    "on the test split. λ is chosen on the split that the table names; the paper chose on test. "
    "Intervals are 95 % percentile bootstrap intervals over test documents.",
    needs=needs.sweep,
    settings=frozenset({"base_seed", "adversary_seed", "lambdas", "bootstrap"}),
    facts=best_adversaries,
    sheet=best_adversaries_sheet,
)
