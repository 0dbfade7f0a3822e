"""Does attention help more where states carry no context? Rankings against random order, by encoder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from attnnn.dag.exhibit import TableExhibit
from attnnn.erasure.rankings import RANDOM
from attnnn.exhibits import needs
from attnnn.exhibits.erasures import (
    INTERVALS_NOTE,
    SETTINGS,
    Flags,
    in_order,
    rankings,
    setting_of,
    subset_note,
    summarised,
    untested,
    words,
)
from attnnn.exhibits.estimates import Statistic, estimate, interval, median
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Floats, Results
from attnnn.exhibits.sheet import Sheet, measured, protocol_phrase
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import erased_runs

# Encoders whose states carry no context, each with those of its kind whose states do.
_WITHOUT = {
    "flan-none": ("flan-rnn", "flan-conv"),
    "han-none": ("han-rnn", "han-conv"),
    "average": ("bilstm", "cnn"),
}
_GAIN = "fraction_median_minus_random"
_SOONER = "sooner_than_random_share"
# The fraction of a decision that never changes: later than any that does.
_LATER = 2.0


def _encoders(study: Study, corpus: str) -> dict[str, Run]:
    """The erased runs with additive attention, trained on labels with the base seed, by encoder."""
    found = {}
    for run in erased_runs(study, corpus):
        own = run.model.lambda_ is None and not run.model.towards_log_odds
        if run.model.attention == "additive" and own and run.seed == study.base_seed:
            found[run.model.encoder] = run
    return found


class _Fractions(NamedTuple):
    """Erased of each test document until the decision changes; infinite where a document does not count."""

    ranked: Floats
    random: Floats

    @property
    def known(self) -> Flags:
        return np.isfinite(self.ranked)

    def of(self, chosen: Flags) -> _Fractions:
        """The same of some documents."""
        return _Fractions(self.ranked[chosen], self.random[chosen])


# By metric.
_Found = dict[str, _Fractions]


@of_each_corpus
def context(results: Results, corpus: str) -> Iterator[Fact]:
    """Median fractions against random order by encoder, and encoders without context against others."""
    runs = _encoders(results.study, corpus)
    found = {encoder: _fractions(results, run) for encoder, run in runs.items()}
    for encoder, run in runs.items():
        for name, one in found[encoder].items():
            yield from _of_encoder(results, corpus, setting_of(run, ranking=name), one)
    for encoder, other in _contrasts(runs):
        for name in found[encoder]:
            if name in found[other]:
                setting = _contrast_setting(runs, encoder, other, name)
                yield from _differences(
                    results, corpus, setting, found[encoder][name], found[other][name]
                )


def _fractions(results: Results, run: Run) -> dict[str, _Found]:
    """By ranking: of the documents that both are summarised over, and of all that can be tested."""
    flips = rankings(results.ranked(run))
    subset = summarised(results, run.corpus, flips)
    random = flips.pop(RANDOM)
    found = {}
    for name, one in flips.items():
        chosen = subset[name] & subset[RANDOM]
        tested = ~(untested(one.reason) | untested(random.reason))
        fractions = [np.where(each.count < 0, _LATER, each.fraction) for each in (one, random)]
        found[name] = {
            metric: _Fractions(*(np.where(counted, each, np.inf) for each in fractions))
            for metric, counted in ((_GAIN, chosen), (_SOONER, tested))
        }
    return found


def _of_encoder(results: Results, corpus: str, setting: Setting, found: _Found) -> Iterator[Fact]:
    study = results.study
    one = found[_GAIN].of(found[_GAIN].known)
    yield estimate(study, corpus, setting, "fraction_median", median, one.ranked)
    yield estimate(study, corpus, setting, "random_fraction_median", median, one.random)
    for metric, statistic in _STATISTICS.items():
        columns = found[metric].of(found[metric].known)
        yield estimate(study, corpus, setting, metric, statistic, *columns)


def _contrasts(runs: dict[str, Run]) -> list[tuple[str, str]]:
    pairs = [(encoder, other) for encoder, others in _WITHOUT.items() for other in others]
    return [pair for pair in pairs if {*pair} <= {*runs}]


def _contrast_setting(runs: dict[str, Run], encoder: str, other: str, name: str) -> Setting:
    return setting_of(runs[encoder], minus=runs[other].model.name, ranking=name)


def _differences(
    results: Results, corpus: str, setting: Setting, first: _Found, second: _Found
) -> Iterator[Fact]:
    """One encoder minus another, each over its own documents, which are resampled together."""
    for metric, statistic in _STATISTICS.items():
        counted = first[metric].known | second[metric].known
        one, other = first[metric].of(counted), second[metric].of(counted)
        n = int(counted.sum())
        if not (one.known.any() and other.known.any()):
            yield Fact(corpus, setting, metric, None, n=n)
            continue

        def apart(*columns: Floats, of: Statistic = statistic) -> Floats:
            return np.asarray(of(*columns[:2]) - of(*columns[2:]))

        columns = (*one, *other)
        low, high = interval(results.study, corpus, apart, *columns)
        yield Fact(corpus, setting, metric, float(apart(*columns)), low, high, n)


def _gain(ranked: Floats, random: Floats) -> Floats:
    return median_of_finite(ranked) - median_of_finite(random)


def _sooner(ranked: Floats, random: Floats) -> Floats:
    """Share of documents in which the ranking takes fewer; one in which both take as many counts half."""
    known = np.isfinite(ranked)
    wins = np.where(known, (ranked < random) + 0.5 * (ranked == random), 0).sum(axis=-1)
    count = known.sum(axis=-1)
    return np.where(count > 0, wins / np.maximum(count, 1), np.nan)


_STATISTICS: dict[str, Statistic] = {_GAIN: _gain, _SOONER: _sooner}


def median_of_finite(values: Floats) -> Floats:
    """Median over documents, the last axis, of those that are not infinite; NaN of none."""
    ordered, count = np.sort(values, axis=-1), np.isfinite(values).sum(axis=-1)
    middle = np.stack([np.maximum(count - 1, 0) // 2, count // 2], axis=-1)
    both = np.take_along_axis(ordered, np.minimum(middle, values.shape[-1] - 1), axis=-1)
    return np.where(count > 0, both.mean(axis=-1), np.nan)


def context_sheet(results: Results, table: Facts) -> Sheet:
    """The table for people: encoders as rows, rankings as columns."""
    study = results.study
    names = in_order(fact.setting["ranking"] for fact in table)
    rows: list[list[str]] = []
    for corpus in study.corpora:
        runs = _encoders(study, corpus)
        rows.append([])
        for run in runs.values():
            settings = [setting_of(run, ranking=name) for name in names]
            gains = [table.get(corpus, setting, _GAIN) for setting in settings]
            attention = setting_of(run, ranking="attention")
            random = table.get(corpus, attention, "random_fraction_median")
            n = "–" if random is None else str(random.n)
            cells = (measured(fact, 2) for fact in gains)
            rows.append([corpus, run.model.name, n, measured(random, 2, interval=False), *cells])
        for encoder, other in _contrasts(runs):
            settings = [_contrast_setting(runs, encoder, other, name) for name in names]
            cells = (measured(table.get(corpus, one, _GAIN), 2) for one in settings)
            rows.append([corpus, f"{encoder} − {other}", "", "", *cells])
    return Sheet(
        caption="Attention weights erased in the order of a ranking until the decision changes: the "
        "median fraction of a test document's tokens that must go, minus that in random order in the same "
        "documents, by encoder (rnn and bilstm: recurrent; conv and cnn: convolutional; none and average: "
        f"no context). {protocol_phrase(study)}",
        columns=["corpus", "model", "n", "random", *map(words, names)],
        rows=rows[1:],
        text_columns=2,
        notes=[
            "How to read it: below 0, the ranking changes decisions sooner than random order; if "
            "attention helps more where states carry no context, the differences between encoders in "
            "column attention are below 0 too.",
            f"{INTERVALS_NOTE} {subset_note(study)} Of these, only documents whose decision random order "
            "changes too. Random: the median fraction in random order, which is the most that a ranking "
            "can gain. In the differences each model has its own documents. n: of attention. The csv file "
            "has n of all rankings, and a measure without that limit and over all tested documents: the "
            "share of these in which the ranking is sooner than random order (sooner_than_random_share). "
            "Tokens are sentences in hierarchical models (han).",
        ],
    )


EXHIBIT = TableExhibit(
    papers=("serrano-smith",),
    question="Does attention find what decisions rest on better where states carry no context?",
    caption="Attention weights erased in the order of a ranking until the decision changes: the median "
    "fraction of a test document's tokens that must go minus that in random order in the same documents, by "
    "encoder, and the difference of this between encoders without context and those with it. Intervals are "
    "95 % percentile bootstrap intervals over test documents.",
    needs=needs.ranked,
    settings=SETTINGS,
    facts=context,
    sheet=context_sheet,
)
