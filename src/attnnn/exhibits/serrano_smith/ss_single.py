"""One weight erased (Serrano & Smith 2019, section 4): does the highest matter more than another?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.dag.exhibit import TableExhibit
from attnnn.erasure.reasons import Reason
from attnnn.erasure.single import Erased, contrast
from attnnn.exhibits import needs
from attnnn.exhibits.erasures import (
    INTERVALS_NOTE,
    SETTINGS,
    rules,
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
_NEGATIVE = "delta_js_negative_share"


@of_each_corpus
def single_weights(results: Results, corpus: str) -> Iterator[Fact]:
    """ΔJS and Δα of the highest weight against others, for every erased run."""
    for run in erased_runs(results.study, corpus):
        yield from _of_run(results, run)


def _of_run(results: Results, run: Run) -> Iterator[Fact]:
    found = rules(results.erased(run))
    highest, random = found["highest"], found["random"]
    yield from _compare(
        results, run, setting_of(run, against="random", draws="first"), highest, _first(random)
    )
    if random.js.shape[1] > 1:
        yield from _compare(
            results, run, setting_of(run, against="random", draws="all"), highest, random
        )
    for name in (*_OTHERS, *_ALTERNATIVES):
        yield from _compare(results, run, setting_of(run, against=name), highest, found[name])


def _first(random: Erased) -> Erased:
    """The first draw of each document alone, which is the paper's."""
    one = (column[:, :1] for column in (random.position, random.weight, random.js, random.flips))
    return Erased(*one, random.reason)


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
    rows: list[list[str]] = []
    for corpus in results.study.corpora:
        rows.append([])
        for run in erased_runs(results.study, corpus):
            first = setting_of(run, against="random", draws="first")
            shares = [
                setting_of(run, against=name)
                for name in ("second_highest", "lowest", *_ALTERNATIVES)
            ]
            negative = table.get(corpus, first, _NEGATIVE)
            rows.append(
                [
                    *(corpus, run.model.name, str(run.seed)),
                    "–" if negative is None else str(negative.n),
                    untested_words(table, corpus, first),
                    measured(table.get(corpus, first, "delta_js_mean")),
                    measured(table.get(corpus, first, "delta_attention_mean"), interval=False),
                    measured(negative),
                    measured(table.get(corpus, first, "delta_attention_mean_where_negative")),
                    *(
                        measured(table.get(corpus, one, _NEGATIVE), interval=False)
                        for one in shares
                    ),
                ]
            )
    return Sheet(
        caption="One attention weight erased, the others divided by their sum: the highest weight of each test "
        "document against another one. ΔJS: Jensen-Shannon divergence (nats) between the predictions before "
        "and after the highest weight goes, minus that for the other one; Δα: the difference of the weights. "
        f"{protocol_phrase(results.study)}",
        columns=[
            *("corpus", "model", "seed", "n", "untested", "mean ΔJS", "mean Δα", "ΔJS < 0"),
            *("Δα where ΔJS < 0", "second highest moves more", "lowest moves more"),
            *(f"{words(name)} moves more" for name in _ALTERNATIVES),
        ],
        rows=rows[1:],
        text_columns=3,
        notes=[
            f"{INTERVALS_NOTE} The first five columns of numbers: against the first random item that was drawn "
            "from the document, as in the paper; the csv file has the same over all draws. X moves more: share "
            "of documents in which erasing X moves the prediction more than erasing the highest weight (ΔJS < "
            "0), X being another weight, or that of the token which gradient, attention × gradient or "
            "contribution ranks first; this is often the highest weight itself, which then counts as not "
            "moving more: the csv file says how often (same_item_share), and has all intervals.",
            "Untested: documents by the reason why no weight of theirs can be erased. Tokens are "
            "sentences in hierarchical models. Where weights are all equal, the first token counts as the "
            "highest.",
        ],
    )


EXHIBIT = TableExhibit(
    papers=("serrano-smith",),
    question="Does erasing the highest attention weight move the prediction more than erasing another one?",
    caption="One attention weight of each test document erased: the effect of the highest weight on the "
    "prediction (Jensen-Shannon divergence, nats) minus that of a random other, of the second highest, of the "
    "lowest, and of the first by gradient, attention × gradient and contribution, beside the difference of the "
    "weights. Documents that cannot be tested are counted by reason. Intervals are 95 % percentile bootstrap "
    "intervals over test documents.",
    needs=needs.erased,
    settings=SETTINGS,
    facts=single_weights,
    sheet=single_weights_sheet,
)
