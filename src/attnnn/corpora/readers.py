"""The readers of corpora, one per kind of source, and the checks of a source before it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnnn.corpora import (
    adr,
    ag_news,
    babi,
    cnn,
    imdb,
    mimic,
    newsgroups,
    own_table,
    planted,
    snli,
    splits,
    sst,
)
from attnnn.corpora.fetching import FOLDERS, fetch_source, members_of
from attnnn.corpora.files import ENDINGS
from attnnn.corpora.prepare_settings import PrepareSettings
from attnnn.corpora.texts import Texts
from attnnn.errors import UserError
from attnnn.study.sources import Source


@dataclass(frozen=True)
class Reader:
    """How one kind of source is read.

    Attributes:
        read: reads the documents, given a path and a source that `require_there` accepts, and the keyword
            undivided: whether to leave train whole, without a dev split (switch train_part).
        gives_dev: whether the source itself has a dev split, given its path and keys.
        layout: what the source's folder must hold, in words for errors; None if it is not a folder.
        check: checks a path and a source without reading it whole; raises UserError.
        marks_tokens: whether it marks tokens, which must then be those between white space.
    """

    read: Callable[..., Texts]
    gives_dev: Callable[[Path, Any], bool] = lambda path, source: False
    layout: str | None = None
    check: Callable[[Path, Any], None] = lambda path, source: None
    marks_tokens: bool = False


def _always(path: Path, source: Source) -> bool:
    return True


def _check_imdb_table(path: Path, source: Any) -> None:
    if path.suffix in ENDINGS:
        own_table.require_table_source(path, imdb.imdb_table(source))


READERS: dict[str, Reader] = {
    "planted": Reader(
        read=lambda path, source, undivided: planted.generate(source),
        gives_dev=_always,
        check=lambda path, source: planted.require_planted(source),
        marks_tokens=True,
    ),
    "table": Reader(
        own_table.read_table_source, own_table.gives_dev, check=own_table.require_table_source
    ),
    "sst": Reader(sst.read_sst, _always, "train.txt, dev.txt and test.txt with PTB trees"),
    "imdb": Reader(
        imdb.read_imdb,
        layout="the layout of aclImdb_v1.tar.gz, {train,test}/{neg,pos}/*.txt",
        check=_check_imdb_table,
    ),
    "ag_news": Reader(ag_news.read_ag_news, layout="train.csv and test.csv of ag_news_csv"),
    "20news": Reader(newsgroups.read_newsgroups, layout="the layout of 20news-bydate.tar.gz"),
    "adr": Reader(
        adr.read_adr,
        lambda path, source: own_table.gives_dev(path, adr.adr_table(source)),
        check=lambda path, source: own_table.require_table_source(path, adr.adr_table(source)),
    ),
    "mimic": Reader(
        mimic.read_mimic,
        lambda path, source: source.task == "diabetes",
        "the files of MIMIC-III that source names: notes, diagnoses and, for diabetes, admissions",
        check=mimic.require_columns,
    ),
    "babi": Reader(
        babi.read_babi,
        layout="the files of a folder of tasks_1-20_v1-2, such as en-10k",
        marks_tokens=True,
    ),
    "cnn": Reader(
        cnn.read_cnn,
        _always,
        "train.txt, dev.txt and test.txt of the release of Chen et al. (2016)",
    ),
    "snli": Reader(
        snli.read_snli, _always, "snli_1.0_train.jsonl, snli_1.0_dev.jsonl and snli_1.0_test.jsonl"
    ),
}


def require_source(
    settings: PrepareSettings, corpora_dir: Path, *, selecting_on_dev: Sequence[str] = ()
) -> None:
    """Check a source without reading it whole.

    Args:
        settings: of the corpus.
        corpora_dir: the folder that relative paths are under.
        selecting_on_dev: the switches that select something on the dev split.

    Raises:
        UserError: a missing file or column, or settings that cannot be met.
    """
    source, reader = settings.source, READERS[settings.source.kind]
    low, high, strict = settings.min_length, settings.max_length, settings.strict_length_filter
    if low is not None and high is not None and low + 2 * strict > high:
        raise UserError(
            f"min_length {low} and max_length {high} leave no document"
            + (" between them (strict_length_filter)" if strict else "")
            + "; raise max_length or lower min_length"
        )
    if reader.marks_tokens and settings.tokenizer != "whitespace":
        raise UserError(
            f"tokenizer {settings.tokenizer}: {source.kind} documents are marked token by token; "
            "set tokenizer: whitespace"
        )
    path = corpora_dir / (source.place or "")
    if source.may_fetch and not path.exists():
        return
    require_there(path, source)
    if settings.train_part == "undivided":
        splits.require_dev(selecting_on_dev, reader.gives_dev(path, source))


def require_there(path: Path, source: Source) -> None:
    """Check that the files of a source exist, and check their heads.

    Raises:
        UserError: the first missing file, folder or column is named.
    """
    reader = READERS[source.kind]
    # IMDb may be a table instead of a folder.
    for member in members_of(source) if reader.layout and path.suffix not in ENDINGS else ():
        if not (path / member).exists():
            fetched = ", or download: true" if hasattr(source, "download") else ""
            raise UserError(
                f"{path / member}: no such {'folder' if source.kind in FOLDERS else 'file'}; expected "
                f"{reader.layout}: set source.path or corpora_dir{fetched}"
            )
    reader.check(path, source)


def read_documents(path: Path, source: Source, *, undivided: bool) -> Texts:
    """Read the documents of a source at a path, with their splits.

    Args:
        path: its file or folder.
        source: its keys.
        undivided: whether to leave train whole, without a dev split (switch train_part).

    Raises:
        UserError: a fault of the source; its file and row are named.
    """
    require_there(path, source)
    return READERS[source.kind].read(path, source, undivided=undivided)


def read_source(settings: PrepareSettings, corpora_dir: Path) -> Texts:
    """Read the documents of a corpus with their splits, and fetch them first if the source says so.

    Raises:
        UserError: a fault of the source; its file and row are named.
    """
    require_source(settings, corpora_dir)
    source, path = settings.source, corpora_dir / (settings.source.place or "")
    if source.may_fetch and not path.exists():
        fetch_source(source, path)
    return read_documents(path, source, undivided=settings.train_part == "undivided")
