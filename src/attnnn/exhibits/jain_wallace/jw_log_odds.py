"""Jain & Wallace's experiments with a bag of words, from their released code: in none of their tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from attnnn.dag.exhibit import TableExhibit
from attnnn.dag.stage import Artifact
from attnnn.exhibits import needs
from attnnn.exhibits.estimates import estimate, mean
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Results, Table, require_same_documents
from attnnn.exhibits.performance import run_f1
from attnnn.exhibits.sheet import Sheet, measured, protocol_phrase
from attnnn.measures import f1_score, jensen_shannon_divergence, predicted_class
from attnnn.stages.replace import STAGE as REPLACE
from attnnn.stages.weigh import STAGE as WEIGH
from attnnn.study.config import Study
from attnnn.study.model import BASE, LOG_ODDS, TOWARDS_LOG_ODDS, Run
from attnnn.study.runs import base_run, has_log_odds, log_odds_runs

BASE_MODEL, TRAINED, DRAWN = (
    Setting(model=model.name) for model in (BASE, LOG_ODDS, TOWARDS_LOG_ODDS)
)
AT_TEST, SUBSTITUTED = Setting(attention="log-odds"), Setting(words="substituted")
WORDS = Setting("words")
_ROWS = {
    BASE_MODEL: "base model",
    AT_TEST: "log-odds attention at test",
    TRAINED: "trained with log-odds attention",
    DRAWN: "attention drawn to log-odds",
    SUBSTITUTED: "words substituted",
}
# Metrics of the sheet, with the header of each.
_SHOWN = {
    "f1": "F1",
    "jsd_mean": "JSD to base",
    "jsd_log_odds_mean": "JSD to log-odds",
    "change_mean": "|Δp|",
    "flip_share": "flips",
}
_NAMED = 5  # strongest words of a class that the notes name


@of_each_corpus
def log_odds(results: Results, corpus: str) -> Iterator[Fact]:
    """F1, divergences, changes and flips of every experiment with log-odds, against the base model."""
    base = base_run(results.study, corpus)
    table, own = results.replacement(corpus), results.predictions(base)
    require_same_documents(table, own)
    weight = results.log_odds(corpus).floats("weight")
    yield Fact(corpus, WORDS, "counted", int((~np.isnan(weight)).sum()))
    yield Fact(corpus, WORDS, "weighted", int((np.abs(weight) > 0).sum()))
    yield run_f1(results, base, BASE_MODEL)
    jsd = table.floats("jsd")
    yield estimate(results.study, corpus, BASE_MODEL, "jsd_log_odds_mean", mean, jsd)
    yield from _at_test(results, corpus, table, own)
    for run in log_odds_runs(results.study, corpus):
        yield from _trained(results, run, own)
    yield from _substituted(results, corpus, table)


def _at_test(results: Results, corpus: str, table: Table, own: Table) -> Iterator[Fact]:
    of = partial(estimate, results.study, corpus, AT_TEST)
    predicted = predicted_class(table.floats("imposed_probability"))
    yield of("f1", f1_score, own.ints("label"), predicted)
    yield of("jsd_mean", mean, table.floats("jsd"))
    yield of("change_mean", mean, table.floats("imposed_change"))
    yield of("flip_share", mean, predicted != table.ints("predicted"))
    wordless = int((table.ints("counted_words") == 0).sum())
    yield Fact(corpus, AT_TEST, "documents_without_words", wordless, n=len(table))


def _trained(results: Results, run: Run, own: Table) -> Iterator[Fact]:
    setting = Setting(model=run.model.name)
    of = partial(estimate, results.study, run.corpus, setting)
    test, divergence = results.predictions(run), results.divergence(run)
    given = results.predictions(Run(run.corpus, LOG_ODDS, run.seed))
    require_same_documents(own, test, divergence, given)
    yield run_f1(results, run, setting)
    yield of("jsd_mean", mean, divergence.floats("jsd"))
    if run.model != LOG_ODDS:
        to_given = jensen_shannon_divergence(test.ragged("attention"), given.ragged("attention"))
        yield of("jsd_log_odds_mean", mean, to_given)
    yield of("change_mean", mean, divergence.floats("tvd"))
    yield of("flip_share", mean, test.predicted != own.predicted)


def _substituted(results: Results, corpus: str, table: Table) -> Iterator[Fact]:
    of = partial(estimate, results.study, corpus, SUBSTITUTED)
    predicted = predicted_class(table.floats("substituted_probability"))
    yield of("change_mean", mean, table.floats("substituted_change"))
    yield of("flip_share", mean, predicted != table.ints("predicted"))
    fewer = table.ints("substituted_words") < results.study.log_odds.substituted_words
    yield Fact(corpus, SUBSTITUTED, "documents_with_fewer_words", int(fewer.sum()), n=len(table))


def log_odds_sheet(results: Results, table: Facts) -> Sheet:
    """The table for people: a row a corpus and experiment."""
    study = results.study
    rows: list[list[str]] = []
    for corpus in study.corpora:
        rows.append([])
        for setting, name in _ROWS.items():
            cells = [measured(table.get(corpus, setting, metric)) for metric in _SHOWN]
            rows.append([corpus, name, *cells])
    settings = study.log_odds
    return Sheet(
        caption="Attention by the log-odds of words in a bag of words: F1 of class 1; mean JSD (nats) to the "
        "base model's attention and to that by log-odds; mean |Δp| and share of flipped predictions against "
        f"the base model, on the test split. {protocol_phrase(study)}",
        columns=["corpus", "experiment", *_SHOWN.values()],
        rows=rows[1:],
        text_columns=2,
        notes=[
            "In brackets: 95 % percentile bootstrap interval over test documents. Drawn to log-odds: "
            f"{settings.divergence_weight:g} times the mean JSD of a batch is added to the loss. Words "
            f"substituted: the {settings.substituted_words} most attended words become the strongest ones of "
            "the class that was not predicted.",
            *(_of_words(results, table, corpus) for corpus in study.corpora),
        ],
    )


def _of_words(results: Results, table: Facts, corpus: str) -> str:
    """What a corpus's bag of words is made of, and the documents in which it does less than asked."""
    words = results.log_odds(corpus)
    weight, tokens = np.nan_to_num(words.floats("weight")), words.texts("token")
    named = []
    for class_, towards in enumerate((-weight, weight)):
        order = np.argsort(-towards, kind="stable")[:_NAMED]
        strongest = [tokens[word] for word in order if towards[word] > 0]
        named.append(f"for class {class_} {', '.join(strongest) or 'none'}")
    counted, weighted, wordless, fewer = (
        measured(table.get(corpus, setting, metric), 0)
        for setting, metric in (
            (WORDS, "counted"),
            (WORDS, "weighted"),
            (AT_TEST, "documents_without_words"),
            (SUBSTITUTED, "documents_with_fewer_words"),
        )
    )
    return (
        f"{corpus}: {weighted} of {counted} words of the bag have a weight; strongest {'; '.join(named)}. "
        f"Test documents of stop and unknown words alone, whose log-odds attention is uniform: {wordless}; "
        f"in which fewer words were substituted: {fewer}."
    )


def _needs(study: Study, corpus: str) -> list[Artifact]:
    base = base_run(study, corpus)
    return [
        WEIGH.made("log_odds", corpus),
        *needs.predictions([base, *log_odds_runs(study, corpus)]),
        REPLACE.made("replacement", base),
    ]


EXHIBIT = TableExhibit(
    papers=("jain-wallace",),
    question="Does attention by what a bag of words says of each word do as well?",
    caption="Attention by the log-odds of words in a bag of words, imposed at test, trained with, or "
    "drawn to, and the most attended words replaced: F1 of class 1, mean JSD to the base model's "
    "attention and to that by log-odds, mean |Δp| and share of flipped predictions on the test "
    "split. Intervals are 95 % percentile bootstrap intervals over test documents.",
    needs=_needs,
    settings=frozenset({"base_seed", "log_odds", "bootstrap"}),
    shows=has_log_odds,
    requires="log_odds: {run: true}",
    facts=log_odds,
    sheet=log_odds_sheet,
)
