"""The test document that a figure shows of a corpus, under the model's own attention and under others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attnnn.exhibits.finished import Floats, Results, Table, require_same_documents
from attnnn.measures import jensen_shannon_divergence
from attnnn.study.runs import base_run
from attnnn.tables.ragged import Ragged

WIDEST = 25  # tokens that fit a line of print


@dataclass(frozen=True)
class ShownDocument:
    """One document as several attention vectors read it.

    Attributes:
        document: its number.
        answer: gold class, in words for a heading; the base model predicts it too wherever it gets any
            document right.
        tokens: all n of them.
        attention: the model's own, the searched adversary's and, where there is one, a third; shape
            (vectors, n).
        probability: of class 1, with more than two classes of the predicted one, shape (vectors,).
        jsd: to the model's own attention, nats, shape (vectors,).
        found: whether the search found an adversary.
        epsilon: how far that one may move the probability.
        question: its tokens, if the document comes with one.
        known: what the exact adversary is: ``exact``, or for more than two classes ``best known``.
    """

    document: int
    answer: str
    tokens: list[str]
    attention: Floats
    probability: Floats
    jsd: Floats
    found: bool
    epsilon: float
    question: list[str] | None
    known: str


def choose_document(results: Results, corpus: str) -> int:
    """The row of the test document to show.

    Of the documents that the base model gets right and that the search found an adversary for, and of
    these, where there are any, those of at most `WIDEST` tokens: the one of the length nearest to the
    median test document's; of several, the first. A condition that no document meets is waived.
    """
    base = results.predictions(base_run(results.study, corpus))
    lengths = base.ragged("attention").lengths
    eligible = np.ones(len(base), dtype=np.bool_)
    for condition in (
        base.predicted == base.ints("label"),
        results.searched(corpus).flags("found"),
        lengths <= WIDEST,
    ):
        if (eligible & condition).any():
            eligible &= condition
    distance = np.where(eligible, np.abs(lengths - np.median(lengths)), np.inf)
    return int(np.argmin(distance))


def shown_document(results: Results, corpus: str, third: Table | None) -> ShownDocument:
    """The document of a corpus that `choose_document` chooses.

    Args:
        results: the study's tables.
        corpus: the corpus.
        third: whose attention is shown beside the base model's and the searched adversary's: predictions, or
            exact adversaries; None: only these two are.
    """
    base = results.predictions(base_run(results.study, corpus))
    searched, documents = results.searched(corpus), results.documents(corpus)
    tables = [base, searched] if third is None else [base, searched, third]
    require_same_documents(*tables, documents)
    row = choose_document(results, corpus)
    tokens, label = documents.texts("tokens")[row], int(base.ints("label")[row])
    attention = np.stack([_attention(table, row, len(tokens)) for table in tables])
    pairs = results.study.corpora[corpus].source.pairs
    answer, known = f"class {label}", "exact"
    if results.multiclass(corpus):
        word = results.description(corpus)["classes"][label]
        if word != str(label):
            answer = word if pairs else f"{answer} ({word})"
        if third is not None and not third.flags("exact")[row]:
            known = "best known"
    return ShownDocument(
        document=int(base.ints("document")[row]),
        answer=answer,
        tokens=tokens,
        question=documents.texts("question")[row] if pairs else None,
        attention=attention,
        probability=np.array([table.probability[row] for table in tables]),
        jsd=jensen_shannon_divergence(
            Ragged.from_lists(attention), Ragged.from_lists([attention[0]] * len(attention))
        ),
        found=bool(searched.flags("found")[row]),
        epsilon=results.study.protocol_of(corpus).epsilon_select,
        known=known,
    )


def _attention(table: Table, row: int, n: int) -> Floats:
    if "attention" in table.arrow.column_names:
        return table.ragged("attention")[row].astype(np.float64)
    return exact_attention(table, row, n)


def exact_attention(exact: Table, row: int, n: int) -> Floats:
    """The exact adversary of one document as a vector of n weights."""
    attention = np.zeros(n)
    if "tokens" in exact.arrow.column_names:
        attention[exact.ragged("tokens")[row]] = exact.ragged("weights")[row]
        return attention
    attention[exact.ints("token_a")[row]] = exact.floats("weight_a")[row]
    other = exact.floats("token_b")[row]
    if not np.isnan(other):
        attention[int(other)] = exact.floats("weight_b")[row]
    return attention


def shortened(token: str, longest: int) -> str:
    """A token in at most so many characters."""
    return token if len(token) <= longest else token[: longest - 1] + "…"


def shade_bar(figure: Figure, axes: NDArray[Any], shades: ScalarMappable, of: str) -> None:
    """Say under some panels what their shades mean: a weight's share of the largest of a text or panel."""
    bar = figure.colorbar(
        shades, ax=axes, location="bottom", shrink=0.35, aspect=30, pad=0.02, fraction=0.05
    )
    bar.set_label(f"attention weight, relative to the largest of {of}")
    bar.outline.set_linewidth(0.4)
