"""The two length filters, and texts without tokens."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnnn.corpora import lengths as room
from attnnn.corpora.texts import Dropped, Questions, Texts
from attnnn.errors import UserError


@pytest.mark.parametrize(
    ("strict", "low", "high", "kept"),
    [
        # train holds n = 1, 2, 3, 4, 5, 5; test holds n = 0, 7
        (False, None, None, [1, 2, 3, 4, 5, 5, 0, 7]),
        (False, 2, 5, [2, 3, 4, 5, 5]),
        (True, 2, 5, [3, 4]),
        (True, None, None, [2, 3, 4]),  # each split loses its own extremes
        (True, 1, None, [2, 3, 4]),
        (True, None, 7, [2, 3, 4, 5, 5]),
    ],
)
def test_length_filters(strict: bool, low: int | None, high: int | None, kept: list[int]) -> None:
    lengths = np.array([1, 2, 3, 4, 5, 5, 0, 7])
    splits = np.array(["train"] * 6 + ["test"] * 2)
    keep, dropped = room.length_filter(
        lengths, splits, min_length=low, max_length=high, strict=strict
    )
    assert lengths[keep].tolist() == kept
    assert sum(item.count for item in dropped) == len(lengths) - len(kept)


def test_what_the_filter_drops_is_told_once_with_its_reason() -> None:
    _, dropped = room.length_filter(
        np.array([1, 9, 5]), np.array(["train"] * 3), min_length=3, max_length=8, strict=False
    )
    assert dropped == [
        Dropped("train", "fewer than 3 tokens", 1),
        Dropped("train", "more than 8 tokens", 1),
    ]


@given(st.lists(st.integers(0, 9), min_size=1), st.integers(0, 9), st.integers(1, 9))
def test_strict_keeps_what_lies_strictly_between_and_sane_the_bounds_too(
    lengths: list[int], low: int, high: int
) -> None:
    for strict in (False, True):
        keep, _ = room.length_filter(
            np.array(lengths),
            np.array(["train"] * len(lengths)),
            min_length=low,
            max_length=high,
            strict=strict,
        )
        expected = [(low < n < high) if strict else (low <= n <= high) for n in lengths]
        assert keep.tolist() == expected


def test_a_document_without_tokens_is_refused_unless_the_filter_counted_it_out() -> None:
    lengths, places = np.array([3, 0]), ["a.csv: row 1", "a.csv: row 2"]
    with pytest.raises(UserError, match=r"a.csv: row 2: expected at least one token"):
        room.require_tokens(lengths, np.array([True, True]), places)
    room.require_tokens(lengths, np.array([True, False]), places)


def texts_of(splits: list[str]) -> Texts:
    return Texts(
        texts=["text"] * len(splits),
        labels=np.zeros(len(splits), dtype=np.int64),
        splits=np.array(splits),
        places=[f"a.csv: row {row}" for row in range(1, 1 + len(splits))],
        classes=["no", "yes"],
    )


def test_pairs_without_tokens_on_one_side_are_counted_out() -> None:
    single = texts_of(["train", "train", "test", "test"])
    pairs = replace(single, questions=Questions(["question"] * 4))
    bounds = {"min_length": None, "max_length": None}
    lengths, asked = np.array([3, 0, 2, 0]), np.array([1, 1, 0, 0])
    keep, dropped = room.kept_documents(pairs, lengths, asked, **bounds, strict=False)
    assert keep.tolist() == [True, False, False, False]
    assert dropped == [
        Dropped("train", "no token in the document", 1),
        Dropped("test", "no token in the document", 1),
        Dropped("test", "no token in the question or hypothesis", 1),
    ]
    with pytest.raises(UserError, match=r"a.csv: row 2: expected at least one token"):
        room.kept_documents(single, lengths, None, **bounds, strict=False)


def test_pairs_lose_their_extremes_only_where_a_bound_is_given() -> None:
    pairs = replace(texts_of(["train"] * 4), questions=Questions(["question"] * 4))
    lengths, asked = np.array([1, 2, 3, 4]), np.ones(4, dtype=np.int64)
    for low, kept in ((None, [1, 2, 3, 4]), (1, [2, 3])):
        keep, _ = room.kept_documents(
            pairs, lengths, asked, min_length=low, max_length=None, strict=True
        )
        assert lengths[keep].tolist() == kept
