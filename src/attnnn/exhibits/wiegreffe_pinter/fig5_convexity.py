"""How convex each curve of figure 5 of Wiegreffe & Pinter 2019 is."""

from __future__ import annotations

from attnnn.dag.exhibit import TableExhibit
from attnnn.exhibits import needs
from attnnn.exhibits.facts import Fact, Facts, Setting
from attnnn.exhibits.intervals import Resampling
from attnnn.exhibits.results import Results
from attnnn.exhibits.sheet import Sheet, measured, protocol_phrase
from attnnn.exhibits.sweeps import (
    curve,
)
from attnnn.measures import convexity_index
from attnnn.study.runs import adversary_seeds


def convexity(results: Results) -> Facts:
    """The convexity index of every curve of figure 5, with an interval over documents."""
    study = results.study
    facts = []
    for corpus in study.corpora:
        for seed in adversary_seeds(study, corpus):
            points = curve(results, corpus, seed)
            value = float(convexity_index(points.jsd.mean(axis=1), points.tvd.mean(axis=1)))
            low, high = Resampling(study, corpus).convexity(points.jsd, points.tvd)
            setting = Setting(seed=seed)
            n = points.jsd.shape[1]
            facts.append(Fact(corpus, setting, "convexity_index", value, low, high, n))
            facts.append(Fact(corpus, setting, "lambdas", len(points.lambdas), n=n))
    return Facts(facts)


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
        name="fig5_convexity",
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
