"""Do attention and importance rank a supporting sentence first? Of bAbI, and in neither paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from attnnn.dag.exhibit import TableExhibit
from attnnn.dag.stage import Artifact
from attnnn.exhibits import needs
from attnnn.exhibits.correlations import SCORE_NAMES, SIGNED
from attnnn.exhibits.estimates import estimate, mean
from attnnn.exhibits.facts import ALL, Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Floats, Results, Table, require_same_documents
from attnnn.exhibits.performance import hits
from attnnn.exhibits.sheet import Sheet, measured, number, protocol_phrase
from attnnn.stages.correlate import CLASS_SCORES
from attnnn.stages.measure import METHODS
from attnnn.stages.measure import STAGE as MEASURE
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import explained_runs
from attnnn.tables.ragged import Ragged

_SCORES = ("attention", *METHODS, *CLASS_SCORES, "chance")
_FIRSTS = {"supporting_token_first": "token", "supporting_sentence_first": "sentence"}


@dataclass(frozen=True)
class Stories:
    """The documents whose supporting sentences are known.

    Attributes:
        known: which documents these are; everything below is of them.
        evidence: of each token, 1 where it is in a supporting sentence.
        sentence: of each token, its sentence's place among all sentences of these documents.
        supporting: of each sentence, 1 where it supports the answer; one row per document.
    """

    known: NDArray[np.bool_]
    evidence: Ragged
    sentence: NDArray[np.int64]
    supporting: Ragged

    def by_sentence(self, scores: Ragged) -> Ragged:
        """Scores of tokens summed over each sentence."""
        sums = np.bincount(self.sentence, scores.values, minlength=len(self.supporting.values))
        return self.supporting.with_values(sums)


def stories_of(documents: Table) -> Stories:
    """The stories of some documents, with sentences numbered through."""
    evidence, sentence = documents.arrow["evidence"], documents.arrow["sentence"]
    known = pc.and_(pc.is_valid(evidence), pc.is_valid(sentence)).to_numpy()
    listed = documents.take(np.asarray(known, dtype=np.bool_))
    of_tokens, numbers = listed.ragged("evidence"), listed.ragged("sentence")
    counts = numbers.maxima().astype(np.int64) + 1
    first = np.concatenate([[0], np.cumsum(counts)])
    places = first[numbers.documents] + numbers.values.astype(np.int64)
    supporting = np.zeros(int(first[-1]))
    np.maximum.at(supporting, places, of_tokens.values.astype(np.float64))
    return Stories(
        np.asarray(known, dtype=np.bool_),
        of_tokens.with_values(of_tokens.values.astype(np.float64)),
        places,
        Ragged.from_lengths(supporting, counts),
    )


def _evident(study: Study, corpus: str) -> bool:
    return study.corpora[corpus].source.evidence


@of_each_corpus
def evidence(results: Results, corpus: str) -> Iterator[Fact]:
    """How often each score ranks a supporting token, and a supporting sentence, first.

    A sentence's score is the sum of its tokens'. Where several share the highest score, the share of
    supporting ones among them counts. Chance: a token, or a sentence, drawn at random.
    """
    if not _evident(results.study, corpus):
        return
    documents = results.documents(corpus)
    stories = stories_of(documents)
    unknown, n = int((~stories.known).sum()), len(documents)
    yield Fact(corpus, ALL, "documents_without_evidence", unknown, n=n)
    for run in explained_runs(results.study, corpus):
        yield from _run(results, run, documents, stories)


def _run(results: Results, run: Run, documents: Table, stories: Stories) -> Iterator[Fact]:
    predictions = results.predictions(run)
    require_same_documents(documents, predictions)
    right = (predictions.predicted == predictions.ints("label"))[stories.known]
    found: dict[str, Ragged | None] = {"attention": predictions.ragged("attention")}
    for method in METHODS:
        table = results.importance(run, method)
        require_same_documents(documents, table)
        found[method] = table.ragged("importance")
    found |= results.predicted_scores(run)
    firsts = {name: _firsts(stories, scores) for name, scores in found.items()}
    firsts["chance"] = stories.evidence.means(), stories.supporting.means()
    for group, members in {"all": np.ones(len(right), np.bool_), "right": right}.items():
        for score in _SCORES:
            setting = Setting(model=run.model.name, score=score, answered=group)
            for metric, values in zip(_FIRSTS, firsts[score], strict=True):
                # No document has a score that is not defined.
                chosen = values[members[: len(values)]]
                yield estimate(results.study, run.corpus, setting, metric, mean, chosen)


def _firsts(stories: Stories, scores: Ragged | None) -> tuple[Floats, Floats]:
    """Whether a supporting token, and a supporting sentence, has the highest score of each document."""
    if scores is None:
        return np.zeros(0), np.zeros(0)
    scores = scores.take(stories.known)
    exact = scores.with_values(scores.values.astype(np.float64))
    return hits(exact, stories.evidence), hits(stories.by_sentence(exact), stories.supporting)


def evidence_sheet(results: Results, table: Facts) -> Sheet:
    """The table for people: two rows a model and kind of unit, of all stories and of those answered right."""
    rows: list[list[str]] = []
    for corpus in filter(partial(_evident, results.study), results.study.corpora):
        for metric, unit in _FIRSTS.items():
            rows.append([])
            for run in explained_runs(results.study, corpus):
                rows += [
                    [corpus, unit, *_cells(table, run, metric, group)] for group in ("all", "right")
                ]
    return Sheet(
        caption="Share of test stories in which the token, or the sentence, of the highest score is in a "
        f"sentence that supports the answer. {protocol_phrase(results.study)}",
        columns=[
            *("corpus", "first", "model", "stories"),
            *(SCORE_NAMES.get(score, score) for score in _SCORES),
            "n",
        ],
        rows=rows[1:],
        text_columns=4,
        notes=[
            "A sentence's score is the sum of its tokens'. Of several tokens or sentences with the highest "
            "score, the share of supporting ones counts. Chance: one drawn at random. Right: stories that "
            "this model answers rightly. In brackets: 95 % percentile bootstrap interval over the n stories, "
            "each with its question.",
            f"{SIGNED} The latter is not defined for pairs of texts, whose logits are no sum over tokens.",
        ],
    )


def _cells(table: Facts, run: Run, metric: str, group: str) -> list[str]:
    facts = [
        table.get(run.corpus, Setting(model=run.model.name, score=score, answered=group), metric)
        for score in _SCORES
    ]
    *scored, chance = facts
    assert chance is not None
    # How often chance is right is known and no estimate of a model's.
    cells = [*(measured(fact, 2) for fact in scored), number(chance.value, 2)]
    return [run.model.name, group, *cells, str(chance.n)]


def _needs(study: Study, corpus: str) -> list[Artifact]:
    runs = explained_runs(study, corpus)
    return [
        *needs.documents(study, corpus),
        *needs.predictions(runs),
        *(MEASURE.made(method, run) for run in runs for method in METHODS),
    ]


EXHIBIT = TableExhibit(
    papers=("jain-wallace",),
    question="Does attention rank a sentence first that supports the answer, where these are known (bAbI)?",
    caption="Share of test stories in which the token, or the sentence, of the highest score is in a "
    "sentence that supports the answer: attention, gradient, leave-one-out, and attention × gradient of the "
    "predicted answer. Intervals are 95 % percentile bootstrap intervals over test documents.",
    needs=_needs,
    settings=frozenset({"base_seed", "papers", "grid", "bootstrap"}),
    shows=_evident,
    requires="a corpus whose supporting sentences are known",
    facts=evidence,
    sheet=evidence_sheet,
)
