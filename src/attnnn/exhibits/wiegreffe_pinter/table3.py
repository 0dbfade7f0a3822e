"""Table 3 of Wiegreffe & Pinter 2019: F1 of MLPs guided by attention."""

from __future__ import annotations

from collections.abc import Iterator

from attnnn.dag.exhibit import TableExhibit
from attnnn.dag.stage import Artifact
from attnnn.exhibits import needs
from attnnn.exhibits.facts import Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Results
from attnnn.exhibits.performance import run_f1
from attnnn.exhibits.sheet import Cell, Sheet, best, measured, protocol_phrase
from attnnn.study.config import Study
from attnnn.study.model import format_lambda
from attnnn.study.papers.published import published
from attnnn.study.runs import guide_runs


@of_each_corpus
def guided_f1(results: Results, corpus: str) -> Iterator[Fact]:
    """Table 3: the MLP under each guide."""
    study = results.study
    for guide, run in guide_runs(study, corpus).items():
        printed = published(
            study.corpora[corpus].published,
            table="3",
            setting=f"guide_mlp:{guide}",
            metric="f1_pos",
            lambda_=study.guide_lambda if guide == "adversary" else None,
        )
        yield run_f1(results, run, Setting(guide), printed)


def guided_f1_sheet(results: Results, table: Facts) -> Sheet:
    """Table 3 for people, guides as rows like the paper's."""
    study = results.study
    guides = list(dict.fromkeys(fact.setting for fact in table))
    bold = {corpus: best([table.get(corpus, g, "f1") for g in guides]) for corpus in study.corpora}
    rows: list[list[Cell | str]] = []
    for guide in guides:
        facts = [table.get(corpus, guide, "f1") for corpus in study.corpora]
        cells = [Cell(measured(f), f in bold[f.corpus]) if f else "–" for f in facts]
        rows.append([str(guide).replace("_", " "), *cells])
    sizes = [table.get(corpus, guides[0], "f1") for corpus in study.corpora]
    rows.append([])
    rows.append(["n", *(str(fact.n) if fact else "–" for fact in sizes)])
    return Sheet(
        caption="F1 of class 1 on the test split of an MLP that weighs its tokens by the attention of a "
        f"guide; the best guide in bold. Adversary: λ = {format_lambda(study.guide_lambda)}. "
        f"{protocol_phrase(study)}",
        columns=["guide", *study.corpora],
        rows=rows,
        notes=[
            "In brackets: 95 % percentile bootstrap interval over test documents. In parentheses: "
            "Wiegreffe & Pinter 2019, table 3."
        ],
    )


def _needs(study: Study, corpus: str) -> list[Artifact]:
    return needs.predictions(guide_runs(study, corpus).values())


EXHIBIT = TableExhibit(
    papers=("wiegreffe-pinter",),
    question="Does attention learned by one model help another one that sees single tokens only?",
    caption="F1 of class 1 on the test split of a token-level MLP that weighs its tokens uniformly, by "
    "attention of its own, by the base model's, or by a trained adversary's. Intervals are 95 % "
    "percentile bootstrap intervals over test documents.",
    needs=_needs,
    settings=frozenset({"base_seed", "adversary_seed", "guide_lambda", "bootstrap"}),
    facts=guided_f1,
    sheet=guided_f1_sheet,
)
