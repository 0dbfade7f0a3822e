"""Kendall's τ between attention and other token scores, for every explained model."""

from __future__ import annotations

from collections.abc import Iterator

from attnnn.dag.exhibit import TableExhibit
from attnnn.dag.stage import Artifact
from attnnn.exhibits.correlations import (
    PAIRS,
    SIGNED,
    correlation_facts,
    mean_and_spread,
    named_pair,
    printed_mean_and_spread,
)
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Results
from attnnn.exhibits.sheet import Sheet, measured, protocol_phrase
from attnnn.stages.correlate import STAGE as CORRELATE
from attnnn.study.config import Study
from attnnn.study.runs import explained_runs

# With more models than Jain & Wallace's table 2 shows, the sheet leaves the classes to the csv file.
_MODELS_BY_CLASS = 2
_AGAINST_MAGNITUDES = (
    "Gradient and leave-one-out are magnitudes. With two classes the two signed scores rank tokens alike, as "
    "one is a multiple of the other. α × contribution is undefined for pairs of texts, whose logits are no "
    "sum over tokens."
)


@of_each_corpus
def correlation(results: Results, corpus: str) -> Iterator[Fact]:
    """Statistics of τ by model, pair of scores and predicted class: see `correlation_facts`."""
    for run in explained_runs(results.study, corpus):
        for pair in PAIRS:
            yield from correlation_facts(results, run, pair)


def correlation_sheet(results: Results, table: Facts) -> Sheet:
    """The correlation table for people."""
    study = results.study
    rows: list[list[str]] = []
    for corpus in study.corpora:
        by_class = len(explained_runs(study, corpus)) <= _MODELS_BY_CLASS
        rows.append([])
        for setting in table.settings(corpus):
            model, pair, group = setting["model"], setting["pair"], setting["predicted"]
            if by_class or group == "all":
                rows.append(
                    [corpus, model, named_pair(pair), group, *_cells(table, corpus, setting)]
                )
    note = (
        "In brackets: 95 % percentile bootstrap interval of the mean over documents. FDR: the share after "
        "control of false discoveries (Benjamini & Hochberg) over the documents of a corpus, model and "
        "pair. Shuffled: the same with the second score shuffled within each document. Undefined: "
        "documents without a τ; the csv file counts them by reason, and has the distance between the highest "
        "tokens, the intervals and the predicted classes too. In parentheses: Jain & Wallace 2019, table 2. "
        "NaN: undefined documents are left in (switch nan_policy = propagate)."
    )
    return Sheet(
        caption="Kendall's τ-b between token scores over test documents, by predicted class: mean ± standard "
        f"deviation, and the share with p ≤ .05. {protocol_phrase(study)}",
        columns=[
            *("corpus", "model", "scores", "predicted", "τ", "p ≤ .05", "FDR"),
            *("shuffled τ", "shuffled p ≤ .05", "n", "undefined"),
        ],
        rows=rows[1:],
        text_columns=4,
        notes=[note, f"{SIGNED} {_AGAINST_MAGNITUDES}"],
    )


def _cells(table: Facts, corpus: str, setting: Setting) -> list[str]:
    mean, spread, share, controlled, shuffled, by_chance, left_out = (
        table.get(corpus, setting, metric)
        for metric in (
            *("tau_mean", "tau_std", "significant_share", "significant_share_fdr"),
            *("tau_mean_shuffled", "significant_share_shuffled", "undefined"),
        )
    )
    assert mean is not None
    assert spread is not None
    tau = mean_and_spread(mean, spread)
    if mean.published is not None:
        tau += f" ({printed_mean_and_spread(mean, spread)})"
    facts = (share, controlled, shuffled, by_chance)
    cells = [measured(fact, 2, interval=False) for fact in facts]
    return [tau, *cells, str(mean.n), measured(left_out, 0)]


def _needs(study: Study, corpus: str) -> list[Artifact]:
    return [CORRELATE.made("correlation", run) for run in explained_runs(study, corpus)]


EXHIBIT = TableExhibit(
    papers=("jain-wallace", "wiegreffe-pinter"),
    question="Does attention rank tokens as gradients and leave-one-out do, and more than shuffled scores "
    "would?",
    caption="Kendall's τ-b between pairs of token scores over test documents, by model and predicted "
    "class: mean, standard deviation, shares with p ≤ .05 with and without control of false "
    "discoveries, and the same for scores shuffled within each document. "
    f"{SIGNED} Intervals are 95 % percentile bootstrap intervals over test documents.",
    needs=_needs,
    settings=frozenset({"base_seed", "papers", "grid", "bootstrap"}),
    facts=correlation,
    sheet=correlation_sheet,
)
