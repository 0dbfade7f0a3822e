"""A table of texts and labels of the user's own."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.corpora.files import columns_of, place, read_columns
from attnnn.corpora.splits import UNSPLIT, make_missing_splits, sample
from attnnn.corpora.texts import SPLITS, Dropped, Texts, naming
from attnnn.errors import UserError
from attnnn.study.sources import TableSource

# How many labels an error lists.
_SHOWN = 5

_SPLIT_NAMES = {"train": "train", "dev": "dev", "validation": "dev", "test": "test"}


def read_table_source(path: Path, source: TableSource, *, undivided: bool) -> Texts:
    """The texts of a table; missing splits are made and samples are drawn as the source says.

    Args:
        path: the file.
        source: its columns, classes, splits and samples.
        undivided: whether to leave train whole, without a dev split (switch train_part).

    Raises:
        UserError: a faulty row, which is named.
    """
    documents = read_rows(path, source)
    with naming(str(path)):
        splits, made = make_missing_splits(
            documents.splits,
            documents.labels,
            dev_share=source.dev_share,
            test_share=source.test_share,
            undivided=undivided,
            seed=source.seed,
        )
        documents = replace(documents, splits=splits, made_splits=made)
        return sample(documents, source.rows or {}, seed=source.seed)


def read_rows(path: Path, source: TableSource) -> Texts:
    """The texts of a table with the splits that it gives; `UNSPLIT` if it has no column of splits.

    Raises:
        UserError: a faulty row, which is named.
    """
    names = [source.text, source.label, *([source.split] if source.split else [])]
    columns = read_columns(path, names)
    rows = len(columns[source.text])
    splits, dropped = _given_splits(path, columns, source)
    kept = np.flatnonzero(splits != "drop").tolist()
    if not kept:
        raise UserError(f"{path}: expected rows of texts and labels, found none; add some")
    names_found = [label_name(value) for value in columns[source.label]]
    classes = source.classes
    if isinstance(classes, int):
        classes = _sorted_classes(path, source, [names_found[row] for row in kept])
    documents = Texts(
        texts=[_text(path, row, columns[source.text][row], source.text) for row in kept],
        labels=np.array([_class(path, row, names_found[row], classes) for row in kept], np.int64),
        splits=splits[kept],
        places=[place(path, row) for row in kept],
        classes=list(classes),
        facts={"kind": "table", "file": source.path, "rows": rows},
        dropped=tuple(dropped),
    )
    if source.split is not None and "train" not in documents.splits:
        raise UserError(
            f"{path}: column {source.split!r}: expected rows of split train, found "
            f"{', '.join(sorted(set(documents.splits.tolist())))} only; add some, or set source.split to null"
        )
    return documents


def require_table_source(path: Path, source: TableSource) -> None:
    """Check what the head of the file can tell.

    Raises:
        UserError: a missing file or column, or settings that cannot be met.
    """
    found = columns_of(path)
    keys = {"text": source.text, "label": source.label, "split": source.split}
    for key, column in keys.items():
        if column is not None and found.count(column) != 1:
            many = "more than one" if column in found else "no"
            raise UserError(
                f"{path}: {many} column {column!r}; the columns are {', '.join(found)}: "
                f"name one of them as source.{key}"
            )
    for split, size in (source.rows or {}).items():
        if split not in SPLITS or size < 2:
            raise UserError(
                f"source.rows: expected at least 2 rows of {', '.join(SPLITS)}, found {split}: {size}"
            )


def gives_dev(path: Path, source: TableSource) -> bool:
    """Whether the table itself has dev rows; only its column of splits is read."""
    if source.split is None:
        return False
    values = set(read_columns(path, [source.split])[source.split]) - set(source.drop_splits)
    return any(_SPLIT_NAMES.get(value) == "dev" for value in values)


def label_name(value: Any) -> str | None:
    """A label as text: 1, 1.0 and "1" are the same class, True is ``true``; None if there is no label."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _given_splits(
    path: Path, columns: dict[str, list[Any]], source: TableSource
) -> tuple[NDArray[np.str_], list[Dropped]]:
    """The split of every row (``drop`` for rows to leave out), and what is left out."""
    if source.split is None:
        return np.full(len(columns[source.text]), UNSPLIT, dtype="<U5"), []
    splits = []
    left_out: Counter[str] = Counter()
    for row, value in enumerate(columns[source.split]):
        if value in source.drop_splits:
            left_out[value] += 1
            splits.append("drop")
        elif value in _SPLIT_NAMES:
            splits.append(_SPLIT_NAMES[value])
        else:
            raise UserError(
                f"{place(path, row)}: column {source.split!r}: expected {', '.join(_SPLIT_NAMES)}, "
                f"found {value!r}; list it in source.drop_splits to leave such rows out"
            )
    dropped = [
        Dropped(value, "split listed in drop_splits", count) for value, count in left_out.items()
    ]
    return np.array(splits, dtype="<U5"), dropped


def _sorted_classes(path: Path, source: TableSource, names: list[str | None]) -> list[str]:
    found = {name for name in names if name is not None}
    as_numbers = all(name.removeprefix("-").isdecimal() for name in found)
    classes = sorted(found, key=int) if as_numbers else sorted(found)
    if len(classes) == source.class_count:
        return classes
    shown = ", ".join(classes[:_SHOWN]) + (", …" if len(classes) > _SHOWN else "")
    advice = f"write classes: {len(classes)} under source if these are the classes, or "
    raise UserError(
        f"{path}: column {source.label!r}: expected {source.class_count} classes, found {len(classes)} "
        f"({shown}); {advice if len(classes) > 1 else ''}name another column as source.label"
    )


def _class(path: Path, row: int, name: str | None, classes: list[str]) -> int:
    if name is None or name not in classes:
        found = "no label" if name is None else repr(name)
        raise UserError(
            f"{place(path, row)}: expected a label among {', '.join(classes)}, found {found}; correct "
            "the row, or list the value in source.classes"
        )
    return classes.index(name)


def _text(path: Path, row: int, value: Any, column: str) -> str:
    if not isinstance(value, str):
        raise UserError(
            f"{place(path, row)}: column {column!r}: expected a text, found "
            f"{'nothing' if value is None else type(value).__name__}; correct or remove the row"
        )
    return value
