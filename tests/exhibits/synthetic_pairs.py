"""A made-up corpus of pairs: questions with many answers (babi), or premises with three classes (snli)."""

from __future__ import annotations

from typing import Any

import numpy as np

from attnnn.stages.measure import METHODS
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import attacked_runs, base_run, explained_runs
from attnnn.tables import analyses, schemas, store
from attnnn.tables.ragged import Ragged
from tests.exhibits.synthetic import SIZES, WORDS, Synthetic
from tests.support import all_runs

ANSWERS = tuple(f"word{number}" for number in range(24))
RELATIONS = ("contradiction", "entailment", "neutral")
SENTENCE = 5  # tokens of each


class SyntheticPairs(Synthetic):
    """Writes the tables of one corpus of pairs."""

    def __init__(self, study: Study, corpus: str, test_size: int) -> None:
        super().__init__(study, corpus, test_size)
        self.classes = RELATIONS if corpus == "snli" else ANSWERS
        # Of many answers a few are given, as in bAbI.
        self.given = np.arange(3) if corpus == "snli" else np.array([8, 9, 15, 18, 21])
        self.label = self.rng.choice(self.given, len(self.document))
        self.answers = self.answer(0.8)

    def answer(self, skill: float) -> np.ndarray:
        """Probabilities of every class, shape (documents, classes)."""
        logits = np.full((len(self.document), len(self.classes)), -8.0)
        logits[:, self.given] = self.rng.normal(size=(len(self.document), len(self.given)))
        logits[self.document, self.label] += 3 * skill
        powers = np.exp(logits)
        return powers / powers.sum(axis=1, keepdims=True)

    def write_corpus(self) -> None:
        sentence = [np.arange(n) // SENTENCE for n in self.lengths]
        supporting = [self.rng.integers(0, row[-1] + 1) for row in sentence]
        known = self.corpus == "babi"
        columns: dict[str, Any] = {
            "document": self.document,
            "split": list(self.split),
            "label": self.label,
            "tokens": [list(self.rng.choice(WORDS, n)) for n in self.lengths],
            "token_ids": [[4] * n for n in self.lengths],
            "truth": [None] * len(self.document),
            "question": [["where", "is", "the", "film"]] * len(self.document),
            "question_ids": [[4] * 4] * len(self.document),
            "candidates": [None] * len(self.document),
            "sentence": sentence if known else [None] * len(self.document),
            "evidence": [
                (row == fact).astype(np.int8) if known else None
                for row, fact in zip(sentence, supporting, strict=True)
            ],
        }
        self.write(self.paths.corpus(self.corpus, "documents.parquet"), schemas.PAIRS, columns)
        content = {"corpus": self.corpus, "classes": list(self.classes)}
        content["vocabulary"] = {"size": len(WORDS) + 4}
        content["splits"] = {split: self.facts_of(split) for split in SIZES}
        store.write_json(self.paths.corpus(self.corpus, "description.json"), content)

    def facts_of(self, split: str) -> dict[str, Any]:
        members = self.split == split
        counts = np.bincount(self.label[members], minlength=len(self.classes)).tolist()
        return {
            "documents": int(members.sum()),
            "per_class": dict(zip(self.classes, counts, strict=True)),
            "tokens": {"mean": float(self.lengths[members].mean())},
        }

    def write_answers(self, run: Run, answers: np.ndarray, attention: Ragged) -> None:
        count, test = len(self.document), self.split == "test"
        columns = {
            "document": self.document,
            "split": list(self.split),
            "label": self.label,
            "predicted": answers.argmax(axis=1),
            "probabilities": [row if t else None for row, t in zip(answers, test, strict=True)],
            "attention": [None] * count if run.model.attention == "none" else attention,
            "projected": [None] * count,
            "candidates": [None] * count,
            "offset": [None] * count,
        }
        self.write(self.paths.predictions_of(run), schemas.MULTICLASS_PREDICTIONS, columns)

    def write_runs(self) -> None:
        base = base_run(self.study, self.corpus)
        self.write_answers(base, self.answers, self.base_attention)
        for run in all_runs(self.study, self.corpus):
            if run != base:
                self.write_answers(run, self.answer(0.6), self.attention(1.8))

    def write_analyses(self) -> None:
        test = self.split == "test"
        document, predicted = self.document[test], self.answers[test].argmax(axis=1)
        self.base = self.answers.max(
            axis=1
        )  # what the search says is the probability of this class
        for run in explained_runs(self.study, self.corpus):
            for method in METHODS:
                scores = self.test(self.mixed(0.3))
                columns = {"document": document, "importance": scores, "signed": scores}
                self.write(self.paths.importance_of(run, method), analyses.IMPORTANCE, columns)
            self.write_correlation(run, document, predicted)
        for run in attacked_runs(self.study, self.corpus):
            self.write_permutation(run, document, predicted)
            self.write_search(run, document, test)

    def write_exact(self, base: Run, document: np.ndarray) -> None:
        """Adversaries on the first two tokens, half of them exact, the others with a bound above them."""
        epsilons, count = self.study.epsilons, len(document) * len(self.study.epsilons)
        jsd, exact = np.log(2) - 0.25 * self.rng.random(count), np.arange(count) % 2 == 0
        change = 0.005 * self.rng.random(count)
        epsilon = np.repeat(epsilons, len(document))
        columns = {
            "document": np.tile(document, len(epsilons)),
            "epsilon": epsilon,
            "jsd": jsd,
            "bound": np.where(exact, jsd, np.log(2)),
            "exact": exact,
            "tokens": [np.array([0, 1], np.int32)] * count,
            "weights": [np.array([0.75, 0.25])] * count,
            "probability": self.rng.random(count),
            "change": change,
            "slack": epsilon - change,
        }
        path = self.paths.analysis_of("exact_adversary", base)
        self.write(path, analyses.MULTICLASS_ADVERSARY, columns)
