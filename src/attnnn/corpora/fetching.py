"""What the folder of a source holds, and how it is fetched from its canonical place on the internet."""

from __future__ import annotations

from pathlib import Path

from attnnn.corpora.download import fetch_files, fetch_folder
from attnnn.corpora.newsgroups import GROUPS, PARTS
from attnnn.study.sources import (
    AgNewsSource,
    BabiSource,
    ImdbSource,
    NewsgroupsSource,
    SnliSource,
    Source,
    SstSource,
)

# Sources with very many files, by the folders that hold them.
FOLDERS = {
    "imdb": [f"{split}/{label}" for split in ("train", "test") for label in ("neg", "pos")],
    "20news": [f"{part}/{group}" for part in PARTS for group in GROUPS],
}


def members_of(source: Source) -> list[str]:
    """The files or folders that the folder of a source must hold, as paths within it."""
    files = (Path(file).relative_to(source.place or "") for file in source.files())
    return FOLDERS.get(source.kind) or [file.as_posix() for file in files]


def fetch_source(source: Source, path: Path) -> None:
    """Fetch a source into its folder `path`.

    Raises:
        UserError: a failed download, another checksum, or an archive without the expected files.
    """
    members = members_of(source)
    if isinstance(source, ImdbSource):
        fetch_folder(source.url, path, md5=source.md5, files=members)
    elif isinstance(source, AgNewsSource):
        sums = {f"{split}.csv": checksum for split, checksum in source.sha256.items()}
        fetch_files(source.url, path, sha256=sums)
    elif isinstance(source, BabiSource):
        # The archive holds several folders with files of the same names; `path` names the wanted one.
        fetch_folder(source.url, path, sha256=source.sha256, files=members, named=path.name)
    elif isinstance(source, SstSource | NewsgroupsSource | SnliSource):
        fetch_folder(source.url, path, sha256=source.sha256, files=members)
    else:
        raise ValueError(f"{type(source).__name__} has no canonical place")
