"""Every encoder with every attention (the grid that Jain & Wallace put online), in one table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from attnnn.dag.exhibit import TableExhibit
from attnnn.dag.stage import Artifact
from attnnn.exhibits import needs
from attnnn.exhibits.correlations import GRADIENT, LEAVE_ONE_OUT, MEASURES, correlations
from attnnn.exhibits.estimates import estimate, mean, median
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Results
from attnnn.exhibits.performance import f1_and_accuracy
from attnnn.exhibits.sheet import Sheet, measured, number, protocol_phrase
from attnnn.measures import roc_auc
from attnnn.stages.correlate import STAGE as CORRELATE
from attnnn.stages.permute import STAGE as PERMUTE
from attnnn.stages.search import STAGE as SEARCH
from attnnn.stages.solve import STAGE as SOLVE
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.papers.published import published_of_grid
from attnnn.study.runs import grid_runs, vanilla_runs

_PAIRS = {
    "tau_attention_gradient": GRADIENT,
    "tau_attention_leave_one_out": LEAVE_ONE_OUT,
    "tau_gradient_leave_one_out": MEASURES,
}
# Metrics of the sheet, with the header and the digits of each.
_SHOWN = {
    "f1": ("F1", 2),
    "accuracy": ("accuracy", 2),
    "auc": ("AUC", 2),
    "tau_attention_gradient": ("τ α – gradient", 2),
    "tau_attention_leave_one_out": ("τ α – LOO", 2),
    "tau_gradient_leave_one_out": ("τ gradient – LOO", 2),
    "permutation_median_change": ("permuted |Δp|", 3),
    "epsilon_max_jsd_searched": ("JSD searched", 2),
    "epsilon_max_jsd_exact": ("JSD exact", 2),
}
_THEIRS = (
    "J&W: the grid that Jain & Wallace put online, of later runs than their paper's, selected on dev, with "
    "their pretrained word vectors; a dash where it has no number. With acute anemia as class 1."
)
# For more than two classes in the place of the last one.
_BEST_KNOWN, _BOUND = "epsilon_max_jsd_best_known", "epsilon_max_jsd_bound"
_MULTICLASS = [
    "For more than two classes, |Δp| is the total variation distance ½ Σ|Δp| between predictions; the csv "
    "file has macro-F1; and the exact JSD lies between that of the best known attention and the bound after "
    "≤, both means over documents; the csv file has the share of documents for which the best known one "
    "is exact.",
]


@of_each_corpus
def grid(results: Results, corpus: str) -> Iterator[Fact]:
    """Scores of every model, and what the experiments say of its attention, where it has one."""
    study, settings = results.study, results.study.corpora[corpus]
    # They count acute anemia as class 1; where chronic is, only F1 of class 1 is another number.
    swapped = getattr(settings.source, "anemia_positive", "acute") != "acute"
    for run in (*grid_runs(study, corpus), *vanilla_runs(study, corpus)):
        for fact in _run(results, run):
            dataset = None if swapped and fact.metric == "f1" else settings.published
            printed = published_of_grid(dataset, model=run.model.name, metric=fact.metric)
            yield replace(fact, published=printed)


def _run(results: Results, run: Run) -> Iterator[Fact]:
    corpus, setting, test = run.corpus, Setting(model=run.model.name), results.predictions(run)
    yield from f1_and_accuracy(results, run, setting)
    of = partial(estimate, results.study, corpus, setting)
    if not results.multiclass(corpus):
        yield of("auc", roc_auc, test.ints("label"), test.probability)
    if run.model.attention == "none":
        return
    excludes = results.study.protocol_of(corpus).nan_policy == "exclude"
    for metric, pair in _PAIRS.items():
        tau = correlations(results, run, pair).tau
        yield of(metric, mean, tau[~np.isnan(tau)] if excludes else tau)
    change = results.permutation(corpus, run=run).floats("median_change")
    yield of("permutation_median_change", median, change)
    searched, exact = results.searched(corpus, run=run), results.exact(corpus, run=run)
    yield of("epsilon_max_jsd_searched", mean, searched.floats("jsd"))
    yield of("share_found", mean, searched.flags("found"))
    if results.multiclass(corpus):
        yield of(_BEST_KNOWN, mean, exact.floats("jsd"))
        yield of(_BOUND, mean, exact.floats("bound"))
        yield of("share_exact", mean, exact.flags("exact"))
    else:
        yield of("epsilon_max_jsd_exact", mean, exact.floats("jsd"))


def grid_sheet(results: Results, table: Facts) -> Sheet:
    """The grid for people: a row a corpus and model, and under it the authors' own where they have it."""
    study = results.study
    rows: list[list[str]] = []
    for corpus in study.corpora:
        rows.append([])
        for setting in table.settings(corpus):
            facts = [table.get(corpus, setting, metric) for metric in _SHOWN]
            model, digits = setting["model"], [digits for _, digits in _SHOWN.values()]
            here = [
                measured(fact, shown, published=False)
                for fact, shown in zip(facts, digits, strict=True)
            ]
            bound = table.get(corpus, setting, _BOUND)
            if bound is not None and bound.value is not None:
                known = measured(table.get(corpus, setting, _BEST_KNOWN), 2)
                here[-1] = f"{known} ≤ {number(bound.value, 2)}"
            rows.append([corpus, model, "here", *here])
            printed = [None if fact is None else fact.published for fact in facts]
            if any(value is not None for value in printed):
                theirs = [
                    number(value, shown) for value, shown in zip(printed, digits, strict=True)
                ]
                rows.append([corpus, model, "J&W", *theirs])
    epsilons = sorted({study.protocol_of(corpus).epsilon_select for corpus in study.corpora})
    return Sheet(
        caption="Every encoder with every attention, and without (none): F1 of class 1, accuracy and "
        "ROC-AUC, mean τ-b between attention (α), gradients and leave-one-out (LOO), median over "
        f"documents of the median |Δp| over {study.permutations} permutations of the attention, and mean "
        f"ε-max JSD (nats) at ε = {', '.join(f'{value:g}' for value in epsilons)}, on the test split. "
        f"{protocol_phrase(study)}",
        columns=["corpus", "model", "numbers", *(header for header, _ in _SHOWN.values())],
        rows=rows[1:],
        text_columns=3,
        notes=[
            "In brackets: 95 % percentile bootstrap interval over test documents. The csv file has the "
            "share of documents for which the search found anything.",
            *([_THEIRS] if any(row and row[2] == "J&W" for row in rows) else []),
            *(_MULTICLASS[: any(map(results.multiclass, study.corpora))]),
        ],
    )


def _needs(study: Study, corpus: str) -> list[Artifact]:
    attending = grid_runs(study, corpus)
    return [
        *needs.predictions([*attending, *vanilla_runs(study, corpus)]),
        *(CORRELATE.made("correlation", run) for run in attending),
        *(PERMUTE.made("permutation", run) for run in attending),
        *(SEARCH.made("adversary", run) for run in attending),
        *(SOLVE.made("adversary", run) for run in attending),
    ]


EXHIBIT = TableExhibit(
    papers=("jain-wallace",),
    question="Does any of it depend on the encoder (BiLSTM, average, CNN) or the attention (additive, dot,"
    " none)? The authors' own numbers are beside ours.",
    caption="Every encoder with every attention, and without: scores, correlations of attention with "
    "other token scores, change under permutation, and ε-max JSD on the test split. Intervals are"
    " 95 % percentile bootstrap intervals over test documents.",
    needs=_needs,
    settings=frozenset({"base_seed", "grid", "permutations", "bootstrap"}),
    facts=grid,
    sheet=grid_sheet,
)
