"""How convex each curve of figure 5 of Wiegreffe & Pinter 2019 is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.dag.exhibit import TableExhibit
from attnnn.exhibits import needs
from attnnn.exhibits.estimates import estimate, mean
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Floats, Results, require_same_documents
from attnnn.exhibits.sheet import Sheet, measured, protocol_phrase
from attnnn.exhibits.sweeps import headline_tvd
from attnnn.measures import convexity_index
from attnnn.study.runs import adversary_runs, adversary_seeds


@of_each_corpus
def convexity(results: Results, corpus: str) -> Iterator[Fact]:
    """The convexity index of every curve of figure 5, with an interval over documents."""
    study = results.study
    for seed in adversary_seeds(study, corpus):
        tables = [results.divergence(run) for run in adversary_runs(study, corpus, seed)]
        require_same_documents(*tables)
        jsd = [table.floats("jsd") for table in tables]
        tvd = [table.floats(headline_tvd(study, corpus)) for table in tables]
        setting = Setting(seed=seed)
        yield estimate(study, corpus, setting, "convexity_index", _index, *jsd, *tvd)
        yield Fact(corpus, setting, "lambdas", len(tables), n=len(tables[0]))


def _index(*columns: Floats) -> Floats:
    """Convexity of mean TVD against mean JSD; the columns: JSD of every point, then TVD of every point."""
    means = np.stack([mean(column) for column in columns], axis=-1)
    jsd, tvd = np.split(means, 2, axis=-1)
    return convexity_index(jsd, tvd)


def convexity_sheet(results: Results, table: Facts) -> Sheet:
    """The convexity table for people."""
    rows = []
    for corpus in results.study.corpora:
        for setting in table.settings(corpus):
            index = table.get(corpus, setting, "convexity_index")
            count = table.get(corpus, setting, "lambdas")
            assert index is not None
            seed = str(setting["seed"])
            rows.append([corpus, seed, measured(count, 0), measured(index), str(index.n)])
    return Sheet(
        caption="Convexity index of each λ sweep of figure 5: area between the curve of mean TVD against "
        f"mean JSD and its chord, positive where the curve sags below. {protocol_phrase(results.study)}",
        columns=["corpus", "seed", "λ", "convexity index", "n"],
        rows=rows,
        text_columns=2,
        notes=["In brackets: 95 % percentile bootstrap interval over the n test documents."],
    )


EXHIBIT = TableExhibit(
    papers=("wiegreffe-pinter",),
    question="How convex is each curve of Figure 5? The paper judges by eye.",
    caption="Convexity index of each λ sweep of figure 5: the area between the curve of mean TVD against "
    "mean JSD and its chord, positive where the curve sags below. Intervals are 95 % percentile "
    "bootstrap intervals over test documents.",
    needs=needs.sweep,
    settings=frozenset({"base_seed", "adversary_seed", "lambdas", "bootstrap"}),
    facts=convexity,
    sheet=convexity_sheet,
)
