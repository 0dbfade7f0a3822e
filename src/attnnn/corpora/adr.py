"""Tweets about drugs, class 1 if the tweet reports an adverse reaction (Nikfarjam et al. 2015)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from attnnn.corpora.own_table import read_rows
from attnnn.corpora.splits import UNSPLIT, carve, carve_dev
from attnnn.corpora.texts import Texts, naming
from attnnn.study.sources import AdrSource, TableSource

CLASSES = ["no reaction", "adverse reaction"]


def read_adr(path: Path, source: AdrSource, *, undivided: bool) -> Texts:
    """The tweets; the splits that the file lacks are drawn as in the papers.

    Test is stratified by class, dev is not (Jain & Wallace 2019, released preprocessing).

    Args:
        path: the file.
        source: its columns, shares and seeds.
        undivided: whether to leave train whole, without a dev split (switch train_part).

    Raises:
        UserError: a faulty row, which is named.
    """
    documents = read_rows(path, adr_table(source))
    documents = replace(
        documents,
        classes=CLASSES,
        splits=np.where(documents.splits == UNSPLIT, "train", documents.splits).astype("<U5"),
        facts={**documents.facts, "kind": "adr"},
    )
    rest = None
    with naming(str(path)):
        if "test" not in documents.splits:
            share, seed = source.test_share, source.test_seed
            documents, rest = carve(documents, "test", share=share, seed=seed, stratify=True)
        if "dev" not in documents.splits:
            documents = carve_dev(documents, source, undivided=undivided, among=rest)
    return documents


def adr_table(source: AdrSource) -> TableSource:
    """The file of tweets as a table of labelled texts."""
    columns = {"text": source.text, "label": source.label, "split": source.split}
    return TableSource(kind="table", path=source.path, classes=["0", "1"], **columns)
