"""Files and archives from the internet: downloaded aside, checked, and unpacked with care."""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from tqdm import tqdm

from attnnn.errors import UserError
from attnnn.tables.store import written_aside

_CHUNK = 1 << 16
_TIMEOUT = 60  # seconds without a byte


def fetch(url: str, path: Path, *, sha256: str | None = None, md5: str | None = None) -> None:
    """Download a file over http(s); it takes its name only once its checksum is right.

    Args:
        url: the address.
        path: where the file goes.
        sha256: its checksum.
        md5: for files that are published with this checksum alone. Without either, the file is accepted
            as it is, and its sha256 is printed to stderr.

    Raises:
        UserError: an address that is not http(s), a failed download, or another checksum.
    """
    import pooch  # slow to import

    name, expected = ("md5", md5) if sha256 is None and md5 is not None else ("sha256", sha256)
    if not url.startswith(("https://", "http://")):
        raise UserError(f"source.url: expected an http(s) address, found {url}")
    with written_aside(path) as aside:
        _download(url, aside)
        found = pooch.file_hash(str(aside), alg=name)
        if expected is None:
            print(
                f"{url}: no checksum is published; the file's own is sha256 {found}: set source.sha256 to "
                "it, so that every later fetch gives the same file",
                file=sys.stderr,
            )
        elif found != expected.lower():
            raise UserError(
                f"{url}: expected {name} {expected}, found {found}: the file has changed or was damaged "
                f"on its way; fetch it again, or set source.{name} to what was found if you trust it"
            )


def _download(url: str, path: Path) -> None:
    """Fetch the bytes of a file, as the server stores them.

    `pooch.retrieve` would check the checksum as well, but not report the one that it found.
    """
    import pooch
    import requests

    # Pooch ignores a bar without a total, and replaces this one by the file's size.
    with tqdm(desc=url, total=1, unit="B", unit_scale=True, disable=None) as progress:
        download = pooch.HTTPDownloader(
            progressbar=progress,
            chunk_size=_CHUNK,
            timeout=_TIMEOUT,
            headers={"Accept-Encoding": "identity"},
            hooks={"response": _keep_compressed},
        )
        try:
            download(url, str(path), None)
        except requests.RequestException as error:
            raise UserError(
                f"{url}: cannot be fetched ({error}); download it by hand and unpack it at source.path"
            ) from None


def _keep_compressed(response: Any, **_: Any) -> None:
    """Drop Content-Encoding: some servers send it with .gz files, and requests would then decompress them."""
    response.raw.headers.discard("content-encoding")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a zip archive or a tar archive, compressed or not, into a folder.

    Raises:
        UserError: another kind of file, a damaged archive, or an unsafe member: one whose path is absolute or
            leads outside the folder, a link or a device. Nothing is unpacked if a member is unsafe.
    """
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as packed:
                for name in packed.namelist():
                    _require_inside(name, archive, folder)
                packed.extractall(folder)
            return
        with tarfile.open(archive) as content:
            for member in content.getmembers():
                _require_inside(member.name, archive, folder)
                if not (member.isfile() or member.isdir()):
                    raise UserError(
                        f"{archive}: member {member.name!r} is neither a file nor a folder; do not trust it"
                    )
            content.extractall(folder, filter="data")
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error) as error:
        raise UserError(
            f"{archive}: expected a whole zip or tar archive, found a damaged or other file ({error}); "
            "download it again"
        ) from None


def _require_inside(name: str, archive: Path, folder: Path) -> None:
    parts = PurePosixPath(name.replace("\\", "/"))
    drive = parts.parts and ":" in parts.parts[0]
    if parts.is_absolute() or drive or ".." in parts.parts:
        raise UserError(
            f"{archive}: member {name!r} would be written outside {folder}; do not trust it"
        )


def fetch_folder(
    url: str,
    folder: Path,
    *,
    files: Sequence[str],
    sha256: str | None = None,
    md5: str | None = None,
    named: str | None = None,
) -> None:
    """Fetch an archive, and move the folder in it that holds `files` to `folder`.

    A complete folder that exists already is left alone, even if it appeared meanwhile.

    Args:
        url: the archive's address.
        folder: where that folder goes.
        files: names of files, or of folders, that the folder must hold.
        sha256: the archive's checksum.
        md5: see `fetch`.
        named: the folder's name in the archive; None: any.

    Raises:
        UserError: as in `fetch` and `unpack`, or no such folder in the archive.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as aside:
        archive, unpacked = Path(aside) / "archive", Path(aside) / "unpacked"
        fetch(url, archive, sha256=sha256, md5=md5)
        unpack(archive, unpacked)
        for first in sorted(unpacked.rglob(files[0])):
            found = first.parents[len(PurePosixPath(files[0]).parts) - 1]
            if named in (None, found.name) and all((found / file).exists() for file in files):
                break
        else:
            wanted = f"a folder {named}" if named else "a folder"
            raise UserError(
                f"{url}: expected {wanted} with {', '.join(files)}, found none; correct source.url"
            )
        try:
            os.rename(found, folder)
        except OSError:
            # Another job may have been faster; an empty folder may have been made beforehand.
            if not all((folder / file).exists() for file in files):
                shutil.copytree(found, folder, dirs_exist_ok=True)


def fetch_files(base: str, folder: Path, *, sha256: Mapping[str, str]) -> None:
    """Fetch several files from one address into `folder`, all of them or none.

    Args:
        base: the address that their names are appended to.
        folder: where they go.
        sha256: the checksum of each file, by its name.

    Raises:
        UserError: as in `fetch`.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as aside:
        for name, checksum in sha256.items():
            fetch(f"{base}/{name}", Path(aside) / name, sha256=checksum)
        folder.mkdir(exist_ok=True)
        for name in sha256:
            os.replace(Path(aside) / name, folder / name)
