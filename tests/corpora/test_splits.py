"""Splits made, samples, and what every split must hold."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from attnnn.corpora import splits as room
from attnnn.corpora.texts import Questions, Texts
from attnnn.errors import UserError
from attnnn.study.protocol import resolve


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
    whole = texts_of(labels, "train")
    documents = replace(whole, splits=np.array(splits), classes=["no", "yes"])
    with pytest.raises(UserError, match=message):
        room.require_classes(documents, where="t.csv")


def test_where_classes_are_answers_a_split_need_not_hold_them_all() -> None:
    splits = np.array(["train", "train", "test"])
    documents = replace(texts_of([0, 1, 1], "train"), splits=splits)
    asked = replace(documents, questions=Questions(["q"] * 3, every_class=False))
    room.require_classes(asked, where="")
    with pytest.raises(UserError, match="split test has no document of class"):
        room.require_classes(replace(documents, questions=Questions(["q"] * 3)), where="")
    with pytest.raises(UserError, match=r"babi: split test is empty"):
        room.require_classes(asked.take(np.array([0, 1])), where="babi")


def test_a_carved_split_is_scikit_learns() -> None:
    documents = texts_of([0, 1] * 20, "train")
    labels = documents.labels
    carved, rest = room.carve(documents, "test", share=0.3, seed=5, stratify=True)
    train, test = train_test_split(np.arange(40), test_size=0.3, random_state=5, stratify=labels)
    assert np.flatnonzero(carved.splits == "test").tolist() == sorted(test)
    assert rest.tolist() == train.tolist()  # in its order, too
    again, _ = room.carve(carved, "dev", share=0.5, seed=5, stratify=False, among=rest)
    _, dev = train_test_split(train, test_size=0.5, random_state=5)
    assert np.flatnonzero(again.splits == "dev").tolist() == sorted(dev)
    assert again.made_splits == (
        "test: 12 of 40 train documents, stratified by class, seed 5; "
        "dev: 14 of 28 train documents, whatever the class, seed 5"
    )


def test_dev_may_be_missing_only_if_no_switch_selects_on_it() -> None:
    room.require_dev(resolve("wiegreffe-pinter", {}).selecting_on_dev, False)
    room.require_dev(resolve("clean", {}).selecting_on_dev, True)
    with pytest.raises(
        UserError, match=r"select on \(switches: select_split, lambda_select, adv_select\)"
    ):
        room.require_dev(resolve("clean", {}).selecting_on_dev, False)
    with pytest.raises(UserError, match=r"select on \(switches: lambda_select\), found none"):
        room.require_dev(
            resolve("wiegreffe-pinter", {"lambda_select": "dev"}).selecting_on_dev, False
        )
