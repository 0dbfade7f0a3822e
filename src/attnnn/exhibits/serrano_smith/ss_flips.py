"""Decisions that one erased weight changes (Serrano & Smith 2019, section 4): the top one, a random one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.dag.exhibit import TableExhibit
from attnnn.erasure.reasons import Reason
from attnnn.erasure.single_weight import Erased, flip_table
from attnnn.exhibits import needs
from attnnn.exhibits.erasures import (
    INTERVALS_NOTE,
    SETTINGS,
    full_erasure_note,
    p_words,
    random_note,
    rules,
    scaled,
    setting_of,
    untested_facts,
    untested_words,
    words,
)
from attnnn.exhibits.estimates import estimate, mean
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Floats, Results
from attnnn.exhibits.sheet import Sheet, measured, protocol_phrase
from attnnn.measures import mcnemar_test
from attnnn.study.model import Run
from attnnn.study.runs import erased_runs

_CHOSEN = ("highest", "gradient", "attention_gradient")
_CELLS = ("both_flip", "only_chosen_flips", "only_random_flips", "neither_flips")


@of_each_corpus
def decision_flips(results: Results, corpus: str) -> Iterator[Fact]:
    """The four shares of documents, their difference and its test, for every erased run."""
    for run in erased_runs(results.study, corpus):
        found = rules(results.erased(run))
        for name in _CHOSEN:
            setting = setting_of(run, chosen=name)
            yield from _two_by_two(results, run, setting, found[name], found["random"])


def _two_by_two(
    results: Results, run: Run, setting: Setting, chosen: Erased, random: Erased
) -> Iterator[Fact]:
    study, corpus = results.study, run.corpus
    tested = chosen.reason == Reason.NONE
    # The first draw, as in the paper.
    one, other = chosen.flips[tested, 0], random.flips[tested, 0]
    cells = (one & other, one & ~other, ~one & other, ~one & ~other)
    for metric, cell in zip(_CELLS, cells, strict=True):
        yield estimate(study, corpus, setting, metric, mean, cell)
    yield estimate(study, corpus, setting, "flips_difference", _difference, one, other)
    counts = flip_table(chosen, random)
    p_value = float(mcnemar_test(counts[1, 0], counts[0, 1]))
    n = int(tested.sum())
    yield Fact(corpus, setting, "mcnemar_p", p_value if n else None, n=n)
    same = chosen.position[tested, 0] == random.position[tested, 0]
    yield Fact(corpus, setting, "same_item", int(same.sum()), n=n)
    yield from untested_facts(corpus, setting, chosen.reason)


def _difference(chosen: Floats, random: Floats) -> Floats:
    return np.asarray(chosen.mean(axis=-1) - random.mean(axis=-1))


def decision_flips_sheet(results: Results, table: Facts) -> Sheet:
    """The table for people: a row per run and chosen weight."""
    rows: list[list[str]] = []
    for corpus in results.study.corpora:
        for run in erased_runs(results.study, corpus):
            rows.append([])
            rows += [_row(table, run, name) for name in _CHOSEN]
    return Sheet(
        caption="One attention weight erased, the others divided by their sum: per cent of test documents "
        "whose decision changes when the chosen weight goes, and when that of a random token goes. "
        f"{protocol_phrase(results.study)}",
        columns=[
            *("corpus", "model", "seed", "chosen by", "n", "untested", "both", "chosen alone"),
            *("random alone", "neither", "chosen − random", "p"),
        ],
        rows=rows[1:],
        text_columns=4,
        notes=[
            f"{INTERVALS_NOTE} p: exact McNemar test, two-sided. The random token is the first draw of "
            "each document, as in the paper, and the same for all three ways of choosing. "
            f"{random_note(results.study)} So it can be the token chosen by gradient or attention × "
            "gradient; the two decisions then agree, and the csv file counts such documents (same_item).",
            f"Untested: documents by reason. {full_erasure_note(results.study)} Tokens are sentences in "
            "hierarchical models (han).",
        ],
    )


def _row(table: Facts, run: Run, name: str) -> list[str]:
    corpus, setting = run.corpus, setting_of(run, chosen=name)
    cells = [scaled(table.get(corpus, setting, metric), 100) for metric in _CELLS]
    difference = scaled(table.get(corpus, setting, "flips_difference"), 100)
    test = table.get(corpus, setting, "mcnemar_p")
    assert test is not None
    return [
        *(corpus, run.model.name, str(run.seed)),
        "attention" if name == "highest" else words(name),
        str(test.n),
        untested_words(table, corpus, setting),
        *(measured(cell, 1, interval=False) for cell in cells),
        measured(difference, 1),
        p_words(test.value),
    ]


EXHIBIT = TableExhibit(
    papers=("serrano-smith",),
    question="Does erasing the highest attention weight change the decision where erasing a random one does "
    "not?",
    caption="The share of test documents whose decision changes when one attention weight is erased: the "
    "highest (or that of the highest gradient, or attention × gradient), a random one, both or neither, with "
    "the exact McNemar test of the two. Documents that cannot be tested are counted by reason. Intervals "
    "are 95 % percentile bootstrap intervals over test documents.",
    needs=needs.erased,
    settings=SETTINGS,
    facts=decision_flips,
    sheet=decision_flips_sheet,
)
