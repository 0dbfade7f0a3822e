"""AG News in the csv files of its release."""

import csv
from pathlib import Path
from typing import Any

import pytest
from sklearn.model_selection import train_test_split

from attnnn.corpora.readers import read_documents
from attnnn.corpora.texts import Texts
from attnnn.errors import UserError
from attnnn.study.sources import AgNewsSource

CLASSES = {1: "World", 2: "Sports", 3: "Business", 4: "Sci/Tech"}


def lay_out(folder: Path, *, train: int = 40, test: int = 12) -> Path:
    """Classes 1 to 4 in turn, every field quoted, as in the release."""
    folder.mkdir(parents=True)
    for split, size in (("train", train), ("test", test)):
        with (folder / f"{split}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
            for number in range(size):
                label = 1 + number % 4
                writer.writerow([label, f"title {number}", description(split, number)])
    return folder


def description(split: str, number: int) -> str:
    return f'{split} {number}: "quoted", {CLASSES[1 + number % 4]}\\$5'


def read(path: Path, *, undivided: bool = False, **settings: Any) -> Texts:
    source = AgNewsSource.model_validate({"kind": "ag_news", "path": path.name, **settings})
    return read_documents(path, source, undivided=undivided)


def test_world_is_0_and_business_1_and_titles_are_not_read(tmp_path: Path) -> None:
    documents = read(lay_out(tmp_path / "ag_news_csv"), undivided=True)
    assert documents.texts[:3] == [description("train", number) for number in (0, 2, 4)]
    assert documents.labels.tolist() == [0, 1] * 13
    assert documents.splits.tolist() == ["train"] * 20 + ["test"] * 6
    assert documents.classes == ["world", "business"]
    assert documents.places[1].endswith("train.csv: line 3")
    assert [(item.split, item.reason, item.count) for item in documents.dropped] == [
        ("train", "class sports", 10),
        ("train", "class science and technology", 10),
        ("test", "class sports", 3),
        ("test", "class science and technology", 3),
    ]
    assert documents.facts["rows"] == 52


def test_dev_is_the_papers_draw(tmp_path: Path) -> None:
    documents = read(lay_out(tmp_path / "ag_news_csv"))
    news = [description("train", number) for number in range(0, 40, 2)]
    train, dev = train_test_split(news, test_size=0.15, random_state=16377)
    found = {
        split: {documents.texts[row] for row in (documents.splits == split).nonzero()[0]}
        for split in ("train", "dev")
    }
    assert found == {"train": set(train), "dev": set(dev)}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            '"1","title"\n',
            r"train.csv: line 41: expected 3 fields \(class, title and description\)",
        ),
        ('"5","title","text"\n', r"line 41: expected a class of 1 to 4 .* found '5'"),
        ('"1","title","te"xt"\n', r"line 41: malformed"),
        ('"1","title","never closed\n', r"line 41: malformed"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, row: str, message: str) -> None:
    path = lay_out(tmp_path / "ag_news_csv")
    with (path / "train.csv").open("a") as file:
        file.write(row)
    with pytest.raises(UserError, match=message):
        read(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = lay_out(tmp_path / "ag_news_csv")
    (path / "test.csv").unlink()
    with pytest.raises(UserError, match=r"test.csv: no such file; .* download: true"):
        read(path)


def test_too_little_for_a_dev_split(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a dev split of 0.15 of 1 documents cannot be drawn"):
        read(lay_out(tmp_path / "ag_news_csv", train=2))
