"""Weights erased in the order of a ranking until the decision changes (Serrano & Smith 2019, section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from attnnn.dag.exhibit import TableExhibit
from attnnn.erasure.efficiency import compare, times_smallest
from attnnn.erasure.flips import Flips
from attnnn.erasure.rankings import SMALLEST
from attnnn.exhibits import needs
from attnnn.exhibits.erasures import (
    INTERVALS_NOTE,
    SETTINGS,
    Flags,
    full_erasure_note,
    in_order,
    p_words,
    rankings,
    setting_of,
    share,
    shown_runs,
    shown_runs_note,
    subset_note,
    summarised,
    untested,
    untested_facts,
    words,
)
from attnnn.exhibits.estimates import estimate, mean, median
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Results
from attnnn.exhibits.sheet import Sheet, measured, number, protocol_phrase
from attnnn.measures import mcnemar_test
from attnnn.study.model import Run
from attnnn.study.runs import erased_runs

# The paper's rankings against each other, and two of them against those that it does not have.
_PAIRS = (
    *combinations(("attention_gradient", "attention", "gradient", "random"), 2),
    *(("attention_gradient", other) for other in ("contribution", "leave_one_out", "truth")),
    *(("attention", other) for other in ("contribution", "leave_one_out", "truth")),
)
_METRICS = {
    "fraction_median": "median fraction",
    "fraction_mean": "mean fraction",
    "fraction_median_of_tested": "median fraction, never = 1",
    "mass_mean": "mean attention mass",
    "never_flipping_share": "never changes",
    "times_smallest_mean": "mean times the smallest",
    "optimal_share": "as few as possible",
}
_WITH_INTERVAL = ("fraction_median", "times_smallest_mean")
_SOONER = ("attention_gradient", "attention")


@of_each_corpus
def first_flips(results: Results, corpus: str) -> Iterator[Fact]:
    """How many weights go before the decision changes, by ranking, and which ranking takes fewer."""
    for run in erased_runs(results.study, corpus):
        flips = rankings(results.ranked(run))
        subset = summarised(results, corpus, flips)
        for name in flips:
            yield from _of_ranking(results, run, name, flips, subset[name])
        for first, second in _PAIRS:
            if {first, second} <= set(flips):
                setting = setting_of(run, first=first, second=second)
                yield from _sign_test(corpus, setting, flips[first], flips[second])


def _of_ranking(
    results: Results, run: Run, name: str, flips: dict[str, Flips], chosen: Flags
) -> Iterator[Fact]:
    study, corpus, setting = results.study, run.corpus, setting_of(run, ranking=name)
    one = flips[name]
    times = times_smallest(one, flips[SMALLEST])
    # Of readouts that are not linear, the smallest set is unknown.
    times = times[chosen & (flips[SMALLEST].count > 0)]
    tested, never = ~untested(one.reason), one.count < 0
    for metric, statistic, values in (
        ("fraction_median", median, one.fraction[chosen]),
        ("fraction_mean", mean, one.fraction[chosen]),
        ("mass_mean", mean, one.mass[chosen]),
        ("times_smallest_median", median, times),
        ("times_smallest_mean", mean, times),
        ("fraction_median_of_tested", median, np.where(never, 1.0, one.fraction)[tested]),
    ):
        yield estimate(study, corpus, setting, metric, statistic, values)
    yield share(corpus, setting, "optimal_share", int((times == 1).sum()), len(times))
    yield share(
        corpus, setting, "never_flipping_share", int(never[tested].sum()), int(tested.sum())
    )
    yield from untested_facts(corpus, setting, one.reason)


def _sign_test(corpus: str, setting: Setting, first: Flips, second: Flips) -> Iterator[Fact]:
    """Over all tested documents: one that only one of two rankings changes is that one's."""
    counts = compare(first, second)
    differing = counts.fewer + counts.more
    n = differing + counts.equal + counts.neither
    for metric in ("fewer", "more", "equal", "neither"):
        yield Fact(corpus, setting, metric, getattr(counts, metric), n=n)
    yield Fact(corpus, setting, "untested", counts.untested, n=n + counts.untested)
    yield share(corpus, setting, "fewer_share", counts.fewer, differing)
    p_value = float(mcnemar_test(counts.fewer, counts.more)) if n else None
    yield Fact(corpus, setting, "sign_test_p", p_value, n=n)


def first_flips_sheet(results: Results, table: Facts) -> Sheet:
    """The table for people: rankings as columns."""
    study = results.study
    names = in_order(fact.setting["ranking"] for fact in table if "ranking" in fact.setting)
    rows: list[list[str]] = []
    for corpus in study.corpora:
        for run in shown_runs(study, corpus):
            rows.append([])
            rows += _rows(table, run, names)
    return Sheet(
        caption="Attention weights erased one after the other in the order of a ranking until the "
        "decision changes for the first time: the fraction of a test document's tokens that must go, the "
        "attention that these had, and how many they are as a multiple of the smallest set that changes "
        f"the decision. {protocol_phrase(study)}",
        columns=["corpus", "model", "seed", "statistic", *map(words, names)],
        rows=rows[1:],
        text_columns=4,
        notes=[
            f"{INTERVALS_NOTE} {subset_note(study)}",
            "Never = 1: over all tested documents, a decision that never changes counting as one that "
            "takes all tokens. Never changes: share of all tested documents. As few as possible: share of "
            "documents in which the ranking takes no more than the smallest set. X sooner: of the tested "
            "documents in which X and the ranking of the column differ, the share in which X takes fewer, "
            "or alone changes the decision, with the p-value of the exact sign test. Tokens are sentences "
            "in hierarchical models. The csv file has medians of the multiples, the documents that were "
            "not tested by reason, and more pairs.",
            full_erasure_note(study),
            *shown_runs_note(study),
        ],
    )


def _rows(table: Facts, run: Run, names: list[str]) -> list[list[str]]:
    corpus, start = run.corpus, [run.corpus, run.model.name, str(run.seed)]
    settings = [setting_of(run, ranking=name) for name in names]
    facts = [table.get(corpus, setting, "fraction_median") for setting in settings]
    rows = [[*start, "n", *("–" if fact is None else str(fact.n) for fact in facts)]]
    for metric, text in _METRICS.items():
        facts = [table.get(corpus, setting, metric) for setting in settings]
        cells = [measured(fact, 2, interval=metric in _WITH_INTERVAL) for fact in facts]
        rows.append([*start, text, *cells])
    for first in _SOONER:
        cells = [_sooner(table, run, first, second) for second in names]
        rows.append([*start, f"{words(first)} sooner", *cells])
    return rows


def _sooner(table: Facts, run: Run, first: str, second: str) -> str:
    setting = setting_of(run, first=first, second=second)
    part = table.get(run.corpus, setting, "fewer_share")
    test = table.get(run.corpus, setting, "sign_test_p")
    if part is None or test is None or test.value is None:
        return "–"
    if part.value is None:
        return "never differ"
    return f"{number(part.value, 2)} (p {_compared(p_words(test.value))})"


def _compared(p_value: str) -> str:
    return p_value if p_value.startswith("<") else f"= {p_value}"


EXHIBIT = TableExhibit(
    papers=("serrano-smith",),
    question="In which order must attention weights go to change a decision soonest, and how far is each "
    "order from the best?",
    caption="Attention weights erased in the order of a ranking until the decision changes: the fraction "
    "of a test document's tokens that must go, the attention that these had, how many times as many they "
    "are as in the smallest set, the share of documents whose decision never changes, and which of two "
    "rankings takes fewer, with the exact sign test. Intervals are 95 % percentile bootstrap intervals "
    "over test documents, and for shares exact ones (Clopper-Pearson).",
    needs=needs.ranked,
    settings=SETTINGS,
    facts=first_flips,
    sheet=first_flips_sheet,
)
