"""Planted corpora: the label is the stated function of the marked tokens, and of nothing simpler."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnnn.corpora import planted_words
from attnnn.corpora.planted import generate
from attnnn.corpora.planted_words import NEGATIVE_CUES, NEGATORS, POSITIVE_CUES
from attnnn.corpora.texts import Texts
from attnnn.errors import UserError
from attnnn.study.sources import PlantedSource

REGIMES = ("lexical", "context", "redundant", "needle")


def source(regime: str, **settings: object) -> PlantedSource:
    sizes = {"train": 120, "dev": 30, "test": 40}
    return PlantedSource.model_validate({"kind": "planted", "regime": regime, **sizes, **settings})


def marked(documents: Texts, document: int) -> list[str]:
    assert documents.truth is not None
    words = np.array(documents.texts[document].split())
    return [str(word) for word in words[documents.truth[document].astype(bool)]]


def votes(words: list[str]) -> tuple[int, int]:
    return sum(w in NEGATIVE_CUES for w in words), sum(w in POSITIVE_CUES for w in words)


def test_word_lists_do_not_tell_the_label_by_their_size_or_overlap() -> None:
    neutral = {
        word
        for template in (*planted_words.NEUTRAL, *planted_words.STATEMENTS)
        for word in template.split()
    } | {word for words in planted_words.SLOTS.values() for word in words}
    assert len(set(POSITIVE_CUES)) == len(set(NEGATIVE_CUES)) == len(POSITIVE_CUES)
    assert not set(POSITIVE_CUES) & set(NEGATIVE_CUES)
    assert not neutral & {*POSITIVE_CUES, *NEGATIVE_CUES, *NEGATORS}


@pytest.mark.parametrize("regime", REGIMES)
def test_numbers_of_documents_classes_and_tokens_are_exactly_as_configured(regime: str) -> None:
    documents = generate(source(regime, positive=0.3, min_tokens=9, max_tokens=17))
    for split, size, positive in (("train", 120, 36), ("dev", 30, 9), ("test", 40, 12)):
        assert (documents.splits == split).sum() == size
        assert documents.labels[documents.splits == split].sum() == positive
    lengths = [len(text.split()) for text in documents.texts]
    assert set(lengths) == set(range(9, 18))  # every length occurs, none beside them
    assert documents.truth is not None
    assert documents.truth.lengths.tolist() == lengths


@pytest.mark.parametrize("regime", ["lexical", "redundant", "needle"])
def test_label_is_the_majority_of_the_cues_and_exactly_the_cues_are_marked(regime: str) -> None:
    documents = generate(source(regime))
    for document, text in enumerate(documents.texts):
        negative, positive = votes(text.split())
        assert negative != positive
        assert documents.labels[document] == int(positive > negative)
        assert votes(marked(documents, document)) == (negative, positive)
        assert len(marked(documents, document)) == negative + positive


def test_lexical_documents_hold_several_cues_and_some_speak_against_the_label() -> None:
    documents = generate(source("lexical"))
    both = [votes(text.split()) for text in documents.texts]
    assert min(negative + positive for negative, positive in both) >= 3
    assert sum(negative > 0 and positive > 0 for negative, positive in both) > 50


def test_context_negator_flips_the_cue_behind_it_and_the_bag_of_words_says_nothing() -> None:
    documents = generate(source("context"))
    for document, text in enumerate(documents.texts):
        words = text.split()
        assert votes(words) == (1, 1)  # one cue of each class, whatever the label
        (negator,) = [position for position, word in enumerate(words) if word in NEGATORS]
        said = {False: 0, True: 0}
        for position, word in enumerate(words):
            if word in POSITIVE_CUES or word in NEGATIVE_CUES:
                said[(word in POSITIVE_CUES) != (position == negator + 1)] += 1
        assert said[documents.labels[document] == 1] == 2  # both statements agree with the label
        assert sorted(marked(documents, document)) == sorted(
            word for word in words if word in (*POSITIVE_CUES, *NEGATIVE_CUES, *NEGATORS)
        )


def test_redundant_documents_are_mostly_cues_for_their_label() -> None:
    documents = generate(source("redundant"))
    assert documents.truth is not None
    assert documents.truth.means().min() >= 0.5


def test_needle_is_one_token() -> None:
    documents = generate(source("needle", min_tokens=40, max_tokens=60))
    assert documents.truth is not None
    assert set(documents.truth.sums()) == {1.0}


def test_noise_flips_labels_of_exactly_that_share_and_leaves_the_truth() -> None:
    clean, noisy = generate(source("needle")), generate(source("needle", noise=0.1))
    assert clean.truth is not None
    assert noisy.truth is not None
    wrong = np.array(
        [
            label != int(votes(text.split())[1] == 1)
            for label, text in zip(noisy.labels, noisy.texts, strict=True)
        ]
    )
    assert [wrong[noisy.splits == split].sum() for split in ("train", "dev", "test")] == [12, 3, 4]
    assert set(noisy.truth.sums()) == {1.0}


@pytest.mark.parametrize("regime", REGIMES)
def test_same_seed_same_documents_and_another_seed_others(regime: str) -> None:
    first, again, other = (generate(source(regime, seed=seed)) for seed in (3, 3, 4))
    assert first.texts == again.texts
    assert first.labels.tolist() == again.labels.tolist()
    assert len(set(first.texts) & set(other.texts)) < len(first) / 10


@pytest.mark.parametrize("regime", REGIMES)
def test_no_document_occurs_twice(regime: str) -> None:
    documents = generate(source(regime))
    assert len(set(documents.texts)) == len(documents)


@settings(max_examples=25, deadline=None)
@given(
    regime=st.sampled_from(REGIMES),
    shortest=st.integers(9, 40),
    extra=st.integers(0, 30),
    seed=st.integers(0, 10_000),
)
def test_any_length_can_be_met(regime: str, shortest: int, extra: int, seed: int) -> None:
    few = {"train": 6, "dev": 2, "test": 2, "seed": seed}
    documents = generate(source(regime, min_tokens=shortest, max_tokens=shortest + extra, **few))
    lengths = [len(text.split()) for text in documents.texts]
    assert shortest <= min(lengths) <= max(lengths) <= shortest + extra
    assert all(text.endswith(" .") for text in documents.texts)


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"min_tokens": 5}, r"min_tokens: expected at least 9, .* regime lexical, found 5"),
        ({"positive": 0.01}, r"positive: expected .* some of 30 dev documents, found 0.01"),
    ],
)
def test_impossible_settings_are_refused(settings_: dict[str, float], message: str) -> None:
    with pytest.raises(UserError, match=message):
        generate(source("lexical", **settings_))
