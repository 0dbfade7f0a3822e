"""The Large Movie Review corpus in its archive's layout and as a table."""

import json
from pathlib import Path
from typing import Any

import pytest
from sklearn.model_selection import train_test_split

from attnnn.corpora.readers import read_documents, require_there
from attnnn.corpora.texts import Texts
from attnnn.errors import UserError
from attnnn.study.sources import ImdbSource

FOLDERS = ("neg", "pos")


def text_of(split: str, label: int, number: int) -> str:
    """Reviews 0, 4, 8, … are of six words, `<br />` counting for none; the others of two."""
    words = f"{split} {FOLDERS[label]}{number}"
    return words if number % 4 else f"{words} in <br /><br /> SIX, words-all."


def lay_out(folder: Path, *, train: int = 20, test: int = 30) -> Path:
    for split, size in (("train", train), ("test", test)):
        for label, name in enumerate(FOLDERS):
            (folder / split / name).mkdir(parents=True)
            for number in range(size):
                file = folder / split / name / f"{number}_{9 * label + 1}.txt"
                file.write_text(text_of(split, label, number), encoding="utf-8")
    (folder / "train" / "unsup").mkdir()
    (folder / "README").write_text("not a review")
    return folder


def read(path: Path, *, undivided: bool = False, **settings: Any) -> Texts:
    source = ImdbSource.model_validate({"kind": "imdb", "path": path.name, **settings})
    return read_documents(path, source, undivided=undivided)


def of(documents: Texts, split: str) -> list[str]:
    return [documents.texts[row] for row in (documents.splits == split).nonzero()[0]]


def test_reviews_come_by_split_class_and_number(tmp_path: Path) -> None:
    path = lay_out(tmp_path / "aclImdb", train=12, test=2)
    documents = read(path, undivided=True, max_tokens=None, test_sample=1)
    expected = [
        text_of(split, label, number)
        for split, size in (("train", 12), ("test", 2))
        for label in (0, 1)
        for number in range(size)  # 2 before 10
    ]
    assert documents.texts == expected
    assert documents.labels.tolist() == [0] * 12 + [1] * 12 + [0, 0, 1, 1]
    assert documents.splits.tolist() == ["train"] * 24 + ["test"] * 4
    assert documents.classes == ["negative", "positive"]
    assert documents.places[2].endswith("aclImdb/train/neg/2_1.txt")
    assert documents.dropped == ()


def test_long_reviews_go_before_the_splits_are_drawn(tmp_path: Path) -> None:
    documents = read(lay_out(tmp_path / "aclImdb"), max_tokens=5)
    # 15 of 20 and 22 of 30 are short, in each class; six words are not among those of at most 5
    assert [(item.split, item.count) for item in documents.dropped] == [
        ("train", 10),
        ("test", 16),
        ("test", 44 - 8),
    ]
    assert documents.dropped[0].reason == "more than 5 tokens before splits (source.max_tokens)"
    assert documents.dropped[2].reason.startswith("not in the sample (source.test_sample 0.2")
    assert {split: len(of(documents, split)) for split in ("train", "dev", "test")} == {
        "train": 24,
        "dev": 6,
        "test": 8,
    }
    assert documents.made_splits == ("dev: 6 of 30 train documents, whatever the class, seed 1378")


def test_the_splits_are_those_of_the_papers_call(tmp_path: Path) -> None:
    documents = read(lay_out(tmp_path / "aclImdb"), max_tokens=None)
    everything = {
        split: [text_of(split, label, number) for label in (0, 1) for number in range(size)]
        for split, size in (("train", 20), ("test", 30))
    }
    train, dev = train_test_split(everything["train"], test_size=0.2, random_state=1378)
    test, _ = train_test_split(everything["test"], train_size=0.2, random_state=1378)
    assert sorted(of(documents, "train")) == sorted(train)
    assert sorted(of(documents, "dev")) == sorted(dev)
    assert sorted(of(documents, "test")) == sorted(test)


def test_a_table_in_the_same_order_gives_the_same_documents(tmp_path: Path) -> None:
    folder = read(lay_out(tmp_path / "aclImdb"))
    rows = [
        {"split": split, "label": label, "text": text_of(split, label, number)}
        for split, size in (("train", 20), ("test", 30))
        for label in (0, 1)
        for number in range(size)
    ]
    path = tmp_path / "imdb.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = read(path)
    assert table.texts == folder.texts
    assert table.splits.tolist() == folder.splits.tolist()
    assert table.labels.tolist() == folder.labels.tolist()
    assert table.classes == folder.classes
    assert table.facts == {"kind": "imdb", "file": "imdb.jsonl", "reviews": 100}


def test_what_is_missing_or_does_not_belong_there(tmp_path: Path) -> None:
    path = lay_out(tmp_path / "aclImdb")
    (path / "train" / "pos" / "notes.md").write_text("x")
    with pytest.raises(UserError, match=r"pos/notes.md: expected only reviews such as 127_10.txt"):
        read(path)
    (path / "train" / "pos" / "notes.md").unlink()
    (path / "train" / "pos" / "3_10.txt").write_bytes(b"caf\xe9")
    with pytest.raises(UserError, match=r"3_10.txt: expected UTF-8 text, found byte 0xe9"):
        read(path)
    with pytest.raises(UserError, match=r"train/neg: no such folder; .* download: true"):
        require_there(tmp_path / "elsewhere", ImdbSource(kind="imdb"))
    table = tmp_path / "imdb.csv"
    table.write_text("split,label,text\ntrain,0,a\ntrain,1,b\ndev,1,c\n")
    with pytest.raises(UserError, match=r"expected train and test .* found dev, train; .* table"):
        read(table)


def test_a_sample_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"test_sample: expected .* some of the 4 test reviews, found 0.1"
    ):
        read(lay_out(tmp_path / "aclImdb", test=2), test_sample=0.1)
