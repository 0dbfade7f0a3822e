"""What permuting the attention does to the prediction (Jain & Wallace 2019, section 4.2.1)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.dag.exhibit import TableExhibit
from attnnn.exhibits import needs
from attnnn.exhibits.estimates import estimate, median
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Results
from attnnn.exhibits.groups import MAX_ATTENTION_BINS, bin_of, predicted_groups
from attnnn.exhibits.sheet import Sheet, measured, protocol_phrase


@of_each_corpus
def permutation(results: Results, corpus: str) -> Iterator[Fact]:
    """Quartiles over test documents of the median |Δp|, by largest attention weight and predicted class."""
    table = results.permutation(corpus)
    bins, predicted = bin_of(table.floats("max_attention")), table.ints("predicted")
    change = table.floats("median_change")
    for index, label in enumerate(MAX_ATTENTION_BINS):
        for group, members in predicted_groups(predicted).items():
            setting = Setting(max_attention=label, predicted=group)
            chosen = change[(bins == index) & members]
            yield estimate(results.study, corpus, setting, "median_change", median, chosen)
            for name, share in (("lower", 0.25), ("upper", 0.75)):
                quartile = float(np.quantile(chosen, share)) if len(chosen) else None
                metric = f"median_change_{name}_quartile"
                yield Fact(corpus, setting, metric, quartile, n=len(chosen))


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
