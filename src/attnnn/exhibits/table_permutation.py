"""What permuting the attention does to the prediction (Jain & Wallace 2019, section 4.2.1)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.exhibits.bins import MAX_ATTENTION_BINS, bin_of
from attnnn.exhibits.classes import predicted_groups
from attnnn.exhibits.intervals import Resampling
from attnnn.exhibits.long_table import Fact, LongTable
from attnnn.exhibits.results import Results
from attnnn.exhibits.typeset import Sheet, measured, protocol_phrase


def permutation(results: Results) -> LongTable:
    """Quartiles over test documents of the median |Δp|, by largest attention weight and predicted class."""
    study = results.study
    return LongTable(fact for corpus in study.corpora for fact in _corpus(results, corpus))


def _corpus(results: Results, corpus: str) -> Iterator[Fact]:
    table = results.permutation(corpus)
    bins, predicted = bin_of(table.floats("max_attention")), table.ints("predicted")
    change = table.floats("median_change")
    for index, label in enumerate(MAX_ATTENTION_BINS):
        for group, members in predicted_groups(predicted).items():
            setting = f"max_attention={label} predicted={group}"
            yield from _quartiles(results, corpus, setting, change[(bins == index) & members])


def _quartiles(
    results: Results,
    corpus: str,
    setting: str,
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


def permutation_sheet(results: Results, table: LongTable) -> Sheet:
    """The permutation table for people: corpora as row groups, bins as columns."""
    rows: list[list[str]] = []
    for corpus in results.study.corpora:
        rows.append([])
        groups = dict.fromkeys(setting.split()[1] for setting in table.settings(corpus))
        for group in groups:
            cells = []
            for label in MAX_ATTENTION_BINS:
                fact = table.get(corpus, f"max_attention={label} {group}", "median_change")
                assert fact is not None
                cells.append(f"{measured(fact)} n = {fact.n}" if fact.n else "– n = 0")
            rows.append([corpus, group.removeprefix("predicted="), *cells])
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
            "has the quartiles. Of several classes |Δp| is the total variation distance ½ Σ|Δp|. By "
            "predicted class where fewer than four are predicted."
        ],
    )
