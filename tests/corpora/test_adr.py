"""Tweets about drugs, from a file of one's own."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from attnnn.corpora.readers import READERS, read_documents, require_there
from attnnn.corpora.texts import Texts
from attnnn.errors import UserError
from attnnn.study.sources import AdrSource

LABELS = [int(number % 4 == 0) for number in range(60)]


def write(path: Path, splits: list[str] | None = None) -> Path:
    lines = ["tokens,y" + (",part" if splits else "")]
    for number, label in enumerate(LABELS):
        lines.append(f"took drug {number},{label}" + (f",{splits[number]}" if splits else ""))
    path.write_text("\n".join(lines) + "\n")
    return path


def settings(**changes: Any) -> AdrSource:
    columns = {"text": "tokens", "label": "y"}
    return AdrSource.model_validate({"kind": "adr", "path": "adr.csv", **columns, **changes})


def read(path: Path, *, undivided: bool = False, **changes: Any) -> Texts:
    return read_documents(path, settings(**changes), undivided=undivided)


def test_splits_are_drawn_as_in_the_papers(tmp_path: Path) -> None:
    documents = read(write(tmp_path / "adr.csv"))
    rest, test = train_test_split(np.arange(60), stratify=LABELS, test_size=0.2, random_state=13020)
    train, dev = train_test_split(rest, test_size=0.15, random_state=16377)
    for split, rows in (("train", train), ("dev", dev), ("test", test)):
        assert sorted(rows) == np.flatnonzero(documents.splits == split).tolist()
    assert documents.made_splits == (
        "test: 12 of 60 train documents, stratified by class, seed 13020; "
        "dev: 8 of 48 train documents, whatever the class, seed 16377"
    )
    assert documents.labels.tolist() == LABELS
    assert documents.classes == ["no reaction", "adverse reaction"]
    assert "dev" not in read(tmp_path / "adr.csv", undivided=True).splits


def test_given_splits_are_kept(tmp_path: Path) -> None:
    given = ["train"] * 40 + ["validation"] * 8 + ["test"] * 12
    path = write(tmp_path / "adr.csv", given)
    documents = read(path, split="part")
    assert documents.splits.tolist() == ["train"] * 40 + ["dev"] * 8 + ["test"] * 12
    assert documents.made_splits is None
    assert READERS["adr"].gives_dev(path, settings(split="part"))
    assert not READERS["adr"].gives_dev(path, settings())


def test_faults_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "adr.csv")
    with pytest.raises(
        UserError, match=r"no column 'text'; the columns are tokens, y: .*source.text"
    ):
        require_there(path, settings(text="text"))
    path.write_text(path.read_text() + "and more,yes\n")
    with pytest.raises(UserError, match=r"row 61: expected a label among 0, 1, found 'yes'"):
        read(path)
