"""The Large Movie Review corpus (Maas et al. 2011), in the layout of its archive or as a table."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from attnnn.corpora.files import ENDINGS, opened
from attnnn.corpora.own_table import read_rows
from attnnn.corpora.splits import carve_dev
from attnnn.corpora.texts import Collector, Texts
from attnnn.corpora.tokenize import TOKENIZERS
from attnnn.errors import UserError
from attnnn.study.sources import ImdbSource, TableSource

CLASSES = ["negative", "positive"]
_FOLDERS = ("neg", "pos")  # by class
_NAME = re.compile(r"(\d+)_\d+\.txt")  # number and rating


def read_imdb(path: Path, source: ImdbSource, *, undivided: bool) -> Texts:
    """The reviews: long ones are left out, then a sample of test is drawn and dev is carved out of train.

    The papers, too, draw both splits after the length bound (Jain & Wallace 2019, released preprocessing),
    but from a dump in another order: the sizes agree, and the documents differ.

    Args:
        path: the folder or table.
        source: its bounds, shares and seed.
        undivided: whether to leave train whole, without a dev split (switch train_part).

    Raises:
        UserError: a file that is not a review, or a faulty table.
    """
    is_table = path.suffix in ENDINGS
    documents = _read_table(path, source) if is_table else _read_folder(path, source)
    if source.max_tokens is not None:
        lengths = np.array([len(tokens) for tokens in TOKENIZERS["keras"](documents.texts)])
        reason = f"more than {source.max_tokens} tokens before splits (source.max_tokens)"
        documents = documents.without(lengths > source.max_tokens, reason)
    if source.test_sample < 1:
        documents = _sampled_test(documents, source)
    return carve_dev(documents, source, undivided=undivided)


def imdb_table(source: ImdbSource) -> TableSource:
    """The corpus as a table of labelled texts."""
    return TableSource(kind="table", path=source.path, split="split", classes=["0", "1"])


def _read_table(path: Path, source: ImdbSource) -> Texts:
    documents = read_rows(path, imdb_table(source))
    given = set(documents.splits.tolist())
    if given != {"train", "test"}:
        raise UserError(
            f"{path}: column 'split': expected train and test as in the published corpus, found "
            f"{', '.join(sorted(given))}; for your own splits, use kind: table"
        )
    facts = {"kind": "imdb", "file": source.path, "reviews": len(documents)}
    return replace(documents, classes=CLASSES, facts=facts)


def _read_folder(path: Path, source: ImdbSource) -> Texts:
    found = Collector()
    for split in ("train", "test"):
        for label, folder in enumerate(_FOLDERS):
            for file in _reviews(path / split / folder):
                with opened(file, encoding="utf-8", newline="") as review:
                    found.add(review.read(), label=label, split=split, place=str(file))
    facts = {"kind": "imdb", "folder": source.path, "reviews": found.seen}
    return found.documents(CLASSES, facts)


def _reviews(folder: Path) -> list[Path]:
    """The reviews in a folder, by their number."""
    numbered = []
    for file in folder.iterdir():
        name = _NAME.fullmatch(file.name)
        if name is None:
            raise UserError(
                f"{file}: expected only reviews such as 127_10.txt (number, rating); remove the file"
            )
        numbered.append((int(name[1]), file.name, file))
    return [file for _, _, file in sorted(numbered)]


def _sampled_test(documents: Texts, source: ImdbSource) -> Texts:
    from sklearn.model_selection import train_test_split

    test = np.flatnonzero(documents.splits == "test")
    if not 1 <= int(source.test_sample * len(test)) < len(test):
        raise UserError(
            f"source.test_sample: expected a share that draws some of the {len(test)} test reviews, found "
            f"{source.test_sample:g}; raise it or source.max_tokens, or set it to 1 for all"
        )
    drawn, _ = train_test_split(test, train_size=source.test_sample, random_state=source.seed)
    gone = documents.splits == "test"
    gone[drawn] = False
    return documents.without(
        gone, f"not in the sample (source.test_sample {source.test_sample:g}, seed {source.seed})"
    )
