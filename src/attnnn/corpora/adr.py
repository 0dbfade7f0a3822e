"""Tweets about drugs, class 1 where one reports an adverse reaction (Nikfarjam et al. 2015)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from attnnn.corpora.splits import UNSPLIT, carve
from attnnn.corpora.table import gives_dev, read_rows, require_table_source
from attnnn.corpora.texts import Texts, naming
from attnnn.study.sources import AdrSource, TableSource

CLASSES = ["no reaction", "adverse reaction"]


def read_adr(path: Path, source: AdrSource, *, undivided: bool) -> Texts:
    """The tweets; the splits that the file lacks are drawn as in the papers.

    Test is stratified by class, dev is not (Jain & Wallace 2019, released preprocessing).

    Args:
        path: the file.
        source: its columns, shares and seeds.
        undivided: make no dev split (switch train_part).

    Raises:
        UserError: naming the row and what is wrong with it.
    """
    rows = read_rows(path, _columns(source))
    facts = {"kind": "adr", "file": source.path, "rows": len(rows)}
    documents = rows.renamed(CLASSES, facts)
    splits = np.where(documents.splits == UNSPLIT, "train", documents.splits)
    documents = documents.with_splits(splits.astype("<U5"), None)
    with naming(str(path)):
        rest = None
        if "test" not in documents.splits:
            documents, rest = carve(
                documents,
                "test",
                share=source.test_share,
                seed=source.test_seed,
                stratify=documents.labels,
            )
        if "dev" not in documents.splits and not undivided:
            documents, _ = carve(
                documents,
                "dev",
                share=source.dev_share,
                seed=source.seed,
                stratify=None,
                among=rest,
            )
    return documents


def require_adr(path: Path, source: AdrSource) -> None:
    """Check that the file and its columns are there.

    Raises:
        UserError: naming what is missing.
    """
    require_table_source(path, _columns(source))


def adr_gives_dev(path: Path, source: AdrSource) -> bool:
    """Whether the file itself has dev rows."""
    return gives_dev(path, _columns(source))


def _columns(source: AdrSource) -> TableSource:
    return TableSource(
        kind="table",
        path=source.path,
        text=source.text,
        label=source.label,
        split=source.split,
        classes=["0", "1"],
    )
