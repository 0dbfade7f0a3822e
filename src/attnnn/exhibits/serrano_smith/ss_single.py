"""One weight erased (Serrano & Smith 2019, section 4): does the highest matter more than another?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.dag.exhibit import TableExhibit
from attnnn.erasure.reasons import Reason
from attnnn.erasure.single_weight import Erased, contrast
from attnnn.exhibits import needs
from attnnn.exhibits.erasures import (
    INTERVALS_NOTE,
    SETTINGS,
    full_erasure_note,
    random_note,
    rules,
    scaled,
    setting_of,
    untested_facts,
    untested_words,
    words,
)
from attnnn.exhibits.estimates import estimate, interval, mean
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Floats, Results
from attnnn.exhibits.sheet import Sheet, measured, protocol_phrase
from attnnn.study.model import Run
from attnnn.study.runs import erased_runs

# What the highest weight is compared with, beside random items.
_OTHERS = ("second_highest", "second_lowest", "lowest")
_ALTERNATIVES = ("gradient", "attention_gradient", "contribution")
_SHOWN = ("second_highest", "lowest", *_ALTERNATIVES)
_NEGATIVE = "delta_js_negative_share"


@of_each_corpus
def single_weights(results: Results, corpus: str) -> Iterator[Fact]:
    """ΔJS and Δα of the highest weight against others, for every erased run."""
    for run in erased_runs(results.study, corpus):
        yield from _of_run(results, run)


def _of_run(results: Results, run: Run) -> Iterator[Fact]:
    found = rules(results.erased(run))
    highest, random = found["highest"], found["random"]
    setting = setting_of(run, against="random", draws="first")
    yield from _compare(results, run, setting, highest, _first(random))
    if random.js.shape[1] > 1:
        yield from _compare(results, run, setting.but(draws="all"), highest, random)
    for name in (*_OTHERS, *_ALTERNATIVES):
        yield from _compare(results, run, setting_of(run, against=name), highest, found[name])


def _first(random: Erased) -> Erased:
    """The first draw of each document alone, which is the paper's."""
    return Erased(
        random.position[:, :1],
        random.weight[:, :1],
        random.js[:, :1],
        random.flips[:, :1],
        random.reason,
    )


def _compare(
    results: Results, run: Run, setting: Setting, highest: Erased, other: Erased
) -> Iterator[Fact]:
    """Statistics of the differences, highest minus other; those of several draws are averaged by document."""
    study, corpus = results.study, run.corpus
    reason = np.where(highest.reason == Reason.NONE, other.reason, highest.reason)
    tested = reason == Reason.NONE
    difference = contrast(highest, other)
    js, attention = difference.js[tested], difference.weight[tested]
    negative = js < 0
    same = (highest.position == other.position)[tested]
    for metric, values in {
        "delta_js_mean": js,
        "delta_attention_mean": attention,
        _NEGATIVE: negative,
        "same_item_share": same,
    }.items():
        yield estimate(study, corpus, setting, metric, mean, values.mean(axis=1))
    columns = np.where(negative, attention, 0).sum(axis=1), negative.sum(axis=1)
    n = int((columns[1] > 0).sum())
    value = float(_ratio(*columns)) if n else None
    low, high = interval(study, corpus, _ratio, *columns) if n else (None, None)
    yield Fact(corpus, setting, "delta_attention_mean_where_negative", value, low, high, n)
    yield from untested_facts(corpus, setting, reason)


def _ratio(sums: Floats, counts: Floats) -> Floats:
    """Mean of what was summed over documents, the last axis; NaN of none."""
    count = counts.sum(axis=-1)
    some = count > 0
    return np.asarray(np.where(some, sums.sum(axis=-1) / np.where(some, count, 1), np.nan))


def single_weights_sheet(results: Results, table: Facts) -> Sheet:
    """The table for people: a row per run."""
    study = results.study
    rows: list[list[str]] = []
    for corpus in study.corpora:
        rows.append([])
        rows += [_row(table, run) for run in erased_runs(study, corpus)]
    return Sheet(
        caption="One attention weight erased, the others divided by their sum: the highest weight of each "
        "test document against another one. ΔJS: Jensen-Shannon divergence (nats) between the predictions "
        "before and after the highest weight goes, minus that for the other one; Δα: the difference of "
        f"the weights. {protocol_phrase(study)}",
        columns=[
            *("corpus", "model", "seed", "n", "untested", "1000 × mean ΔJS", "mean Δα", "ΔJS < 0"),
            *("Δα where ΔJS < 0", "ΔJS < 0, all draws"),
            *(f"{words(name)} moves more" for name in _SHOWN),
        ],
        rows=rows[1:],
        text_columns=3,
        notes=[
            f"{INTERVALS_NOTE} ΔJS and Δα: against the first random token that was drawn from the "
            "document, as in the paper, and where the column says so against all draws, averaged by "
            f"document. {random_note(study)} X moves more: share of documents in which erasing X moves the "
            "prediction more than erasing the highest weight, X being the second highest or the lowest "
            "weight, or that of the token that gradient, attention × gradient or contribution ranks "
            "first. Where this is the highest weight itself, it does not move more; the csv file says how "
            "often (same_item_share), and has the other statistics and intervals.",
            f"Untested: documents by reason. {full_erasure_note(study)} Tokens are sentences in hierarchical "
            "models (han). Where weights are all equal, as in uniform models, the first token counts as that "
            "of the highest weight.",
        ],
    )


def _row(table: Facts, run: Run) -> list[str]:
    corpus, first = run.corpus, setting_of(run, against="random", draws="first")
    js = table.get(corpus, first, "delta_js_mean")
    assert js is not None
    others = [first.but(draws="all"), *(setting_of(run, against=name) for name in _SHOWN)]
    return [
        *(corpus, run.model.name, str(run.seed), str(js.n)),
        untested_words(table, corpus, first),
        measured(scaled(js, 1000), 2),
        measured(table.get(corpus, first, "delta_attention_mean"), interval=False),
        measured(table.get(corpus, first, _NEGATIVE)),
        measured(table.get(corpus, first, "delta_attention_mean_where_negative"), interval=False),
        *(measured(table.get(corpus, one, _NEGATIVE), interval=False) for one in others),
    ]


EXHIBIT = TableExhibit(
    papers=("serrano-smith",),
    question="Does erasing the highest attention weight move the prediction more than erasing another one?",
    caption="One attention weight of each test document erased: the effect of the highest weight on the "
    "prediction (Jensen-Shannon divergence, nats) minus that of a random other, of the second highest, of "
    "the lowest, and of the first by gradient, attention × gradient and contribution, beside the "
    "difference of the weights. Documents that cannot be tested are counted by reason. Intervals are 95 % "
    "percentile bootstrap intervals over test documents.",
    needs=needs.erased,
    settings=SETTINGS,
    facts=single_weights,
    sheet=single_weights_sheet,
)
