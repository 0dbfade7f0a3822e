"""AG's news corpus in the csv files of Zhang, Zhao & LeCun (2015), World against Business."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from attnnn.corpora.splits import carve
from attnnn.corpora.table_files import csv_rows
from attnnn.corpora.texts import Dropped, Texts
from attnnn.errors import UserError
from attnnn.study.sources import AgNewsSource

CLASSES = ["world", "business"]
_LABELS = {"1": 0, "3": 1}
_OTHERS = {"2": "sports", "4": "science and technology"}
_SPLITS = ("train", "test")


def read_ag_news(path: Path, source: AgNewsSource, *, undivided: bool) -> Texts:
    """The descriptions of World and Business news; dev is carved out of train.

    The title is not used. Source: Jain & Wallace 2019, released preprocessing.

    Args:
        path: the folder.
        source: share and seed of dev.
        undivided: make no dev split (switch train_part).

    Raises:
        UserError: a missing file or a malformed row.
    """
    require_ag_news(path, source)
    texts: list[str] = []
    places: list[str] = []
    labels: list[int] = []
    splits: list[str] = []
    others: Counter[tuple[str, str]] = Counter()
    for split in _SPLITS:
        for place, label, description in _rows(path / f"{split}.csv"):
            if label in _OTHERS:
                others[split, label] += 1
                continue
            texts.append(description)
            places.append(place)
            labels.append(_LABELS[label])
            splits.append(split)
    documents = Texts(
        texts=texts,
        labels=np.array(labels, dtype=np.int64),
        splits=np.array(splits, dtype="<U5"),
        places=places,
        classes=list(CLASSES),
        facts={
            "kind": "ag_news",
            "folder": source.path,
            "rows": len(texts) + others.total(),
        },
        dropped=tuple(
            Dropped(split, f"class {_OTHERS[label]}", count)
            for (split, label), count in sorted(others.items(), key=_in_order)
        ),
    )
    if undivided:
        return documents
    return carve(documents, "dev", share=source.dev_share, seed=source.seed, stratify=None)[0]


def require_ag_news(path: Path, source: AgNewsSource) -> None:
    """Check that both files are there.

    Raises:
        UserError: naming the first missing one.
    """
    for split in _SPLITS:
        file = path / f"{split}.csv"
        if not file.is_file():
            raise UserError(
                f"{file}: no such file; expected train.csv and test.csv of ag_news_csv: set source.path "
                "or corpora_dir, or download: true"
            )


def _in_order(item: tuple[tuple[str, str], int]) -> tuple[int, str]:
    (split, label), _ = item
    return _SPLITS.index(split), label


def _rows(file: Path) -> Iterator[tuple[str, str, str]]:
    """Place, class and description of every row."""
    for line, (label, _, description) in csv_rows(
        file, fields=3, what="class, title and description"
    ):
        place = f"{file}: line {line}"
        if label not in _LABELS and label not in _OTHERS:
            raise UserError(
                f"{place}: expected a class of 1 to 4 in the first field, found {label[:40]!r}; get the "
                "file anew"
            )
        yield place, label, description
