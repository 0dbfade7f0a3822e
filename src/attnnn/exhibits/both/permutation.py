"""What permuting the attention does to the prediction (Jain & Wallace 2019, section 4.2.1)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.dag.exhibit import TableExhibit
from attnnn.exhibits import needs
from attnnn.exhibits.bins import MAX_ATTENTION_BINS, bin_of
from attnnn.exhibits.classes import predicted_groups
from attnnn.exhibits.facts import Fact, Facts, Setting
from attnnn.exhibits.intervals import Resampling
from attnnn.exhibits.results import Results
from attnnn.exhibits.sheet import Sheet, measured, protocol_phrase


def permutation(results: Results) -> Facts:
    """Quartiles over test documents of the median |Δp|, by largest attention weight and predicted class."""
    study = results.study
    return Facts(fact for corpus in study.corpora for fact in _corpus(results, corpus))


def _corpus(results: Results, corpus: str) -> Iterator[Fact]:
    table = results.permutation(corpus)
    bins, predicted = bin_of(table.floats("max_attention")), table.ints("predicted")
    change = table.floats("median_change")
    for index, label in enumerate(MAX_ATTENTION_BINS):
        for group, members in predicted_groups(predicted).items():
            setting = Setting(max_attention=label, predicted=group)
            yield from _quartiles(results, corpus, setting, change[(bins == index) & members])


def _quartiles(
    results: Results,
    corpus: str,
    setting: Setting,
    change: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> Iterator[Fact]:
    n = len(change)
    low, high = Resampling(results.study, corpus).median(change)
    quartiles: list[float] | list[None] = [None] * 3
    if n:
        quartiles = [float(q) for q in np.quantile(change, [0.25, 0.5, 0.75])]
    yield Fact(corpus, setting, "median_change", quartiles[1], low, high, n)
    yield Fact(corpus, setting, "median_change_lower_quartile", quartiles[0], n=n)
    yield Fact(corpus, setting, "median_change_upper_quartile", quartiles[2], n=n)


def permutation_sheet(results: Results, table: Facts) -> Sheet:
    """The permutation table for people: corpora as row groups, bins as columns."""
    rows: list[list[str]] = []
    for corpus in results.study.corpora:
        rows.append([])
        groups = dict.fromkeys(setting["predicted"] for setting in table.settings(corpus))
        for group in groups:
            cells = []
            for label in MAX_ATTENTION_BINS:
                setting = Setting(max_attention=label, predicted=group)
                fact = table.get(corpus, setting, "median_change")
                assert fact is not None
                cells.append(f"{measured(fact)} n = {fact.n}" if fact.n else "– n = 0")
            rows.append([corpus, group, *cells])
    return Sheet(
        name="permutation",
        caption="Change |Δp| of the base model's prediction, median over "
        f"{results.study.permutations} permutations of its attention: median over test documents, by "
        f"largest attention weight (columns) and predicted class. {protocol_phrase(results.study)}",
        columns=["corpus", "predicted", *MAX_ATTENTION_BINS],
        rows=rows[1:],
        text_columns=2,
        notes=[
            "In brackets: 95 % percentile bootstrap interval over the n documents of the cell. The csv file "
            "has the quartiles. For more than two classes |Δp| is the total variation distance ½ Σ|Δp|. By "
            "predicted class where fewer than four are predicted."
        ],
    )


EXHIBIT = TableExhibit(
    papers=("jain-wallace", "wiegreffe-pinter"),
    question="How far do predictions move when attention is shuffled?",
    caption="Change of the base model's prediction under random permutations of its attention: quartiles "
    "over test documents of each document's median, by its largest attention weight and by "
    "predicted class. Intervals are 95 % percentile bootstrap intervals over test documents.",
    needs=needs.permutation,
    settings=frozenset({"base_seed", "permutations", "bootstrap"}),
    facts=permutation,
    sheet=permutation_sheet,
)
