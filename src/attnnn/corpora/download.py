"""Archives from the internet: fetched aside, checked, and unpacked with care."""

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

import pooch
from tqdm import tqdm

from attnnn.errors import UserError
from attnnn.tables.store import written_aside

_CHUNK = 1 << 16
_TIMEOUT = 60  # seconds without a byte


def fetch(url: str, path: Path, *, sha256: str | None = None, md5: str | None = None) -> None:
    """Download a file over http(s); it takes its name only when its checksum is right.

    Args:
        url: the address.
        path: where the file goes.
        sha256: its checksum.
        md5: one of this kind, for files that come with no better one. Without either the file is
            accepted as it comes, and its sha256 is said on stderr.

    Raises:
        UserError: an address of another kind, no connection, or another checksum.
    """
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

    `pooch.retrieve` would compare checksums too, but not say which it found.
    """
    import requests  # slow to import

    # To pooch, a bar without a total is no bar; it puts the real one in place.
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
                f"{url}: cannot be fetched ({error}); get it by hand and unpack it where source.path says"
            ) from None


def _keep_compressed(response: Any, **_: Any) -> None:
    """Some servers call a .gz file an encoding of what is in it, and requests would decompress it."""
    response.raw.headers.discard("content-encoding")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a zip archive or a tar archive, compressed or not, into a folder.

    Raises:
        UserError: neither, or a member whose path is absolute or leads outside the folder, or one that
            is a link or a device; nothing is unpacked then.
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
            f"{archive}: expected a zip or tar archive, whole ({error}); fetch it again"
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
    """Fetch an archive and put the folder in it that holds `files` in place as `folder`.

    A folder that is there already is left alone, even if it appeared meanwhile.

    Args:
        url: the archive's address.
        folder: where its folder goes.
        files: names of files, or of folders, that the folder must hold.
        sha256: the archive's checksum.
        md5: see `fetch`.
        named: the name that the folder has in the archive; None: any.

    Raises:
        UserError: as `fetch` and `unpack`, or no such folder in the archive.
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
            raise UserError(f"{url}: expected {wanted} with {', '.join(files)}, found none")
        try:
            os.rename(found, folder)
        except OSError:
            # Another job may have been faster; an empty folder may have been made beforehand.
            if not all((folder / file).exists() for file in files):
                shutil.copytree(found, folder, dirs_exist_ok=True)


def fetch_files(base: str, folder: Path, *, sha256: Mapping[str, str]) -> None:
    """Fetch files of an address, all of them or none, into `folder`.

    Args:
        base: the address that the names are appended to.
        folder: where they go.
        sha256: their names, with the checksum of each.

    Raises:
        UserError: as `fetch`.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as aside:
        for name, checksum in sha256.items():
            fetch(f"{base}/{name}", Path(aside) / name, sha256=checksum)
        folder.mkdir(exist_ok=True)
        for name in sha256:
            os.replace(Path(aside) / name, folder / name)
