"""20 Newsgroups in the layout of its archive, against scikit-learn's loader."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import _twenty_newsgroups as loader
from sklearn.datasets import load_files
from sklearn.model_selection import train_test_split

from attnnn.corpora.newsgroups import GROUPS, body
from attnnn.corpora.readers import read_documents
from attnnn.corpora.texts import Texts
from attnnn.errors import UserError
from attnnn.study.sources import NewsgroupsSource

ALL_GROUPS = ("alt.atheism", *GROUPS, "sci.space")
MESSAGE = """From: a@b (A)
Subject: Re: goals

In article <1@b>, c@d writes:
> What a game!
| Indeed.
It was {0} to {0}.

The goalie said: nothing

--
A. Signature
"""


def by_loader(text: str) -> str:
    """What `fetch_20newsgroups(remove=("headers", "footers", "quotes"))` does to a message."""
    text = loader.strip_newsgroup_footer(loader.strip_newsgroup_header(text))
    return str(loader.strip_newsgroup_quoting(text))


def lay_out(folder: Path, size: int = 12) -> Path:
    for part in ("train", "test"):
        for group in ALL_GROUPS:
            (folder / f"20news-bydate-{part}" / group).mkdir(parents=True)
            for number in range(size):
                # Every sixth message is nothing but a header and a quotation.
                text = MESSAGE.format(f"{part} {group} {number}")
                text = text if number % 6 else "From: a@b\n\n> all quoted\n"
                file = folder / f"20news-bydate-{part}" / group / str(99 + number)
                file.write_text(text, encoding="latin-1")
    return folder


def read(path: Path, *, undivided: bool = False, **settings: Any) -> Texts:
    source = NewsgroupsSource.model_validate({"kind": "20news", "path": path.name, **settings})
    return read_documents(path, source, undivided=undivided)


def test_header_quotations_and_signature_go() -> None:
    assert body(MESSAGE.format(3)) == "It was 3 to 3.\n\n"
    assert body("Subject: no body") == ""
    assert body("a: b\n\nOne paragraph only") == "One paragraph only"


LINES = st.sampled_from(
    [
        "",
        "--",
        "  ",
        "From: x",
        "> quote",
        "| bar",
        " > no quote",
        "he wrote:",
        "In article 1",
        "word",
    ]
)


@given(st.lists(LINES, max_size=12).map("\n".join))
def test_bodies_are_those_of_the_loader(message: str) -> None:
    assert body(message) == by_loader(message)


def test_documents_come_in_the_loaders_order(tmp_path: Path) -> None:
    path = lay_out(tmp_path / "20news-bydate")
    parts = [
        load_files(path / f"20news-bydate-{part}", encoding="latin-1") for part in ("train", "test")
    ]
    data = [text for part in parts for text in part.data]
    groups = np.concatenate([part.target for part in parts])
    order = np.arange(len(data))
    np.random.RandomState(42).shuffle(order)
    expected = [
        (by_loader(data[row]), label)
        for label in (0, 1)
        for row in order
        if groups[row] == label + 1
    ]
    full = [item for item in expected if item[0].strip()]
    documents = read(path)
    assert list(zip(documents.texts, documents.labels.tolist(), strict=True)) == full
    (dropped,) = documents.dropped
    assert (dropped.split, dropped.reason, dropped.count) == (
        "all",
        "empty without headers, footers and quotations",
        len(expected) - len(full),
    )
    assert documents.facts["messages"] == 48
    assert documents.facts["groups"] == 4


def test_splits_are_the_papers_draws(tmp_path: Path) -> None:
    documents = read(lay_out(tmp_path / "20news-bydate"))
    rest, test = train_test_split(
        np.arange(40), stratify=documents.labels, test_size=0.2, random_state=13478
    )
    train, dev = train_test_split(
        rest, stratify=documents.labels[rest], test_size=0.2, random_state=13478
    )
    # dev is drawn from train in the order that the first draw leaves it in
    for split, rows in (("train", train), ("dev", dev), ("test", test)):
        assert sorted(rows) == np.flatnonzero(documents.splits == split).tolist()
    undivided = read(tmp_path / "20news-bydate", undivided=True)
    assert np.flatnonzero(undivided.splits == "test").tolist() == sorted(test)
    assert "dev" not in undivided.splits


def test_a_missing_group_is_named(tmp_path: Path) -> None:
    (tmp_path / "20news-bydate-train").mkdir()
    with pytest.raises(
        UserError, match=r"rec.sport.baseball: no such folder; .* 20news-bydate.tar.gz"
    ):
        read(tmp_path)
