"""Kendall's τ between attention and other token scores (Jain & Wallace 2019, section 4.1, table 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from attnnn import design
from attnnn.design import BASE, TRAINED_MLP, Model, Run
from attnnn.publish.intervals import Resampling
from attnnn.publish.long_table import Fact, LongTable
from attnnn.publish.published import published
from attnnn.publish.results import Results, Table
from attnnn.publish.typeset import Sheet, measured, number, protocol_phrase

PAIRS = ("attention~gradient", "attention~leave_one_out", "gradient~leave_one_out")
SIGNIFICANT = 0.05
_PAPER_SETTING: dict[tuple[Model, str], str] = {
    (BASE, "attention~gradient"): "gradient_bilstm",
    (TRAINED_MLP, "attention~gradient"): "gradient_average",
    (BASE, "attention~leave_one_out"): "loo_bilstm",
}


def correlation(results: Results) -> LongTable:
    """Mean, standard deviation and significant share of τ, by pair, model and predicted class.

    The standard deviation is the population's (ddof 0); significant means p ≤ .05, uncorrected.
    Documents whose τ is undefined are counted by reason. Under switch nan_policy = exclude the
    statistics leave them out; under propagate mean and deviation become NaN, and the share counts them
    as not significant, as in Jain & Wallace's code.
    """
    study = results.study
    return LongTable(
        fact
        for corpus in study.corpora
        for run in design.explained_runs(study, corpus)
        for fact in _run(results, run)
    )


def _setting(model: Model, pair: str, group: str) -> str:
    return f"model={model.name} pair={pair} predicted={group}"


def _run(results: Results, run: Run) -> Iterator[Fact]:
    table = results.correlation(run)
    for pair in PAIRS:
        of_pair = table.where("pair", pair)
        for group in _groups(of_pair):
            rows = of_pair if group == "all" else of_pair.where("predicted", int(group))
            yield from _group(results, run, pair, group, rows)


def _groups(table: Table) -> list[str]:
    return [str(group) for group in np.unique(table.ints("predicted"))] + ["all"]


def _group(results: Results, run: Run, pair: str, group: str, rows: Table) -> Iterator[Fact]:
    study = results.study
    setting = _setting(run.model, pair, group)
    tau, p_value = rows.floats("tau"), rows.floats("p_value")
    if study.protocol_of(run.corpus).nan_policy == "exclude":
        defined = ~np.isnan(tau)
        tau, p_value = tau[defined], p_value[defined]
    n = len(tau)
    printed = {
        metric: published(
            study.corpora[run.corpus].published,
            paper="jain_wallace_2019",
            table="2",
            setting=_PAPER_SETTING.get((run.model, pair), "not in the paper"),
            metric=metric,
            class_=group,
        )
        for metric in ("kendall_tau_mean", "kendall_tau_std", "sig_frac_p05")
    }
    significant = (p_value <= SIGNIFICANT).astype(np.float64)
    resampling = Resampling(study, run.corpus)
    for metric, values, of_paper in (
        ("tau_mean", tau, printed["kendall_tau_mean"]),
        ("significant_share", significant, printed["sig_frac_p05"]),
    ):
        low, high = resampling.mean(values)
        value = float(np.mean(values)) if n else None
        yield Fact(run.corpus, setting, metric, value, low, high, n, of_paper)
    spread = float(np.std(tau)) if n else None
    yield Fact(run.corpus, setting, "tau_std", spread, n=n, published=printed["kendall_tau_std"])
    reasons = Counter(reason for reason in rows.texts("excluded") if reason is not None)
    yield Fact(run.corpus, setting, "undefined", reasons.total(), n=len(rows))
    for reason in sorted(reasons):
        metric = f"undefined: {reason}"
        yield Fact(run.corpus, setting, metric, reasons[reason], n=len(rows))


def correlation_sheet(results: Results, table: LongTable) -> Sheet:
    """The correlation table for people."""
    rows: list[list[str]] = []
    for corpus in results.study.corpora:
        rows.append([])
        for setting in table.settings(corpus):
            model, pair, group = (word.partition("=")[2] for word in setting.split())
            mean, spread, share, left_out = (
                table.get(corpus, setting, metric)
                for metric in ("tau_mean", "tau_std", "significant_share", "undefined")
            )
            assert mean is not None
            assert spread is not None
            tau = f"{number(mean.value, 2)} ± {number(spread.value, 2)}"
            if mean.low is not None:
                tau += f" [{number(mean.low, 2)}, {number(mean.high, 2)}]"
            if mean.published is not None:
                tau += f" ({number(mean.published, 2)} ± {number(spread.published, 2)})"
            shown_share = measured(share, 2, interval=False)
            shown_pair = pair.replace("~", " – ").replace("_", "-")
            counts = [str(mean.n), measured(left_out, 0)]
            rows.append([corpus, model, shown_pair, group, tau, shown_share, *counts])
    return Sheet(
        name="correlation",
        caption="Kendall's τ-b between token scores over test documents, by predicted class: mean ± standard "
        f"deviation, and the share with p ≤ .05. {protocol_phrase(results.study)}",
        columns=["corpus", "model", "scores", "predicted", "τ", "p ≤ .05", "n", "undefined"],
        rows=rows[1:],
        text_columns=4,
        notes=[
            "In brackets: 95 % percentile bootstrap interval of the mean over documents. Undefined: "
            "documents without a τ; the csv file counts them by reason. In parentheses: Jain & "
            "Wallace 2019, table 2. NaN: undefined documents are left in (switch nan_policy = propagate)."
        ],
    )
