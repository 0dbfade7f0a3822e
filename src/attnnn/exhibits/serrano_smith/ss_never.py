"""Documents whose decision no erasure in a ranking's order changes, by class (Serrano & Smith 2019)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attnnn.dag.exhibit import TableExhibit
from attnnn.dag.stage import Artifact
from attnnn.erasure.reasons import Reason, tally
from attnnn.exhibits import needs
from attnnn.exhibits.erasures import (
    SETTINGS,
    full_erasure_note,
    in_order,
    predicted,
    rankings,
    setting_of,
    share,
    shown_runs,
    shown_runs_note,
    untested_words,
    words,
)
from attnnn.exhibits.facts import Fact, Facts, of_each_corpus
from attnnn.exhibits.finished import Results
from attnnn.exhibits.sheet import Sheet, measured, number, protocol_phrase
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import erased_runs

_ALL = "all"
_TESTED = (Reason.NONE, Reason.NEVER)


@of_each_corpus
def never_flipping(results: Results, corpus: str) -> Iterator[Fact]:
    """Documents by predicted class: untested by reason, and of a decision that never changes by ranking."""
    classes = len(results.description(corpus)["classes"])
    for run in erased_runs(results.study, corpus):
        table = results.ranked(run)
        for name, one in rankings(table).items():
            by_class = tally(one.reason, predicted(table), classes)
            groups = {str(class_): by_class[class_] for class_ in range(classes)}
            for group, counts in {**groups, _ALL: by_class.sum(axis=0)}.items():
                yield from _of_group(run, group, name, counts, shown=by_class.sum(axis=0) > 0)


def _of_group(
    run: Run, group: str, name: str, counts: NDArray[np.int64], *, shown: NDArray[np.bool_]
) -> Iterator[Fact]:
    """Facts of the documents of one predicted class under one ranking.

    Args:
        run: whose weights are erased.
        group: the class, or all.
        name: of the ranking.
        counts: documents by `Reason`.
        shown: which reasons occur in any class: of these, a class without a document has a zero.
    """
    setting, total = setting_of(run, predicted=group, ranking=name), int(counts.sum())
    never, tested = int(counts[Reason.NEVER]), int(counts[Reason.NEVER] + counts[Reason.NONE])
    yield Fact(run.corpus, setting, "documents", total, n=total)
    yield Fact(run.corpus, setting, "untested", total - tested, n=total)
    for reason in Reason:
        if reason == Reason.ONE_TOKEN or (shown[reason] and reason not in _TESTED):
            yield Fact(
                run.corpus, setting, f"untested: {reason.words}", int(counts[reason]), n=total
            )
    yield Fact(run.corpus, setting, "never_flipping", never, n=tested)
    yield share(run.corpus, setting, "never_flipping_share", never, tested)


def never_flipping_sheet(results: Results, table: Facts) -> Sheet:
    """The table for people: a row per class."""
    study = results.study
    names = in_order(fact.setting["ranking"] for fact in table)
    rows: list[list[str]] = []
    for corpus in study.corpora:
        classes = results.description(corpus)["classes"]
        for run in shown_runs(study, corpus):
            rows.append([])
            rows += [
                _row(table, run, str(k), _class(k, text), names) for k, text in enumerate(classes)
            ]
            rows.append(_row(table, run, _ALL, _ALL, names))
    return Sheet(
        caption="Test documents by predicted class: how many cannot be tested by erasing attention "
        "weights, and how many keep their decision however many weights go in the order of a ranking. "
        f"{protocol_phrase(study)}",
        columns=[
            *(
                "corpus",
                "model",
                "seed",
                "predicted",
                "documents",
                "one token",
                "untested otherwise",
            ),
            *map(words, names),
        ],
        rows=rows[1:],
        text_columns=4,
        notes=[
            "By ranking: documents whose decision never changes, and in parentheses their share of those "
            "tested. Smallest: no set of weights changes the decision. One token: one sentence in "
            "hierarchical models. Untested otherwise: documents by reason. The csv file has exact "
            "(Clopper-Pearson) 95 % intervals of the shares, and documents that a ranking alone leaves "
            "untested.",
            full_erasure_note(study),
            *shown_runs_note(study),
        ],
    )


def _class(number_: int, name: str) -> str:
    return name if name == str(number_) else f"{number_}: {name}"


def _row(table: Facts, run: Run, group: str, shown: str, names: list[str]) -> list[str]:
    corpus = run.corpus
    setting = setting_of(run, predicted=group, ranking="attention")
    cells = []
    for name in names:
        one = setting.but(ranking=name)
        never = measured(table.get(corpus, one, "never_flipping"), 0)
        part = table.get(corpus, one, "never_flipping_share")
        known = part is not None and part.value is not None
        cells.append(f"{never} ({number(part.value, 2)})" if part and known else never)
    return [
        *(corpus, run.model.name, str(run.seed), shown),
        measured(table.get(corpus, setting, "documents"), 0),
        measured(table.get(corpus, setting, "untested: one token"), 0),
        untested_words(table, corpus, setting, but=Reason.ONE_TOKEN),
        *cells,
    ]


def _needs(study: Study, corpus: str) -> list[Artifact]:
    return [PREPARE.made("description", corpus), *needs.ranked(study, corpus)]


EXHIBIT = TableExhibit(
    papers=("serrano-smith",),
    question="Which documents keep their decision whatever is erased, by predicted class?",
    caption="Test documents by predicted class and ranking: how many cannot be tested by erasing "
    "attention weights, by reason, and how many keep their decision however many weights are erased in "
    "the order of the ranking. Intervals of their shares are exact 95 % intervals (Clopper-Pearson).",
    needs=_needs,
    settings=SETTINGS - {"bootstrap"},
    facts=never_flipping,
    sheet=never_flipping_sheet,
)
