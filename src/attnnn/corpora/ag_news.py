"""AG's news corpus in the csv files of Zhang, Zhao & LeCun (2015): World against Business."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attnnn.corpora.files import csv_rows
from attnnn.corpora.splits import carve_dev
from attnnn.corpora.texts import Collector, Texts
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
        undivided: whether to leave train whole, without a dev split (switch train_part).

    Raises:
        UserError: a malformed row.
    """
    found = Collector()
    # The counts are listed by split and class, whichever class comes first in the file.
    found.dropped.update({(s, f"class {name}"): 0 for s in _SPLITS for name in _OTHERS.values()})
    for split in _SPLITS:
        for place, label, description in _rows(path / f"{split}.csv"):
            if label in _OTHERS:
                found.dropped[split, f"class {_OTHERS[label]}"] += 1
            else:
                found.add(description, label=_LABELS[label], split=split, place=place)
    facts = {"kind": "ag_news", "folder": source.path, "rows": found.seen}
    return carve_dev(found.documents(CLASSES, facts), source, undivided=undivided)


def _rows(file: Path) -> Iterator[tuple[str, str, str]]:
    """Place, class and description of every row."""
    rows = csv_rows(file, fields=3, what="(class, title and description)")
    for line, (label, _, description) in rows:
        place = f"{file}: line {line}"
        if label not in _LABELS and label not in _OTHERS:
            raise UserError(
                f"{place}: expected a class of 1 to 4 in the first field, found {label[:40]!r}; get the "
                "file again"
            )
        yield place, label, description
