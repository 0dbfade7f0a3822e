"""Splits made, samples, the two length filters, and what every split must hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnnn.corpora import splits as room
from attnnn.corpora.texts import Dropped, Texts
from attnnn.errors import UserError
from attnnn.protocol import resolve


def made(splits: list[str], labels: list[int], **changes: object) -> tuple[list[str], str | None]:
    settings = {"dev_share": 0.25, "test_share": 0.2, "undivided": False, "seed": 1, **changes}
    out, text = room.make_missing_splits(np.array(splits), np.array(labels), **settings)  # type: ignore[arg-type]
    return out.tolist(), text


def test_shares_are_met_and_every_split_keeps_the_balance_of_the_classes() -> None:
    labels = [0] * 60 + [1] * 40
    out, text = made([room.UNSPLIT] * 100, labels)
    found = {
        split: [
            sum(s == split and y == k for s, y in zip(out, labels, strict=True)) for k in (0, 1)
        ]
        for split in ("train", "dev", "test")
    }
    assert found == {"test": [12, 8], "dev": [12, 8], "train": [36, 24]}
    assert text is not None
    assert "test (20 documents" in text
    assert "dev (20 documents" in text
    assert "seed 1" in text


def test_given_splits_stay_and_only_the_missing_one_is_made() -> None:
    given_splits = ["train"] * 40 + ["test"] * 10
    out, text = made(given_splits, [0, 1] * 25)
    assert out[40:] == ["test"] * 10
    assert out.count("dev") == 10
    assert text is not None
    assert "test" not in text
    complete = ["train", "train", "dev", "dev", "test", "test"]
    assert made(complete, [0, 1] * 3) == (complete, None)


def test_undivided_makes_no_dev() -> None:
    out, _ = made(["train"] * 40 + ["test"] * 10, [0, 1] * 25, undivided=True)
    assert "dev" not in out


def test_the_seed_decides_which() -> None:
    arguments = ([room.UNSPLIT] * 100, [0, 1] * 50)
    assert made(*arguments) == made(*arguments)
    assert made(*arguments)[0] != made(*arguments, seed=2)[0]


def test_too_few_documents_to_split_are_refused() -> None:
    with pytest.raises(UserError, match=r"a test split of 1 documents cannot be drawn from 3"):
        made([room.UNSPLIT] * 3, [0, 1, 1])


def texts_of(labels: list[int], split: str) -> Texts:
    count = len(labels)
    return Texts(
        texts=[f"text {number}" for number in range(count)],
        labels=np.array(labels),
        splits=np.array([split] * count),
        places=[""] * count,
        classes=["a", "b"],
    )


def test_a_sample_is_stratified_in_source_order_and_counted() -> None:
    whole = texts_of([0] * 30 + [1] * 10, "train")
    part = room.sample(whole, {"train": 8, "test": 5}, seed=1)
    assert np.bincount(part.labels).tolist() == [6, 2]
    assert part.texts == sorted(part.texts, key=whole.texts.index)
    (dropped,) = part.dropped
    assert (dropped.split, dropped.count) == ("train", 32)
    assert room.sample(whole, {"train": 40}, seed=1).texts == whole.texts


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


@pytest.mark.parametrize(
    ("splits", "labels", "message"),
    [
        (["train", "train"], [0, 1], "t.csv: split test is empty"),
        (
            ["train", "train", "test"],
            [0, 1, 1],
            "split test has no document of class 'no' among its 1",
        ),
        (["train", "test", "test"], [0, 0, 1], "split train has no document of class 'yes'"),
        (["train", "train", "test", "test", "dev"], [0, 1, 0, 1, 0], "split dev has no document"),
    ],
)
def test_every_split_must_hold_every_class(
    splits: list[str], labels: list[int], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        room.require_classes(np.array(labels), np.array(splits), ["no", "yes"], where="t.csv")


def test_dev_may_be_missing_only_if_no_switch_selects_on_it() -> None:
    room.require_dev(resolve("wiegreffe-pinter", {}), False)
    room.require_dev(resolve("clean", {}), True)
    with pytest.raises(
        UserError, match="select_split and lambda_select and adv_select selects on it"
    ):
        room.require_dev(resolve("clean", {}), False)
    with pytest.raises(UserError, match="switch lambda_select selects on it"):
        room.require_dev(resolve("wiegreffe-pinter", {"lambda_select": "dev"}), False)


def test_more_than_two_classes_wait_for_later() -> None:
    with pytest.raises(UserError, match="only two classes so far: found 3"):
        room.require_two(["a", "b", "c"])
