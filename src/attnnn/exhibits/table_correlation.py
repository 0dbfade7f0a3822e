"""Kendall's τ between attention and other token scores, for every explained model."""

from __future__ import annotations

from attnnn.exhibits.correlations import PAIRS, correlation_facts
from attnnn.exhibits.long_table import LongTable
from attnnn.exhibits.results import Results
from attnnn.exhibits.typeset import Sheet, measured, number, protocol_phrase
from attnnn.study import design

# With more models than Jain & Wallace's table 2 shows, the sheet leaves the classes to the csv file.
_MODELS_BY_CLASS = 2


def correlation(results: Results) -> LongTable:
    """Statistics of τ by model, pair of scores and predicted class: see `correlation_facts`."""
    study = results.study
    return LongTable(
        fact
        for corpus in study.corpora
        for run in design.explained_runs(study, corpus)
        for pair in PAIRS
        for fact in correlation_facts(results, run, pair)
    )


def correlation_sheet(results: Results, table: LongTable) -> Sheet:
    """The correlation table for people."""
    study = results.study
    rows: list[list[str]] = []
    for corpus in study.corpora:
        by_class = len(design.explained_runs(study, corpus)) <= _MODELS_BY_CLASS
        rows.append([])
        for setting in table.settings(corpus):
            model, pair, group = (word.partition("=")[2] for word in setting.split())
            if by_class or group == "all":
                shown = pair.replace("~", " – ").replace("_", "-")
                rows.append([corpus, model, shown, group, *_cells(table, corpus, setting)])
    note = (
        "In brackets: 95 % percentile bootstrap interval of the mean over documents. FDR: the share after "
        "control of false discoveries (Benjamini & Hochberg) over the documents of a corpus, model and "
        "pair. Shuffled: the same with the second score shuffled within each document. Undefined: "
        "documents without a τ; the csv file counts them by reason, and has the distance between the highest "
        "tokens, the intervals and the predicted classes too. In parentheses: Jain & Wallace 2019, table 2. "
        "NaN: undefined documents are left in (switch nan_policy = propagate)."
    )
    return Sheet(
        name="correlation",
        caption="Kendall's τ-b between token scores over test documents, by predicted class: mean ± standard "
        f"deviation, and the share with p ≤ .05. {protocol_phrase(study)}",
        columns=[
            *("corpus", "model", "scores", "predicted", "τ", "p ≤ .05", "FDR"),
            *("shuffled τ", "shuffled p ≤ .05", "n", "undefined"),
        ],
        rows=rows[1:],
        text_columns=4,
        notes=[note],
    )


def _cells(table: LongTable, corpus: str, setting: str) -> list[str]:
    mean, spread, share, controlled, shuffled, by_chance, left_out = (
        table.get(corpus, setting, metric)
        for metric in (
            *("tau_mean", "tau_std", "significant_share", "significant_share_fdr"),
            *("tau_mean_shuffled", "significant_share_shuffled", "undefined"),
        )
    )
    assert mean is not None
    assert spread is not None
    tau = f"{number(mean.value, 2)} ± {number(spread.value, 2)}"
    if mean.low is not None:
        tau += f" [{number(mean.low, 2)}, {number(mean.high, 2)}]"
    if mean.published is not None:
        tau += f" ({number(mean.published, 2)} ± {number(spread.published, 2)})"
    shares = [measured(fact, 2, interval=False) for fact in (share, controlled)]
    chance = [measured(fact, 2, interval=False) for fact in (shuffled, by_chance)]
    return [tau, *shares, *chance, str(mean.n), measured(left_out, 0)]
