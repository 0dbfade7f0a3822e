"""A made-up study: every table that publishing reads, with numbers that behave like real ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from attnnn.exhibits.correlations import CLASS_PAIRS
from attnnn.measures import jensen_shannon_divergence
from attnnn.stages.measure import METHODS
from attnnn.study.config import Study, validate
from attnnn.study.model import Run
from attnnn.study.runs import (
    adversary_runs,
    adversary_seeds,
    attacked_runs,
    base_run,
    explained_runs,
    grid_runs,
    guide_runs,
    has_log_odds,
    log_odds_runs,
    seed_runs,
    uniform_run,
    vanilla_runs,
)
from attnnn.tables import analyses, schemas, store
from attnnn.tables.ragged import Ragged
from tests.exhibits.synthetic_erased import write_erased
from tests.support import Layout

WORDS = (
    *("the", "a", "film", "plot", "actor", "scene", "never", "quite", "finds", "its", "feet"),
    *("and", "yet", "charms", "because", "of", "wonderful", "dreadful", "long-winded", "story"),
)
MADE_BY = {"test": "synthetic"}
SIZES = {"train": 24, "dev": 30, "test": 80}


def study(folder: Path, corpora: Sequence[str], **settings: Any) -> Study:
    """A study of corpora by name: sst, imdb (long documents), babi, snli (pairs), or a planted regime."""
    shown = {"sst": "SST", "imdb": "IMDb", "agnews": "AgNews"}
    pairs = {
        "babi": ({"kind": "babi", "task": 1}, "bAbI 1"),
        "snli": ({"kind": "snli"}, "SNLI"),
    }
    described: dict[str, Any] = {}
    for name in corpora:
        if name in shown:
            described[name] = {"source": {"kind": "table", "path": f"{name}.csv"}}
            described[name]["published"] = shown[name]
        elif name in pairs:
            source, dataset = pairs[name]
            described[name] = {"source": source, "published": dataset}
        else:
            described[name] = {"source": {"kind": "planted", "regime": name.split("_")[0]}}
    content = {
        "results_dir": str(folder),
        "corpora": described,
        "seeds": [50, 257, 2],
        "bootstrap": 50,
        **settings,
    }
    return validate(content, where="test")


class Synthetic:
    """Writes the tables of one corpus."""

    def __init__(self, study: Study, corpus: str, test_size: int) -> None:
        self.study, self.corpus = study, corpus
        self.paths = Layout(study.results_dir)
        self.rng = np.random.default_rng(len(corpus))
        sizes = {**SIZES, "test": test_size}
        self.split = np.repeat(list(sizes), list(sizes.values()))
        total = len(self.split)
        self.document = np.arange(total)
        long = corpus == "imdb"
        self.lengths = self.rng.integers(90 if long else 8, 260 if long else 31, total)
        self.label = self.rng.integers(0, 2, total)
        self.base_attention = self.attention(2.2)
        self.base = self.predict(1.4)
        self.truth = self.base_attention.values > 0.1 + 0.1 * self.rng.random(self.lengths.sum())

    def attention(self, sharpness: float) -> Ragged:
        scores = sharpness * self.rng.normal(size=self.lengths.sum())
        return self.softmax(Ragged.from_lengths(scores, self.lengths))

    def softmax(self, scores: Ragged) -> Ragged:
        weights = np.exp(np.asarray(scores.values, np.float64))
        total = np.repeat(Ragged(weights, scores.offsets).sums(), scores.lengths)
        return scores.with_values(weights / total)

    def predict(self, skill: float) -> np.ndarray:
        logit = skill * (2 * self.label - 1) + self.rng.normal(size=len(self.label))
        return 1 / (1 + np.exp(-logit))

    def shifted(self, tvd: float) -> np.ndarray:
        moved = self.base + tvd * 2 * self.rng.random(len(self.base)) * np.sign(0.5 - self.base)
        return np.clip(moved, 0.001, 0.999)

    def write_corpus(self) -> None:
        tokens = [list(self.rng.choice(WORDS, n)) for n in self.lengths]
        ids = [[4 + WORDS.index(word) for word in row] for row in tokens]
        planted = self.study.corpora[self.corpus].source.kind == "planted"
        truth = list(Ragged.from_lengths(self.truth.astype(np.int8), self.lengths))
        columns = {
            "document": self.document,
            "split": list(self.split),
            "label": self.label,
            "tokens": tokens,
            "token_ids": ids,
            "truth": truth if planted else [None] * len(tokens),
        }
        self.write(self.paths.corpus(self.corpus, "documents.parquet"), schemas.DOCUMENTS, columns)
        content = {"corpus": self.corpus, "classes": ["negative", "positive"]}
        content["vocabulary"] = {"size": len(WORDS) + 4}
        content["splits"] = {split: self.facts_of(split) for split in SIZES}
        store.write_json(self.paths.corpus(self.corpus, "description.json"), content)

    def facts_of(self, split: str) -> dict[str, Any]:
        members = self.split == split
        counts = np.bincount(self.label[members], minlength=2).tolist()
        return {
            "documents": int(members.sum()),
            "per_class": dict(zip(("negative", "positive"), counts, strict=True)),
            "tokens": {"mean": float(self.lengths[members].mean())},
        }

    def write(self, path: str, schema: store.Schema, columns: dict[str, Any]) -> None:
        store.write_table(path, schema, columns, made_by=MADE_BY)

    def write_run(self, run: Run, probability: np.ndarray, attention: Ragged) -> None:
        vanilla = run.model.attention == "none"
        columns = {
            "document": self.document,
            "split": list(self.split),
            "label": self.label,
            "logit": np.log(probability / (1 - probability)),
            "probability": probability,
            "attention": [None] * len(self.document) if vanilla else attention,
            "contribution": [None] * len(self.document),
        }
        self.write(self.paths.predictions_of(run), schemas.PREDICTIONS, columns)

    def write_runs(self) -> None:
        study, name = self.study, self.corpus
        base = base_run(study, name)
        self.write_run(base, self.base, self.base_attention)
        uniform = self.softmax(self.base_attention.with_values(np.zeros(self.lengths.sum())))
        self.write_run(uniform_run(study, name), self.shifted(0.08), uniform)
        for run in seed_runs(study, name):
            mixed = self.mixed(0.35 + 0.1 * self.rng.random())
            self.write_run(run, self.shifted(0.04 + 0.02 * self.rng.random()), mixed)
        for run in guide_runs(study, name).values():
            self.write_run(run, self.predict(1.1), self.attention(1.5))
        for run in [*grid_runs(study, name)[1:], *vanilla_runs(study, name)]:
            self.write_run(run, self.predict(1.2), self.attention(1.8))
        for rank, seed in enumerate(adversary_seeds(study, name)):
            runs = adversary_runs(study, name, seed)
            for place, run in enumerate(runs):
                share = place / max(len(runs) - 1, 1)
                tvd = 0.02 + 0.03 * rank + 0.25 * share**3
                self.write_run(run, self.shifted(tvd), self.mixed(min(0.1 + share, 1)))

        for run in log_odds_runs(study, name):
            self.write_run(run, self.predict(1.2), self.attention(1.8))

    def mixed(self, share: float) -> Ragged:
        other = self.attention(3.0)
        values = (1 - share) * self.base_attention.values + share * other.values
        return self.base_attention.with_values(values)

    def test(self, ragged: Ragged) -> Ragged:
        return ragged.take(self.split == "test")

    def write_analyses(self) -> None:
        study, name = self.study, self.corpus
        test = self.split == "test"
        document, base = self.document[test], base_run(study, name)
        predicted = (self.base[test] > 0.5).astype(np.int64)
        for method in METHODS:
            scores = self.test(self.mixed(0.3))
            columns = {"document": document, "importance": scores, "signed": scores}
            self.write(self.paths.importance_of(base, method), analyses.IMPORTANCE, columns)
        if has_log_odds(study, name):
            self.write_replacement(base, document, predicted)
        for run in explained_runs(study, name):
            self.write_correlation(run, document, predicted)
        for run in attacked_runs(study, name):
            self.write_permutation(run, document, predicted)
            self.write_search(run, document, test)
        write_erased(study, name, document, predicted, self.lengths[test])

    def write_replacement(self, run: Run, document: np.ndarray, predicted: np.ndarray) -> None:
        """Attention by log-odds that moves predictions a little, and words that move them far."""
        vocabulary = ["<0>", "<UNK>", "<SOS>", "<EOS>", *WORDS]
        weight = self.rng.normal(size=len(vocabulary)).round(1)
        columns = {
            "id": np.arange(len(vocabulary)),
            "token": vocabulary,
            "weight": [None if row < 6 else value for row, value in enumerate(weight.tolist())],
        }
        path = self.paths.corpus(self.corpus, "log_odds.parquet")
        self.write(path, schemas.LOG_ODDS, columns)
        own = self.base[self.split == "test"]
        jsd = 0.6 * self.rng.random(len(document))
        imposed = np.clip(own + 0.4 * jsd * self.rng.normal(size=len(own)), 0, 1)
        other = np.where(predicted == 1, 0.1, 0.8)
        columns = {
            "document": document,
            "predicted": predicted,
            "counted_words": self.lengths[document] // 2,
            "jsd": jsd,
            "imposed_probability": imposed,
            "imposed_change": np.abs(imposed - own),
            "substituted_words": np.full(len(own), 5),
            "substituted_probability": other,
            "substituted_change": np.abs(other - own),
        }
        self.write(self.paths.analysis_of("replacement", run), analyses.REPLACEMENT, columns)

    def write_permutation(self, run: Run, document: np.ndarray, predicted: np.ndarray) -> None:
        change = 0.3 * self.rng.random(len(document))
        columns = {
            "document": document,
            "predicted": predicted,
            "max_attention": self.test(self.base_attention).maxima(),
            "median_change": change,
            "mean_change": change,
            "logit_mean": change,
            "logit_std": change,
        }
        path = self.paths.analysis_of("permutation", run)
        self.write(path, analyses.PERMUTATION, columns)

    def write_correlation(self, run: Run, document: np.ndarray, predicted: np.ndarray) -> None:
        pairs = ("attention~gradient", "attention~leave_one_out", "gradient~leave_one_out")
        tau = self.rng.normal(0.4, 0.2, (len(pairs), len(document))).clip(-1, 1)
        undefined = self.rng.random(tau.shape) < 0.03
        shuffled = self.rng.normal(0, 0.17, tau.shape).clip(-1, 1)
        columns = {
            "document": np.tile(document, len(pairs)),
            "predicted": np.tile(predicted, len(pairs)),
            "pair": list(np.repeat(pairs, len(document))),
            "tokens": np.tile(self.lengths[document], len(pairs)),
            "tau": _null(tau, undefined),
            "p_value": _null(np.where(tau > 0.3, 0.01, 0.2), undefined),
            "tau_shuffled": _null(shuffled, undefined),
            "p_value_shuffled": _null(np.where(abs(shuffled) > 0.3, 0.03, 0.4), undefined),
            "top_k_distance": _null((1 - tau) / 2, undefined),
            "excluded": ["constant attention" if u else None for u in undefined.flat],
        }
        columns["class"] = [None] * len(columns["pair"])
        # Of scores about a class: as attention against gradients where the class is the predicted one.
        count = len(document)
        for pair in CLASS_PAIRS:
            for shift in (0, 1):
                for name in columns.keys() - {"pair", "class"}:
                    columns[name] = [*columns[name], *columns[name][:count]]
                columns["pair"] += [pair] * count
                columns["class"] += [int(one) + shift for one in predicted]
        path = self.paths.analysis_of("correlation", run)
        self.write(path, analyses.CORRELATION, columns)

    def write_search(self, base: Run, document: np.ndarray, test: np.ndarray) -> None:
        count = len(document)
        own = self.test(self.base_attention)
        rows: dict[str, list[Any]] = {key: [] for key in analyses.SEARCHED_ADVERSARY.columns}
        for epsilon in self.study.epsilons:
            found = self.rng.random(count) < 0.95
            found[0] = True
            other = self.test(self.mixed(0.9))
            jsd = np.where(found, jensen_shannon_divergence(other, own), 0)
            change = np.where(found, epsilon * self.rng.random(count), 0)
            rows["document"] += list(document)
            rows["epsilon"] += [epsilon] * count
            rows["jsd"] += list(jsd)
            rows["probability"] += list(np.clip(self.base[test] + change, 0, 1))
            rows["change"] += list(change)
            rows["found"] += list(found)
            rows["attention"] += [o if f else b for o, b, f in zip(other, own, found, strict=True)]
        path = self.paths.analysis_of("searched_adversary", base)
        self.write(path, analyses.SEARCHED_ADVERSARY, rows)
        candidates = {
            "document": np.repeat(document, 5),
            "candidate": np.tile(np.arange(5), count),
            "jsd": 0.4 + 0.25 * self.rng.random(5 * count),
            "change": 0.1 * self.rng.random(5 * count),
        }
        path = self.paths.analysis_of("searched_candidates", base)
        self.write(path, analyses.SEARCHED_CANDIDATES, candidates)
        self.write_exact(base, document)

    def write_exact(self, base: Run, document: np.ndarray) -> None:
        """Adversaries with all weight on the first token, of any divergence up to ln 2."""
        epsilons, count = self.study.epsilons, len(document) * len(self.study.epsilons)
        columns = {
            "document": np.tile(document, len(epsilons)),
            "epsilon": np.repeat(epsilons, len(document)),
            "jsd": np.log(2) - 0.15 * self.rng.random(count),
            "token_a": np.zeros(count, dtype=np.int64),
            "weight_a": np.ones(count),
            "token_b": [None] * count,
            "weight_b": np.zeros(count),
            "probability": self.rng.random(count),
            "slack": 0.005 * self.rng.random(count),
        }
        self.write(
            self.paths.analysis_of("exact_adversary", base), analyses.EXACT_ADVERSARY, columns
        )


def _null(values: np.ndarray, undefined: np.ndarray) -> list[float | None]:
    """The values, None where they are undefined."""
    return [None if u else v for v, u in zip(values.flat, undefined.flat, strict=True)]


def write_study(study: Study, test_size: int = 80) -> None:
    """Every table that the published tables and figures of a study are made from."""
    from tests.exhibits.synthetic_pairs import SyntheticPairs

    for corpus, settings in study.corpora.items():
        made = SyntheticPairs if settings.source.pairs else Synthetic
        writer = made(study, corpus, test_size)
        writer.write_corpus()
        writer.write_runs()
        writer.write_analyses()
