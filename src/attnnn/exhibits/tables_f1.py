"""Tables 2 and 3 of Wiegreffe & Pinter 2019: F1 of LSTMs and of MLPs guided by attention."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.exhibits.intervals import Resampling, over_seeds
from attnnn.exhibits.long_table import Fact, LongTable
from attnnn.exhibits.published import published
from attnnn.exhibits.results import Results
from attnnn.exhibits.typeset import Cell, Sheet, best, measured, protocol_phrase
from attnnn.measures import f1_score
from attnnn.study import design
from attnnn.study.design import Run

_F1_OF = "F1 of class 1 on the test split"
_PUBLISHED_NOTE = "In brackets: 95 % percentile bootstrap interval over test documents"


def run_f1(results: Results, run: Run, setting: str, printed: float | None) -> Fact:
    """F1 of one run on the test split, with its bootstrap interval over documents."""
    test = results.predictions(run)
    label, predicted = test.ints("label"), test.predicted
    low, high = Resampling(results.study, run.corpus).f1(label, predicted)
    value = float(f1_score(label, predicted))
    return Fact(run.corpus, setting, "f1", value, low, high, len(test), printed)


def lstm_f1(results: Results) -> LongTable:
    """Table 2: the base LSTM, the uniform LSTM, and the mean over seeds."""
    return LongTable(fact for corpus in results.study.corpora for fact in _lstm_f1(results, corpus))


def _lstm_f1(results: Results, corpus: str) -> Iterator[Fact]:
    study = results.study
    dataset = study.corpora[corpus].published
    reported, base, uniform = (
        published(dataset, table="2", setting=setting, metric="f1_pos")
        for setting in ("jw_reported", "wp_base_lstm_reproduced", "uniform_lstm")
    )
    yield Fact(corpus, "jain_wallace_reported", "f1", None, published=reported)
    yield run_f1(results, design.base_run(study, corpus), "base_lstm", base)
    yield run_f1(results, design.uniform_run(study, corpus), "uniform_lstm", uniform)
    scores = []
    for run in design.seed_runs(study, corpus):
        test = results.predictions(run)
        scores.append(float(f1_score(test.ints("label"), test.predicted)))
    low, high = over_seeds(scores)
    yield Fact(corpus, "mean_over_seeds", "f1", float(np.mean(scores)), low, high, len(scores))


def lstm_f1_sheet(results: Results, table: LongTable) -> Sheet:
    """Table 2 for people."""
    rows: list[list[Cell | str]] = []
    for corpus in results.study.corpora:
        ours = [table.get(corpus, name, "f1") for name in ("base_lstm", "uniform_lstm")]
        bold = best(ours)
        seeds = table.get(corpus, "mean_over_seeds", "f1")
        reported = table.get(corpus, "jain_wallace_reported", "f1")
        assert ours[0] is not None
        assert reported is not None
        rows.append(
            [
                corpus,
                f"({reported.published:.2f})" if reported.published is not None else "–",
                *(Cell(measured(fact), fact in bold) for fact in ours),
                measured(seeds),
                str(ours[0].n),
            ]
        )
    return Sheet(
        name="table2",
        caption=f"{_F1_OF}: the base LSTM and the same with uniform attention; the better one in bold. "
        f"{protocol_phrase(results.study)}",
        columns=["corpus", "J&W", "base LSTM", "uniform LSTM", "mean over seeds", "n"],
        rows=rows,
        notes=[
            f"{_PUBLISHED_NOTE} (n documents); of the mean over {len(results.study.seeds)} seeds: "
            "Student's t interval. In parentheses: Wiegreffe & Pinter 2019, table 2; J&W: as they "
            "quote Jain & Wallace 2019."
        ],
    )


def guided_f1(results: Results) -> LongTable:
    """Table 3: the MLP under each guide."""
    study = results.study
    facts = []
    for corpus in study.corpora:
        dataset = study.corpora[corpus].published
        for guide, run in design.guide_runs(study, corpus).items():
            printed = published(
                dataset,
                table="3",
                setting=f"guide_mlp:{guide}",
                metric="f1_pos",
                lambda_=study.guide_lambda if guide == "adversary" else None,
            )
            facts.append(run_f1(results, run, guide, printed))
    return LongTable(facts)


def guided_f1_sheet(results: Results, table: LongTable) -> Sheet:
    """Table 3 for people, guides as rows like the paper's."""
    study = results.study
    guides = list(dict.fromkeys(fact.setting for fact in table))
    bold = {corpus: best([table.get(corpus, g, "f1") for g in guides]) for corpus in study.corpora}
    rows: list[list[Cell | str]] = []
    for guide in guides:
        facts = [table.get(corpus, guide, "f1") for corpus in study.corpora]
        cells = [Cell(measured(f), f in bold[f.corpus]) if f else "–" for f in facts]
        rows.append([guide.replace("_", " "), *cells])
    sizes = [table.get(corpus, guides[0], "f1") for corpus in study.corpora]
    rows.append([])
    rows.append(["n", *(str(fact.n) if fact else "–" for fact in sizes)])
    return Sheet(
        name="table3",
        caption=f"{_F1_OF} of an MLP that weighs its tokens by the attention of a guide; the best guide "
        f"in bold. Adversary: λ = {design.format_lambda(study.guide_lambda)}. "
        f"{protocol_phrase(study)}",
        columns=["guide", *study.corpora],
        rows=rows,
        notes=[f"{_PUBLISHED_NOTE}. In parentheses: Wiegreffe & Pinter 2019, table 3."],
    )
