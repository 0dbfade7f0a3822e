"""Table 2 of Jain & Wallace 2019: Kendall's τ between attention and importance, by predicted class."""

from __future__ import annotations

from collections.abc import Iterator

from attnnn.dag.exhibit import TableExhibit
from attnnn.exhibits import needs
from attnnn.exhibits.correlations import (
    GRADIENT,
    LEAVE_ONE_OUT,
    PAPER_METRIC,
    correlation_facts,
    mean_and_spread,
    printed_in_table_2,
    printed_mean_and_spread,
    setting_of,
)
from attnnn.exhibits.facts import Fact, Facts, of_each_corpus
from attnnn.exhibits.finished import Results
from attnnn.exhibits.groups import MOST_CLASSES
from attnnn.exhibits.sheet import Sheet, number, protocol_phrase
from attnnn.study.model import BASE, TRAINED_MLP, Model, Run
from attnnn.study.papers.published import UNMAPPED_CLASSES

# Marks a class as the paper numbers it.
_UNKNOWN = "?"
_UNKNOWN_NOTE = (
    "?0, ?1, ?2: classes as the paper numbers them; in which order is not known, so its numbers cannot be "
    "set beside those of our classes."
)
# The paper's three columns.
_COLUMNS = {
    "gradient, BiLSTM": (BASE, GRADIENT),
    "gradient, average": (TRAINED_MLP, GRADIENT),
    "leave-one-out, BiLSTM": (BASE, LEAVE_ONE_OUT),
}


@of_each_corpus
def first_correlations(results: Results, corpus: str) -> Iterator[Fact]:
    """Statistics of the three columns by predicted class: see `correlation_facts`."""
    study = results.study
    for model, pair in _COLUMNS.values():
        yield from correlation_facts(results, Run(corpus, model, study.base_seed), pair)
        yield from _of_unknown_classes(corpus, study.corpora[corpus].published, model, pair)


def _of_unknown_classes(
    corpus: str, dataset: str | None, model: Model, pair: str
) -> Iterator[Fact]:
    """The paper's numbers of classes of which it is not known which of ours they are."""
    if dataset not in UNMAPPED_CLASSES:
        return
    for class_ in map(str, range(MOST_CLASSES)):
        for metric in PAPER_METRIC:
            printed = printed_in_table_2(dataset, model, pair, metric, class_)
            setting = setting_of(model, pair, f"{_UNKNOWN}{class_}")
            yield Fact(corpus, setting, metric, None, published=printed)


def first_correlations_sheet(results: Results, table: Facts) -> Sheet:
    """The table for people; a line of the paper's numbers under each of ours that it has."""
    rows: list[list[str]] = []
    for corpus in results.study.corpora:
        groups = dict.fromkeys(setting["predicted"] for setting in table.settings(corpus))
        rows.append([])
        # Classes in order; a class that only one of the models predicts has dashes in the other's columns.
        for group in sorted(groups, key=_place):
            columns = [_column(table, corpus, place, group) for place in _COLUMNS.values()]
            if not group.startswith(_UNKNOWN):
                cells = [cell for here, _ in columns for cell in here]
                rows.append([corpus, group, "here", *cells])
            if any(paper for _, paper in columns):
                cells = [cell for _, paper in columns for cell in paper or ("–", "–")]
                rows.append([corpus, group, "J&W", *cells])
    unknown = any(row and row[1].startswith(_UNKNOWN) for row in rows)
    return Sheet(
        caption="Kendall's τ-b between attention and gradients, and between attention and leave-one-out, "
        "over test documents by predicted class: mean ± standard deviation, and the share with p ≤ .05. "
        f"{protocol_phrase(results.study)}",
        columns=[
            *("corpus", "predicted", "numbers"),
            *(name for column in _COLUMNS for name in (f"τ {column}", "p ≤ .05")),
        ],
        rows=rows[1:],
        text_columns=3,
        notes=[
            "In brackets: 95 % percentile bootstrap interval of the mean over documents. Shares: as they "
            "are, and after the bar with false discoveries controlled (Benjamini & Hochberg) over all "
            "documents of the corpus. J&W: Jain & Wallace 2019, table 2. The csv file has the "
            "intervals of all columns, the same for shuffled scores, and the documents without a τ. By "
            "predicted class where a model predicts fewer than four.",
            *([_UNKNOWN_NOTE] if unknown else []),
        ],
    )


def _place(group: str) -> tuple[bool, bool, str]:
    return group.startswith(_UNKNOWN), group == "all", group


def _column(
    table: Facts, corpus: str, place: tuple[Model, str], group: str
) -> tuple[tuple[str, str], tuple[str, str] | None]:
    """Our cells of one column, τ and share, and the paper's where it has some."""
    model, pair = place
    setting = setting_of(model, pair, group)
    mean, spread, share, controlled = (
        table.get(corpus, setting, metric)
        for metric in ("tau_mean", "tau_std", "significant_share", "significant_share_fdr")
    )
    if mean is None or spread is None or share is None:
        return ("–", "–"), None
    if mean.value is None or controlled is None:
        return ("–", "–"), _printed(mean, spread, share)
    shares = f"{number(share.value, 2)} | {number(controlled.value, 2)}"
    return (mean_and_spread(mean, spread), shares), _printed(mean, spread, share)


def _printed(mean: Fact, spread: Fact, share: Fact) -> tuple[str, str] | None:
    if mean.published is None:
        return None
    return printed_mean_and_spread(mean, spread), number(share.published, 2)


EXHIBIT = TableExhibit(
    papers=("jain-wallace",),
    question="Does attention rank tokens as gradients and leave-one-out do, by predicted class?",
    caption="Kendall's τ-b between attention and gradients, and between attention and leave-one-out, over"
    " test documents by predicted class: mean ± standard deviation, and the share with p ≤ .05. "
    "Intervals are 95 % percentile bootstrap intervals over test documents.",
    needs=needs.correlations,
    settings=frozenset({"base_seed", "bootstrap"}),
    facts=first_correlations,
    sheet=first_correlations_sheet,
)
