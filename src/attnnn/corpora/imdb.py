"""The Large Movie Review corpus (Maas et al. 2011), as its archive lays it out or as a table."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from attnnn.corpora.splits import carve
from attnnn.corpora.table import read_rows, require_table_source
from attnnn.corpora.table_files import ENDINGS, read_text_file
from attnnn.corpora.texts import Texts
from attnnn.corpora.tokenize import TOKENIZERS
from attnnn.errors import UserError
from attnnn.study.sources import ImdbSource, TableSource

CLASSES = ["negative", "positive"]
_FOLDERS = ("neg", "pos")  # by class
_NAME = re.compile(r"(\d+)_\d+\.txt")  # number and rating


def read_imdb(path: Path, source: ImdbSource, *, undivided: bool) -> Texts:
    """The reviews: long ones left out, then a sample of test drawn and dev carved out of train.

    The papers draw both splits after the length bound (Jain & Wallace 2019, released preprocessing),
    from a dump in another order, so that sizes are alike and documents are not the same.

    Args:
        path: the folder or table.
        source: its bounds, shares and seed.
        undivided: make no dev split (switch train_part).

    Raises:
        UserError: a missing folder, a file that is no review, or a fault of the table.
    """
    require_imdb(path, source)
    documents = _read_table(path, source) if _is_table(path) else _read_folder(path, source)
    if source.max_tokens is not None:
        lengths = np.array([len(tokens) for tokens in TOKENIZERS["keras"](documents.texts)])
        reason = f"more than {source.max_tokens} tokens before splits (source.max_tokens)"
        documents = documents.without(lengths > source.max_tokens, reason)
    if source.test_sample < 1:
        documents = _sampled_test(documents, source)
    if undivided:
        return documents
    return carve(documents, "dev", share=source.dev_share, seed=source.seed, stratify=None)[0]


def require_imdb(path: Path, source: ImdbSource) -> None:
    """Check that the folders, or the table and its columns, are there.

    Raises:
        UserError: naming the first missing one.
    """
    if _is_table(path):
        require_table_source(path, _columns(source))
        return
    for split in ("train", "test"):
        for folder in _FOLDERS:
            if not (path / split / folder).is_dir():
                raise UserError(
                    f"{path / split / folder}: no such folder; expected the layout of aclImdb_v1.tar.gz, "
                    "{train,test}/{neg,pos}/*.txt: set source.path or corpora_dir, or download: true"
                )


def _is_table(path: Path) -> bool:
    return path.suffix in ENDINGS


def _columns(source: ImdbSource) -> TableSource:
    return TableSource(kind="table", path=source.path, split="split", classes=["0", "1"])


def _read_table(path: Path, source: ImdbSource) -> Texts:
    documents = read_rows(path, _columns(source))
    given = set(documents.splits.tolist())
    if given != {"train", "test"}:
        raise UserError(
            f"{path}: column 'split': expected train and test as in the published corpus, found "
            f"{', '.join(sorted(given))}; for splits of your own use kind: table"
        )
    facts = {"kind": "imdb", "file": source.path, "reviews": len(documents)}
    return documents.renamed(CLASSES, facts)


def _read_folder(path: Path, source: ImdbSource) -> Texts:
    texts: list[str] = []
    places: list[str] = []
    labels: list[int] = []
    splits: list[str] = []
    for split in ("train", "test"):
        for label, folder in enumerate(_FOLDERS):
            for file in _reviews(path / split / folder):
                texts.append(read_text_file(file))
                places.append(str(file))
                labels.append(label)
                splits.append(split)
    return Texts(
        texts=texts,
        labels=np.array(labels, dtype=np.int64),
        splits=np.array(splits, dtype="<U5"),
        places=places,
        classes=list(CLASSES),
        facts={"kind": "imdb", "folder": source.path, "reviews": len(texts)},
    )


def _reviews(folder: Path) -> list[Path]:
    """The reviews of a folder by their number."""
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
            f"source.test_sample: {source.test_sample:g} of {len(test)} test reviews is not a sample; "
            "look at max_tokens, or say 1 for all"
        )
    drawn, _ = train_test_split(test, train_size=source.test_sample, random_state=source.seed)
    gone = documents.splits == "test"
    gone[drawn] = False
    return documents.without(
        gone, f"not in the sample (source.test_sample {source.test_sample:g}, seed {source.seed})"
    )
