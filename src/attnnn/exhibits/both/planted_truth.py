"""Scores against the truth that planted corpora carry: which tokens decide the label."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.dag.exhibit import TableExhibit
from attnnn.dag.stage import Artifact
from attnnn.exhibits import needs
from attnnn.exhibits.correlations import SCORE_NAMES, SIGNED
from attnnn.exhibits.estimates import estimate, mean
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Floats, Ints, Results, Table, require_same_documents
from attnnn.exhibits.performance import hits, run_f1
from attnnn.exhibits.sheet import Sheet, measured, protocol_phrase
from attnnn.measures import f1_score
from attnnn.stages.measure import METHODS
from attnnn.stages.measure import STAGE as MEASURE
from attnnn.study.config import Study
from attnnn.study.runs import base_run, uniform_run


def _planted(study: Study, corpus: str) -> bool:
    return study.corpora[corpus].source.kind == "planted"


@of_each_corpus
def planted_truth(results: Results, corpus: str) -> Iterator[Fact]:
    """Hit rates and attention mass on deciding tokens, and F1 with and without attention."""
    if not _planted(results.study, corpus):
        return
    base = base_run(results.study, corpus)
    documents, predictions = results.documents(corpus), results.predictions(base)
    require_same_documents(documents, predictions)
    truth = documents.ragged("truth")
    decided = truth.sums() > 0
    without = int((~decided).sum())
    yield Fact(corpus, Setting("truth"), "documents_without_truth", without, n=len(documents))
    truth = truth.take(decided)

    def of(name: str, metric: str, values: Floats) -> Fact:
        return estimate(results.study, corpus, Setting(name), metric, mean, values)

    attention = predictions.ragged("attention").take(decided)
    share = truth.means()
    yield of("attention", "hit_rate", hits(attention, truth))
    for method in METHODS:
        importance = results.importance(base, method)
        require_same_documents(documents, importance)
        scores = importance.ragged("importance").take(decided)
        yield of(method, "hit_rate", hits(scores, truth))
    for name, found in results.predicted_scores(base).items():
        found_by = hits(found.take(decided), truth) if found is not None else np.zeros(0)
        yield of(name, "hit_rate", found_by)
    yield of("chance", "hit_rate", share)
    mass = attention.with_values(np.where(truth.values == 1, attention.values, 0)).sums()
    yield of("attention", "mass_on_truth", mass)
    # The mass that uniform attention gives the deciding tokens is their share of the document, too.
    yield of("chance", "mass_on_truth", share)
    yield from _f1(results, corpus, predictions)


def _f1(results: Results, corpus: str, base: Table) -> Iterator[Fact]:
    study = results.study
    yield run_f1(results, base_run(study, corpus), Setting("base_lstm"))
    if "wiegreffe-pinter" not in study.papers:
        return  # such a study has no model with uniform attention
    attending_uniformly = uniform_run(study, corpus)
    uniform = results.predictions(attending_uniformly)
    require_same_documents(base, uniform)
    yield run_f1(results, attending_uniformly, Setting("uniform_lstm"))
    columns = base.ints("label"), base.predicted, uniform.predicted
    yield estimate(study, corpus, Setting("base_minus_uniform"), "f1", _difference, *columns)


def _difference(label: Ints, first: Ints, second: Ints) -> Floats:
    return f1_score(label, first) - f1_score(label, second)


def planted_truth_sheet(results: Results, table: Facts) -> Sheet:
    """The planted-truth table for people: corpora as columns."""
    corpora = [corpus for corpus in results.study.corpora if _planted(results.study, corpus)]
    lines = list(dict.fromkeys((fact.metric, fact.setting) for fact in table))
    rows: list[list[str]] = []
    previous = ""
    for metric, setting in lines:
        if previous not in ("", metric):
            rows.append([])
        previous = metric
        digits = 0 if metric.startswith("documents") else 3
        cells = [measured(table.get(corpus, setting, metric), digits) for corpus in corpora]
        of = SCORE_NAMES.get(str(setting), str(setting).replace("_", " "))
        rows.append([metric.replace("_", " "), of, *cells])
    return Sheet(
        caption=f"Planted corpora: do the scores of the base model find the tokens that decide the label? "
        f"{protocol_phrase(results.study)}",
        columns=["metric", "of", *corpora],
        rows=rows,
        text_columns=2,
        notes=[
            "Hit rate: share of test documents whose highest-scoring token decides the label. Mass: "
            "attention on deciding tokens. Chance: a token drawn at random, and uniform attention. In "
            "brackets: 95 % percentile bootstrap interval over test documents, paired for the difference.",
            SIGNED,
        ],
    )


def _needs(study: Study, corpus: str) -> list[Artifact]:
    base = base_run(study, corpus)
    runs = [base, uniform_run(study, corpus)] if "wiegreffe-pinter" in study.papers else [base]
    return [
        *needs.documents(study, corpus),
        *needs.predictions(runs),
        *(MEASURE.made(method, base) for method in METHODS),
    ]


EXHIBIT = TableExhibit(
    papers=("jain-wallace", "wiegreffe-pinter"),
    question="Does attention find the tokens that decide the label, where these are known?",
    caption="Planted corpora: the share of test documents in which the token of highest attention, "
    "gradient, leave-one-out, attention × gradient or α × contribution decides the label, the attention "
    f"on deciding tokens, and F1 with and without attention. {SIGNED} Chance is a token drawn at random. "
    "Intervals are 95 % percentile bootstrap intervals over test documents.",
    needs=_needs,
    settings=frozenset({"base_seed", "papers", "bootstrap"}),
    shows=_planted,
    requires="a planted corpus",
    facts=planted_truth,
    sheet=planted_truth_sheet,
)
