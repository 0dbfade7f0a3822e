"""Scores against the truth that planted corpora carry: which tokens decide the label."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.dag import layout
from attnnn.exhibits.intervals import Resampling
from attnnn.exhibits.long_table import Fact, LongTable
from attnnn.exhibits.results import Floats, Results, Table, require_same_documents
from attnnn.exhibits.tables_f1 import run_f1
from attnnn.exhibits.typeset import Sheet, measured, protocol_phrase
from attnnn.measures import f1_score
from attnnn.study import design
from attnnn.tables.ragged import Ragged


def hits(scores: Ragged, truth: Ragged) -> Floats:
    """Whether the highest-scoring token of each document decides its label, shape (documents,).

    Where several tokens share the highest score: the share of deciding ones among them, which is the
    chance of a hit when the tie is broken at random.
    """
    highest = scores.values >= np.repeat(scores.maxima(), scores.lengths)
    deciding = scores.with_values(highest & (truth.values == 1))
    return deciding.sums() / scores.with_values(highest).sums()


def planted_truth(results: Results) -> LongTable:
    """Hit rates and attention mass on deciding tokens, and F1 with and without attention."""
    corpora = planted_corpora(results)
    return LongTable(fact for corpus in corpora for fact in _corpus(results, corpus))


def planted_corpora(results: Results) -> list[str]:
    """The corpora with planted truth."""
    corpora = results.study.corpora
    return [name for name, corpus in corpora.items() if corpus.source.kind == "planted"]


def _corpus(results: Results, corpus: str) -> Iterator[Fact]:
    base = design.base_run(results.study, corpus)
    documents, predictions = results.documents(corpus), results.predictions(base)
    require_same_documents(documents, predictions)
    truth = documents.ragged("truth")
    decided = truth.sums() > 0
    yield Fact(corpus, "truth", "documents_without_truth", int((~decided).sum()), n=len(documents))
    truth = truth.take(decided)
    resampling = Resampling(results.study, corpus)

    def mean(setting: str, metric: str, values: Floats) -> Fact:
        low, high = resampling.mean(values)
        value = float(np.mean(values)) if len(values) else None
        return Fact(corpus, setting, metric, value, low, high, len(values))

    attention = predictions.ragged("attention").take(decided)
    share = truth.means()
    yield mean("attention", "hit_rate", hits(attention, truth))
    for method in layout.IMPORTANCE_METHODS:
        importance = results.importance(base, method)
        require_same_documents(documents, importance)
        scores = importance.ragged("importance").take(decided)
        yield mean(method, "hit_rate", hits(scores, truth))
    yield mean("chance", "hit_rate", share)
    mass = attention.with_values(np.where(truth.values == 1, attention.values, 0)).sums()
    yield mean("attention", "mass_on_truth", mass)
    # The mass that uniform attention gives the deciding tokens is their share of the document, too.
    yield mean("chance", "mass_on_truth", share)
    yield from _f1(results, corpus, predictions)


def _f1(results: Results, corpus: str, base: Table) -> Iterator[Fact]:
    study = results.study
    yield run_f1(results, design.base_run(study, corpus), "base_lstm", None)
    if "wiegreffe-pinter" not in study.papers:
        return  # such a study has no model with uniform attention
    uniform_run = design.uniform_run(study, corpus)
    uniform = results.predictions(uniform_run)
    require_same_documents(base, uniform)
    yield run_f1(results, uniform_run, "uniform_lstm", None)
    label = base.ints("label")
    difference = float(f1_score(label, base.predicted) - f1_score(label, uniform.predicted))
    low, high = Resampling(study, corpus).f1_difference(label, base.predicted, uniform.predicted)
    yield Fact(corpus, "base_minus_uniform", "f1", difference, low, high, len(base))


def planted_truth_sheet(results: Results, table: LongTable) -> Sheet:
    """The planted-truth table for people: corpora as columns."""
    corpora = planted_corpora(results)
    lines = list(dict.fromkeys((fact.metric, fact.setting) for fact in table))
    rows: list[list[str]] = []
    previous = ""
    for metric, setting in lines:
        if previous not in ("", metric):
            rows.append([])
        previous = metric
        digits = 0 if metric.startswith("documents") else 3
        cells = [measured(table.get(corpus, setting, metric), digits) for corpus in corpora]
        rows.append([metric.replace("_", " "), setting.replace("_", " "), *cells])
    notes = [
        "Hit rate: share of test documents whose highest-scoring token decides the label. Mass: "
        "attention on deciding tokens. Chance: a token drawn at random, and uniform attention. In "
        "brackets: 95 % percentile bootstrap interval over test documents, paired for the difference."
    ]
    if not corpora:
        notes = ["No corpus of this study is planted, so there is no truth to compare with."]
    return Sheet(
        name="planted_truth",
        caption=f"Planted corpora: do the scores of the base model find the tokens that decide the label? "
        f"{protocol_phrase(results.study)}",
        columns=["metric", "of", *corpora],
        rows=rows,
        text_columns=2,
        notes=notes,
    )
