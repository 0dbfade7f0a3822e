"""Fetching and unpacking, against a server of our own."""

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from attnnn.corpora.download import fetch, fetch_folder, unpack_zip
from attnnn.errors import UserError

FILES = ("train.txt", "dev.txt", "test.txt")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """An address and the folder that it serves."""
    folder = tmp_path / "served"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", folder
    server.shutdown()
    server.server_close()
    thread.join()


def archive(**members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return buffer.getvalue()


def trees() -> bytes:
    return archive(**{f"trees/{name}": f"(3 {name})\n" for name in FILES}, README="read me")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_folder_inside_an_archive_is_put_in_place(
    served: tuple[str, Path], tmp_path: Path
) -> None:
    url, folder = served
    (folder / "a.zip").write_bytes(trees())
    target = tmp_path / "corpora" / "sst" / "trees"
    fetch_folder(f"{url}/a.zip", target, sha256=digest(trees()), files=FILES)
    assert sorted(path.name for path in target.iterdir()) == sorted(FILES)
    assert (target / "dev.txt").read_text() == "(3 dev.txt)\n"
    assert [path.name for path in target.parent.iterdir()] == ["trees"]  # nothing left behind


def test_another_checksum_is_refused_and_nothing_stays(
    served: tuple[str, Path], tmp_path: Path
) -> None:
    url, folder = served
    (folder / "a.zip").write_bytes(trees())
    with pytest.raises(UserError, match=r"a.zip: expected sha256 0{64}, found " + digest(trees())):
        fetch_folder(f"{url}/a.zip", tmp_path / "sst" / "trees", sha256="0" * 64, files=FILES)
    assert list((tmp_path / "sst").iterdir()) == []


def test_an_archive_without_the_files_is_refused(served: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = served
    data = archive(**{"trees/train.txt": ""})
    (folder / "a.zip").write_bytes(data)
    with pytest.raises(UserError, match=r"expected a folder with train\.txt, dev\.txt"):
        fetch_folder(f"{url}/a.zip", tmp_path / "trees", sha256=digest(data), files=FILES)


def test_addresses_that_do_not_answer_or_are_of_another_kind(
    served: tuple[str, Path], tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=r"gone.zip: cannot be fetched \(HTTP Error 404"):
        fetch(f"{served[0]}/gone.zip", tmp_path / "x", sha256="")
    with pytest.raises(UserError, match=r"expected an http\(s\) address, found file:"):
        fetch("file:///etc/hostname", tmp_path / "x", sha256="")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    "name", ["../out.txt", "/out.txt", "a/../../out.txt", "C:/out.txt", "..\\o"]
)
def test_members_that_lead_outside_are_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "a.zip").write_bytes(archive(**{"fine.txt": "x", name: "y"}))
    with pytest.raises(UserError, match="would be written outside"):
        unpack_zip(tmp_path / "a.zip", tmp_path / "in")
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]


def test_something_else_than_a_zip_archive(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_text("<html>not found</html>")
    with pytest.raises(UserError, match="expected a zip archive"):
        unpack_zip(tmp_path / "a.zip", tmp_path / "in")
