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
    rankings,
    setting_of,
    subset_note,
    summarised,
    words,
)
from attnnn.exhibits.estimates import estimate, interval, median
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
_GAIN = "median_fraction_minus_random"
_DIFFERENCE = "difference_of_gains"


def _encoders(study: Study, corpus: str) -> dict[str, Run]:
    """The erased runs with additive attention, trained on labels with the base seed, by encoder."""
    found = {}
    for run in erased_runs(study, corpus):
        own = run.model.lambda_ is None and not run.model.towards_log_odds
        if run.model.attention == "additive" and own and run.seed == study.base_seed:
            found[run.model.encoder] = run
    return found


class _Fractions(NamedTuple):
    """Erased of each test document until the decision changes; infinite where it is not summarised."""

    ranked: Floats
    random: Floats

    @property
    def known(self) -> Flags:
        return np.isfinite(self.ranked)


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
                yield _difference(
                    results, corpus, setting, found[encoder][name], found[other][name]
                )


def _fractions(results: Results, run: Run) -> dict[str, _Fractions]:
    """By ranking, where random order changes the decision too."""
    flips = rankings(results.ranked(run))
    subset = summarised(results, run.corpus, flips)
    random = flips.pop(RANDOM)
    found = {}
    for name, one in flips.items():
        chosen = subset[name] & subset[RANDOM]
        found[name] = _Fractions(
            np.where(chosen, one.fraction, np.inf), np.where(chosen, random.fraction, np.inf)
        )
    return found


def _of_encoder(results: Results, corpus: str, setting: Setting, one: _Fractions) -> Iterator[Fact]:
    study = results.study
    ranked, random = one.ranked[one.known], one.random[one.known]
    for metric, values in (("fraction_median", ranked), ("random_fraction_median", random)):
        yield estimate(study, corpus, setting, metric, median, values)
    yield estimate(study, corpus, setting, _GAIN, _gain, ranked, random)


def _contrasts(runs: dict[str, Run]) -> list[tuple[str, str]]:
    pairs = [(encoder, other) for encoder, others in _WITHOUT.items() for other in others]
    return [pair for pair in pairs if {*pair} <= {*runs}]


def _contrast_setting(runs: dict[str, Run], encoder: str, other: str, name: str) -> Setting:
    return setting_of(runs[encoder], than=runs[other].model.name, ranking=name)


def _difference(
    results: Results, corpus: str, setting: Setting, first: _Fractions, second: _Fractions
) -> Fact:
    """The gain of one encoder minus that of another, each over its own documents, resampled together."""
    n = int((first.known | second.known).sum())
    if not (first.known.any() and second.known.any()):
        return Fact(corpus, setting, _DIFFERENCE, None, n=n)
    columns = (*first, *second)
    low, high = interval(results.study, corpus, _gains_apart, *columns)
    return Fact(corpus, setting, _DIFFERENCE, float(_gains_apart(*columns)), low, high, n)


def _gains_apart(
    ranked: Floats, random: Floats, other_ranked: Floats, other_random: Floats
) -> Floats:
    return _gain(ranked, random) - _gain(other_ranked, other_random)


def _gain(ranked: Floats, random: Floats) -> Floats:
    return median_of_finite(ranked) - median_of_finite(random)


def median_of_finite(values: Floats) -> Floats:
    """Median over documents, the last axis, of those that are not infinite; NaN of none."""
    ordered, count = np.sort(values, axis=-1), np.isfinite(values).sum(axis=-1)
    middle = np.stack([np.maximum(count - 1, 0) // 2, count // 2], axis=-1)
    both = np.take_along_axis(ordered, np.minimum(middle, values.shape[-1] - 1), axis=-1)
    return np.where(count > 0, both.mean(axis=-1), np.nan)


def context_sheet(results: Results, table: Facts) -> Sheet:
    """The table for people: encoders as rows, rankings as columns."""
    study = results.study
    names = list(dict.fromkeys(fact.setting["ranking"] for fact in table))
    rows: list[list[str]] = []
    for corpus in study.corpora:
        runs = _encoders(study, corpus)
        rows.append([])
        for run in runs.values():
            settings = [setting_of(run, ranking=name) for name in names]
            gains = [table.get(corpus, setting, _GAIN) for setting in settings]
            random = table.get(corpus, settings[0], "random_fraction_median")
            n = "–" if gains[0] is None else str(gains[0].n)
            cells = (measured(fact, 2) for fact in gains)
            rows.append([corpus, run.model.name, n, measured(random, 2, interval=False), *cells])
        for encoder, other in _contrasts(runs):
            settings = [_contrast_setting(runs, encoder, other, name) for name in names]
            cells = (measured(table.get(corpus, one, _DIFFERENCE), 2) for one in settings)
            rows.append([corpus, f"{encoder} − {other}", "", "", *cells])
    return Sheet(
        caption="Attention weights erased in the order of a ranking until the decision changes: the median "
        "fraction of a test document's tokens that must go, minus that in random order in the same documents, "
        "by encoder (rnn and bilstm: recurrent; conv and cnn: convolutional; none and average: no context). "
        f"{protocol_phrase(study)}",
        columns=["corpus", "model", "n", "random", *map(words, names)],
        rows=rows[1:],
        text_columns=2,
        notes=[
            "How to read it: a negative number says that the ranking changes decisions sooner than random order; if "
            "attention helps more where states carry no context, the differences between encoders in "
            "column attention are below 0 as well.",
            f"{INTERVALS_NOTE} {subset_note(study)} Random: the median fraction in random order, below which the "
            "gain cannot go. In the differences each model has its own documents. n: of the first "
            "ranking; the csv file has it of all. Tokens are sentences in hierarchical models (han).",
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
