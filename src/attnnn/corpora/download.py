"""Archives from the internet: fetched aside, checked, and unpacked with care."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path, PurePosixPath

from tqdm import tqdm

from attnnn.errors import UserError
from attnnn.store import written_aside

_CHUNK = 1 << 16
_TIMEOUT = 60  # seconds without a byte


def fetch(url: str, path: Path, *, sha256: str) -> None:
    """Download a file over http(s); it takes its name only when its checksum is right.

    Raises:
        UserError: an address of another kind, no connection, or another checksum.
    """
    if not url.startswith(("https://", "http://")):
        raise UserError(f"source.url: expected an http(s) address, found {url}")
    digest = hashlib.sha256()
    with written_aside(path) as aside:
        try:
            with (
                urllib.request.urlopen(url, timeout=_TIMEOUT) as answer,
                aside.open("wb") as file,
                tqdm(desc=url, unit="B", unit_scale=True, disable=None) as progress,
            ):
                while chunk := answer.read(_CHUNK):
                    digest.update(chunk)
                    file.write(chunk)
                    progress.update(len(chunk))
        except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as error:
            raise UserError(
                f"{url}: cannot be fetched ({error}); get it by hand and unpack it where source.path says"
            ) from None
        if digest.hexdigest() != sha256.lower():
            raise UserError(
                f"{url}: expected sha256 {sha256}, found {digest.hexdigest()}: the file has changed or was "
                "damaged on its way; fetch it again, or mend source.sha256 if you trust it"
            )


def unpack_zip(archive: Path, folder: Path) -> None:
    """Unpack a zip archive into a folder.

    Raises:
        UserError: not a zip archive, or a member whose path is absolute or leads outside the folder;
            nothing is unpacked then.
    """
    try:
        with zipfile.ZipFile(archive) as content:
            for name in content.namelist():
                parts = PurePosixPath(name.replace("\\", "/"))
                drive = parts.parts and ":" in parts.parts[0]
                if parts.is_absolute() or drive or ".." in parts.parts:
                    raise UserError(
                        f"{archive}: member {name!r} would be written outside {folder}; do not trust it"
                    )
            content.extractall(folder)
    except zipfile.BadZipFile as error:
        raise UserError(f"{archive}: expected a zip archive ({error}); fetch it again") from None


def fetch_folder(url: str, folder: Path, *, sha256: str, files: Sequence[str]) -> None:
    """Fetch a zip archive and put the folder in it that holds `files` in place as `folder`.

    A folder that is there already is left alone, even if it appeared meanwhile.

    Raises:
        UserError: as `fetch` and `unpack_zip`, or no such folder in the archive.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as aside:
        archive, unpacked = Path(aside) / "archive.zip", Path(aside) / "unpacked"
        fetch(url, archive, sha256=sha256)
        unpack_zip(archive, unpacked)
        for found in sorted(path.parent for path in unpacked.rglob(files[0])):
            if all((found / file).is_file() for file in files):
                break
        else:
            raise UserError(f"{url}: expected a folder with {', '.join(files)}, found none")
        try:
            os.rename(found, folder)
        except OSError:
            # Another job may have been faster; an empty folder may have been made beforehand.
            if not all((folder / file).is_file() for file in files):
                shutil.copytree(found, folder, dirs_exist_ok=True)
