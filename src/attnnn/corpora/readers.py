"""The readers of corpora, one a kind of source, and what can be told of a source beforehand."""

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
    fetching,
    imdb,
    mimic,
    newsgroups,
    planted,
    snli,
    splits,
    sst,
    table,
)
from attnnn.corpora.settings import PrepareSettings
from attnnn.corpora.texts import Texts
from attnnn.errors import UserError
from attnnn.study.sources.base import SourceModel


@dataclass(frozen=True)
class Reader:
    """How one kind of source is read.

    Attributes:
        check: looks at a source without reading it whole; raises UserError.
        read: gives the documents of a path and a source; keyword undivided says that no dev split is
            to be made (switch train_part).
        gives_dev: whether the source itself has a dev split.
        marks_tokens: whether it marks tokens, and so needs them as they stand between white space.
    """

    check: Callable[[Path, Any], None]
    read: Callable[..., Texts]
    gives_dev: Callable[[Path, Any], bool]
    marks_tokens: bool = False


def _always(path: Path, source: SourceModel) -> bool:
    return True


def _never(path: Path, source: SourceModel) -> bool:
    return False


READERS: dict[str, Reader] = {
    "planted": Reader(
        check=lambda path, source: planted.require_planted(source),
        read=lambda path, source, undivided: planted.generate(source),
        gives_dev=_always,
        marks_tokens=True,
    ),
    "table": Reader(table.require_table_source, table.read_table_source, table.gives_dev),
    "sst": Reader(
        check=lambda path, source: sst.require_sst(path),
        read=lambda path, source, undivided: sst.read_sst(path).with_fact("folder", source.path),
        gives_dev=_always,
    ),
    "imdb": Reader(imdb.require_imdb, imdb.read_imdb, _never),
    "ag_news": Reader(ag_news.require_ag_news, ag_news.read_ag_news, _never),
    "20news": Reader(newsgroups.require_newsgroups, newsgroups.read_newsgroups, _never),
    "adr": Reader(adr.require_adr, adr.read_adr, adr.adr_gives_dev),
    "mimic": Reader(mimic.require_mimic, mimic.read_mimic, mimic.mimic_gives_dev),
    "babi": Reader(babi.require_babi, babi.read_babi, _never, marks_tokens=True),
    "cnn": Reader(cnn.require_cnn, cnn.read_cnn, _always),
    "snli": Reader(snli.require_snli, snli.read_snli, _always),
}


def require_source(
    settings: PrepareSettings, corpora_dir: Path, *, selecting_on_dev: Sequence[str] = ()
) -> None:
    """Look at a source without reading it whole.

    Args:
        settings: of the corpus.
        corpora_dir: the folder that relative paths are under.
        selecting_on_dev: the switches that select something on a dev split.

    Raises:
        UserError: a missing file or column, or settings that cannot be met.
    """
    source, reader = settings.source, READERS[settings.source.kind]
    low, high, strict = settings.min_length, settings.max_length, settings.strict_length_filter
    if low is not None and high is not None and low + 2 * strict > high:
        raise UserError(
            f"min_length {low} and max_length {high} leave no document"
            + (" between them (strict_length_filter)" if strict else "")
        )
    if reader.marks_tokens and settings.tokenizer != "whitespace":
        raise UserError(
            f"tokenizer {settings.tokenizer}: {source.kind} documents are marked token by token; "
            "set tokenizer: whitespace"
        )
    path = corpora_dir / (source.place or "")
    if source.may_fetch and not path.exists():
        return
    reader.check(path, source)
    if settings.train_part == "undivided":
        splits.require_dev(selecting_on_dev, reader.gives_dev(path, source))


def read_source(settings: PrepareSettings, corpora_dir: Path) -> Texts:
    """The documents of a corpus with their splits; fetched first where the source says so.

    Raises:
        UserError: a fault of the source, with its file and row.
    """
    require_source(settings, corpora_dir)
    source, path = settings.source, corpora_dir / (settings.source.place or "")
    if source.may_fetch and not path.exists():
        fetching.fetch_source(source, path)
    undivided = settings.train_part == "undivided"
    return READERS[source.kind].read(path, source, undivided=undivided)


def name_of_source(source: SourceModel, corpora_dir: Path) -> str:
    """The source's file or folder, as errors name it."""
    return "source" if source.place is None else str(corpora_dir / source.place)
