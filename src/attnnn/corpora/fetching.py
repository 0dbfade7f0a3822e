"""Sources that have a canonical place on the internet, and how each is laid out from there."""

from __future__ import annotations

from pathlib import Path

from attnnn.corpora.download import fetch_files, fetch_folder
from attnnn.corpora.texts import SPLITS
from attnnn.study.sources import (
    AgNewsSource,
    BabiSource,
    ImdbSource,
    NewsgroupsSource,
    SnliSource,
    SstSource,
)
from attnnn.study.sources.base import SourceModel

_IMDB = [f"{split}/{label}" for split in ("train", "test") for label in ("neg", "pos")]
_NEWSGROUPS = ["20news-bydate-train", "20news-bydate-test"]


def fetch_source(source: SourceModel, path: Path) -> None:
    """Fetch a source into its folder `path`.

    Raises:
        UserError: no connection, another checksum, or an archive that holds something else.
    """
    if isinstance(source, SstSource):
        files = [f"{split}.txt" for split in SPLITS]
        fetch_folder(source.url, path, sha256=source.sha256, files=files)
    elif isinstance(source, ImdbSource):
        fetch_folder(source.url, path, md5=source.md5, files=_IMDB)
    elif isinstance(source, AgNewsSource):
        sums = {f"{split}.csv": checksum for split, checksum in source.sha256.items()}
        fetch_files(source.url, path, sha256=sums)
    elif isinstance(source, NewsgroupsSource):
        fetch_folder(source.url, path, sha256=source.sha256, files=_NEWSGROUPS)
    elif isinstance(source, SnliSource):
        fetch_folder(source.url, path, sha256=source.sha256, files=_names(source))
    elif isinstance(source, BabiSource):
        # The archive holds several folders with files of the same names; `path` names the one wanted.
        fetch_folder(source.url, path, sha256=source.sha256, files=_names(source), named=path.name)
    else:
        raise ValueError(f"{type(source).__name__} has no canonical place")


def _names(source: SourceModel) -> list[str]:
    return [Path(file).name for file in source.files()]
