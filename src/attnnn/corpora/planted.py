"""Generated corpora whose label is a known function of known tokens, with one generator per regime.

The documents read like small reviews, and the tokens that decide the label are marked, so that
attention, gradients and erasure can be scored against the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from attnnn.corpora.planted_words import (
    NEGATIVE_CUES,
    NEGATORS,
    NEUTRAL,
    OPENERS,
    POSITIVE_CUES,
    PREDICATIONS,
    SLOTS,
    STATEMENTS,
)
from attnnn.corpora.texts import SPLITS, Collector, Texts
from attnnn.errors import UserError
from attnnn.study.sources import PlantedSource
from attnnn.tables.ragged import Ragged

CLASSES = ["negative", "positive"]
_CUES = (NEGATIVE_CUES, POSITIVE_CUES)  # by class
_ATTEMPTS = 50  # at a new document, before one that equals another is accepted

Token = tuple[str, int]  # a word, and 1 if it decides the label
Sentence = list[Token]
Regime = Callable[[np.random.Generator, int, int], list[Sentence]]


def generate(source: PlantedSource) -> Texts:
    """The documents of a planted source, with exactly the configured sizes, classes and flipped labels.

    Noise flips the labels of a share of each split; the truth still marks the tokens that would decide.

    Raises:
        UserError: settings that the regime cannot meet.
    """
    require_planted(source)
    seen: set[str] = set()
    found, truth = Collector(), list[list[int]]()
    for index, (split, size) in enumerate(_sizes(source).items()):
        rng = np.random.default_rng([source.seed, index])
        for label in _shuffled_classes(rng, size, _positives(source, size)):
            text, marks = _unlike(seen, rng, source, label)
            place = f"planted document {len(truth)}"
            found.add(text, label=label, split=split, place=place)
            truth.append(marks)
        flipped = rng.choice(size, round(source.noise * size), replace=False)
        for document in flipped + (len(truth) - size):
            found.labels[document] = 1 - found.labels[document]
    facts = {"kind": "planted", "regime": source.regime, "seed": source.seed}
    return found.documents(CLASSES, facts, truth=Ragged.from_lists(truth, np.int8))


def require_planted(source: PlantedSource) -> None:
    """Check that the shortest documents have room for the cues, and that every split holds both classes.

    Raises:
        UserError: the key to change is named.
    """
    needed = _SHORTEST[source.regime]
    if source.min_tokens < needed:
        raise UserError(
            f"source.min_tokens: expected at least {needed}, for the cues of regime {source.regime}, found "
            f"{source.min_tokens}; raise it"
        )
    for split, size in _sizes(source).items():
        if not 0 < _positives(source, size) < size:
            raise UserError(
                f"source.positive: expected a share that gives each class some of {size} {split} documents, "
                f"found {source.positive}; raise source.{split} or move source.positive towards 0.5"
            )


def lexical(rng: np.random.Generator, label: int, length: int) -> list[Sentence]:
    """Cues of both classes; the label is their majority. Their number is odd, so there is no tie."""
    most = max(count for count in (3, 5, 7) if count == 3 or count * 5 <= length)
    count = 2 * int(rng.integers(1, most // 2 + 1)) + 1
    for_label = int(rng.integers(count // 2 + 1, count + 1))
    cues = _draw(rng, _CUES[label], for_label) + _draw(rng, _CUES[1 - label], count - for_label)
    return _stated(rng, STATEMENTS, [[(cue, 1)] for cue in cues], length)


def context(rng: np.random.Generator, label: int, length: int) -> list[Sentence]:
    """One cue of each class and one negator, directly before the cue that speaks against the label.

    Both labels have the same bag of words; only the position of the negator decides.
    """
    (for_label,), (against,) = _draw(rng, _CUES[label], 1), _draw(rng, _CUES[1 - label], 1)
    negator = _pick(rng, NEGATORS)
    return _stated(rng, PREDICATIONS, [[(for_label, 1)], [(negator, 1), (against, 1)]], length)


def redundant(rng: np.random.Generator, label: int, length: int) -> list[Sentence]:
    """Sentences of cues for the label, an aspect and a full stop: most tokens decide on their own."""
    count = max(1, round(length / 7))
    sizes = np.full(count, length // count)
    sizes[: length % count] += 1
    return [
        [
            *((cue, 1) for cue in _draw(rng, _CUES[label], size - 2)),
            (_pick(rng, SLOTS["aspect"]), 0),
            (".", 0),
        ]
        for size in sizes.tolist()
    ]


def needle(rng: np.random.Generator, label: int, length: int) -> list[Sentence]:
    """One cue; everything else is neutral."""
    return _stated(rng, STATEMENTS, [[(_pick(rng, _CUES[label]), 1)]], length)


REGIMES: dict[str, Regime] = {
    "lexical": lexical,
    "context": context,
    "redundant": redundant,
    "needle": needle,
}
# How many tokens the shortest statements of a regime have.
_SHORTEST = {"lexical": 9, "context": 9, "redundant": 5, "needle": 3}


def _unlike(
    seen: set[str], rng: np.random.Generator, source: PlantedSource, label: int
) -> tuple[str, list[int]]:
    """A document, new if possible: test documents should not be training documents."""
    for _ in range(_ATTEMPTS):
        length = int(rng.integers(source.min_tokens, source.max_tokens + 1))
        sentences = REGIMES[source.regime](rng, label, length)
        order = rng.permutation(len(sentences))
        tokens = [token for index in order for token in sentences[index]]
        text = " ".join(word for word, _ in tokens)
        if text not in seen:
            break
    seen.add(text)
    return text, [mark for _, mark in tokens]


def _stated(
    rng: np.random.Generator, templates: Sequence[str], cues: list[Sentence], length: int
) -> list[Sentence]:
    """One statement per cue, and neutral sentences up to `length` tokens in all."""
    shortest = min(_words(template) for template in templates) - 1
    room = length - sum(shortest + len(cue) for cue in cues)
    sentences = []
    for cue in cues:
        fitting = _up_to(templates, room + shortest + 1)
        template = _pick(rng, fitting)
        room -= _words(template) - 1 - shortest
        sentences.append(_fill(rng, template, cue))
    while room >= min(map(_words, NEUTRAL)):
        sentence = _fill(rng, _pick(rng, _up_to(NEUTRAL, room)), [])
        room -= len(sentence)
        sentences.append(sentence)
    if room:
        opened = int(rng.integers(len(sentences)))
        opener = _pick(rng, OPENERS[room]).split()
        sentences[opened] = [*((word, 0) for word in opener), *sentences[opened]]
    return sentences


def _fill(rng: np.random.Generator, template: str, cue: Sentence) -> Sentence:
    sentence: Sentence = []
    for word in template.split():
        if word == "{cue}":
            sentence.extend(cue)
        elif word.startswith("{"):
            sentence.append((_pick(rng, SLOTS[word[1:-1]]), 0))
        else:
            sentence.append((word, 0))
    return sentence


@cache
def _up_to(templates: Sequence[str], length: int) -> tuple[str, ...]:
    return tuple(template for template in templates if _words(template) <= length)


@cache
def _words(template: str) -> int:
    return len(template.split())


def _pick(rng: np.random.Generator, words: Sequence[str]) -> str:
    return words[int(rng.integers(len(words)))]


def _draw(rng: np.random.Generator, words: Sequence[str], count: int) -> list[str]:
    """Distinct words, if there are enough."""
    replace = count > len(words)
    return [words[index] for index in rng.choice(len(words), count, replace=replace)]


def _sizes(source: PlantedSource) -> dict[str, int]:
    return dict(zip(SPLITS, (source.train, source.dev, source.test), strict=True))


def _positives(source: PlantedSource, size: int) -> int:
    return round(source.positive * size)


def _shuffled_classes(rng: np.random.Generator, size: int, positives: int) -> list[int]:
    labels = np.zeros(size, dtype=np.int64)
    labels[:positives] = 1
    return [int(label) for label in rng.permutation(labels)]
