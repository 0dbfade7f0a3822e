"""Table 2 of Wiegreffe & Pinter 2019: F1 of LSTMs with their own and with uniform attention."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.dag.exhibit import TableExhibit
from attnnn.dag.stage import Artifact
from attnnn.exhibits import needs
from attnnn.exhibits.estimates import over_seeds
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Results
from attnnn.exhibits.performance import run_f1
from attnnn.exhibits.sheet import Cell, Sheet, best, measured, protocol_phrase
from attnnn.measures import f1_score
from attnnn.study.config import Study
from attnnn.study.papers.published import published
from attnnn.study.runs import base_run, seed_runs, uniform_run

_REPORTED, _SEEDS = Setting("jain_wallace_reported"), Setting("mean_over_seeds")
_BASE, _UNIFORM = Setting("base_lstm"), Setting("uniform_lstm")


@of_each_corpus
def lstm_f1(results: Results, corpus: str) -> Iterator[Fact]:
    """Table 2: the base LSTM, the uniform LSTM, and the mean over seeds."""
    study = results.study
    dataset = study.corpora[corpus].published
    reported, base, uniform = (
        published(dataset, table="2", setting=setting, metric="f1_pos")
        for setting in ("jw_reported", "wp_base_lstm_reproduced", "uniform_lstm")
    )
    yield Fact(corpus, _REPORTED, "f1", None, published=reported)
    yield run_f1(results, base_run(study, corpus), _BASE, base)
    yield run_f1(results, uniform_run(study, corpus), _UNIFORM, uniform)
    scores = []
    for run in seed_runs(study, corpus):
        test = results.predictions(run)
        scores.append(float(f1_score(test.ints("label"), test.predicted)))
    low, high = over_seeds(scores)
    yield Fact(corpus, _SEEDS, "f1", float(np.mean(scores)), low, high, len(scores))


def lstm_f1_sheet(results: Results, table: Facts) -> Sheet:
    """Table 2 for people."""
    rows: list[list[Cell | str]] = []
    for corpus in results.study.corpora:
        ours = [table.get(corpus, setting, "f1") for setting in (_BASE, _UNIFORM)]
        bold = best(ours)
        seeds = table.get(corpus, _SEEDS, "f1")
        reported = table.get(corpus, _REPORTED, "f1")
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
        caption="F1 of class 1 on the test split: the base LSTM and the same with uniform attention; the "
        f"better one in bold. {protocol_phrase(results.study)}",
        columns=["corpus", "J&W", "base LSTM", "uniform LSTM", "mean over seeds", "n"],
        rows=rows,
        notes=[
            "In brackets: 95 % percentile bootstrap interval over test documents (n documents); of the mean "
            f"over {len(results.study.seeds)} seeds: Student's t interval. In parentheses: Wiegreffe & "
            "Pinter 2019, table 2; J&W: as they quote Jain & Wallace 2019."
        ],
    )


def _needs(study: Study, corpus: str) -> list[Artifact]:
    return [*needs.seeds(study, corpus), *needs.predictions([uniform_run(study, corpus)])]


EXHIBIT = TableExhibit(
    papers=("wiegreffe-pinter",),
    question="Does the model need attention at all, or is uniform attention as good?",
    caption="F1 of class 1 on the test split: the BiLSTM with additive attention, the same with uniform "
    "attention, and the mean over other seeds. Intervals are 95 % percentile bootstrap intervals "
    "over test documents. The interval of the mean over seeds is Student's.",
    needs=_needs,
    settings=frozenset({"base_seed", "seeds", "bootstrap"}),
    facts=lstm_f1,
    sheet=lstm_f1_sheet,
)
