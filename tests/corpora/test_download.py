"""Fetching and unpacking, against a server of our own."""

import hashlib
import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from attnnn.corpora.download import fetch, fetch_files, fetch_folder, unpack
from attnnn.corpora.fetching import fetch_source
from attnnn.errors import UserError
from attnnn.study.sources import (
    AgNewsSource,
    BabiSource,
    ImdbSource,
    NewsgroupsSource,
    SnliSource,
    SstSource,
)
from attnnn.study.sources.base import SourceModel

FILES = ("train.txt", "dev.txt", "test.txt")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def served(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[str, Path]]:
    """An address and the folder that it serves; the parameter is another handler of requests."""
    handler = getattr(request, "param", _Quiet)
    folder = tmp_path / "served"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
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


def tarball(*members: tarfile.TarInfo, **files: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as file:
        for member in members:
            file.addfile(member)
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            file.addfile(member, io.BytesIO(content.encode()))
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
    with pytest.raises(UserError, match=r"gone.zip: cannot be fetched \(404 Client Error"):
        fetch(f"{served[0]}/gone.zip", tmp_path / "x", sha256="")
    with pytest.raises(UserError, match=r"expected an http\(s\) address, found file:"):
        fetch("file:///etc/hostname", tmp_path / "x", sha256="")
    assert not (tmp_path / "x").exists()


def test_a_checksum_of_the_older_kind(served: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = served
    (folder / "a.txt").write_text("text")
    fetch(f"{url}/a.txt", tmp_path / "x", md5=hashlib.md5(b"text").hexdigest())
    assert (tmp_path / "x").read_text() == "text"
    with pytest.raises(UserError, match=r"expected md5 0{32}, found 1cb251.* source.md5"):
        fetch(f"{url}/a.txt", tmp_path / "y", md5="0" * 32)


def test_a_file_without_a_checksum_is_taken_and_its_own_is_said(
    served: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, folder = served
    (folder / "a.txt").write_text("text")
    fetch(f"{url}/a.txt", tmp_path / "x")
    assert f"sha256 {digest(b'text')}: set source.sha256 to it" in capsys.readouterr().err


class _Faulty(_Quiet):
    """Says that files are twice as long as they are, or that a .gz is what its content is encoded in."""

    def end_headers(self) -> None:
        if self.path.endswith(".gz"):
            self.send_header("Content-Encoding", "x-gzip")
        super().end_headers()

    def send_header(self, keyword: str, value: str) -> None:
        longer = keyword == "Content-Length" and self.path.endswith(".txt")
        super().send_header(keyword, str(2 * int(value)) if longer else value)


@pytest.mark.parametrize("served", [_Faulty], indirect=True)
def test_half_a_file_is_refused_where_no_checksum_tells(
    served: tuple[str, Path], tmp_path: Path
) -> None:
    url, folder = served
    (folder / "a.txt").write_text("half")
    (tmp_path / "new").mkdir()
    with pytest.raises(UserError, match=r"a.txt: cannot be fetched \(.*4 bytes read"):
        fetch(f"{url}/a.txt", tmp_path / "new" / "x")
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize("served", [_Faulty], indirect=True)
def test_a_compressed_file_comes_as_it_is(served: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = served
    data = tarball(**{"a.txt": "text"})
    (folder / "a.tar.gz").write_bytes(data)
    fetch(f"{url}/a.tar.gz", tmp_path / "x", sha256=digest(data))
    assert (tmp_path / "x").read_bytes() == data


def test_an_address_that_nobody_listens_at(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"127.0.0.1:9/a: cannot be fetched \(.* download it by hand"
    ) as e:
        fetch("http://127.0.0.1:9/a", tmp_path / "x", sha256="")
    assert "\n" not in str(e.value)


def test_several_files_come_all_or_none(served: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = served
    for name in ("a", "b"):
        (folder / f"{name}.csv").write_text(name)
    target = tmp_path / "corpora" / "news"
    with pytest.raises(UserError, match=r"b.csv: expected sha256"):
        fetch_files(url, target, sha256={"a.csv": digest(b"a"), "b.csv": digest(b"x")})
    assert list(target.parent.iterdir()) == []
    fetch_files(url, target, sha256={"a.csv": digest(b"a"), "b.csv": digest(b"b")})
    assert {file.name: file.read_text() for file in target.iterdir()} == {
        "a.csv": "a",
        "b.csv": "b",
    }


def sources(address: str) -> dict[str, tuple[SourceModel, bytes, list[str]]]:
    """Sources at an address, the archive each expects there, and the files it is laid out as."""
    trees_only = {f"trees/{name}": "(3 x)" for name in FILES}
    reviews = {f"aclImdb/{s}/{c}/0_1.txt": "x" for s in ("train", "test") for c in ("neg", "pos")}
    sports = ("rec.sport.baseball", "rec.sport.hockey")
    groups = {f"20news-bydate-{part}/{s}/1": "x" for part in ("train", "test") for s in sports}
    pairs = {f"snli_1.0/snli_1.0_{split}.jsonl": "{}" for split in ("train", "dev", "test")}
    made: dict[str, tuple[type[SourceModel], bytes, str, list[str]]] = {
        "sst": (SstSource, archive(**trees_only), "sha256", list(FILES)),
        "imdb": (
            ImdbSource,
            tarball(**reviews),
            "md5",
            [name.removeprefix("aclImdb/") for name in reviews],
        ),
        "20news": (NewsgroupsSource, tarball(**groups), "sha256", list(groups)),
        "snli": (
            SnliSource,
            archive(**pairs, **{"__MACOSX/snli_1.0/._x": ""}),
            "sha256",
            [name.removeprefix("snli_1.0/") for name in pairs],
        ),
    }
    return {
        kind: (
            model.model_validate(
                {
                    "kind": kind,
                    "download": True,
                    "url": f"{address}/{kind}",
                    checksum: hashlib.new(checksum, data).hexdigest(),
                }
            ),
            data,
            files,
        )
        for kind, (model, data, checksum, files) in made.items()
    }


@pytest.mark.parametrize("kind", ["sst", "imdb", "20news", "snli"])
def test_sources_are_laid_out_as_they_are_read(
    served: tuple[str, Path], tmp_path: Path, kind: str
) -> None:
    url, folder = served
    source, data, files = sources(url)[kind]
    (folder / kind).write_bytes(data)
    fetch_source(source, tmp_path / "corpora" / kind)
    target = tmp_path / "corpora" / kind
    found = [file.relative_to(target).as_posix() for file in target.rglob("*") if file.is_file()]
    assert sorted(found) == sorted(files)


def test_ag_news_is_two_files(served: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = served
    for split in ("train", "test"):
        (folder / f"{split}.csv").write_text(split)
    sums = {split: digest(split.encode()) for split in ("train", "test")}
    source = AgNewsSource(kind="ag_news", download=True, url=url, sha256=sums)
    fetch_source(source, tmp_path / "ag_news_csv")
    assert [(tmp_path / file).read_text() for file in source.files()] == ["train", "test"]


def test_babi_is_the_folder_of_that_name_among_others_with_the_same_files(
    served: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, folder = served
    path = "tasks_1-20_v1-2/en-10k"
    source = BabiSource(kind="babi", task=1, path=path, download=True, url=f"{url}/babi.tar.gz")
    names = [Path(file).name for file in source.files()]
    members = {
        f"tasks_1-20_v1-2/{name}/{file}": name for name in ("en", "en-10k", "hn") for file in names
    }
    (folder / "babi.tar.gz").write_bytes(tarball(**members))
    fetch_source(source, tmp_path / path)
    assert {file.name: file.read_text() for file in (tmp_path / path).iterdir()} == dict.fromkeys(
        names, "en-10k"
    )
    assert "no checksum is published; the file's own is sha256" in capsys.readouterr().err
    elsewhere = source.model_copy(update={"path": "babi/en-1k"})
    with pytest.raises(UserError, match="expected a folder en-1k with qa1_single-supporting"):
        fetch_source(elsewhere, tmp_path / elsewhere.path)


@pytest.mark.parametrize("name", ["../out.txt", "/out.txt", "a/../../out.txt"])
def test_tar_members_that_lead_outside_are_refused_too(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.tar.gz").write_bytes(tarball(**{"fine.txt": "x", name: "y"}))
    with pytest.raises(UserError, match="would be written outside"):
        unpack(tmp_path / "a.tar.gz", tmp_path / "in")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.gz"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_tar_members_that_are_no_files_are_refused(tmp_path: Path, kind: bytes) -> None:
    member = tarfile.TarInfo("link")
    member.type, member.linkname = kind, "/etc/hostname"
    (tmp_path / "a.tar.gz").write_bytes(tarball(member, **{"fine.txt": "x"}))
    with pytest.raises(UserError, match="'link' is neither a file nor a folder"):
        unpack(tmp_path / "a.tar.gz", tmp_path / "in")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.gz"]


def test_half_a_tar_archive(tmp_path: Path) -> None:
    data = tarball(**{"a.txt": "".join(map(chr, range(32, 1000)))})
    (tmp_path / "a.tar.gz").write_bytes(data[: len(data) // 2])
    with pytest.raises(UserError, match="expected a whole zip or tar archive"):
        unpack(tmp_path / "a.tar.gz", tmp_path / "in")


@pytest.mark.parametrize(
    "name", ["../out.txt", "/out.txt", "a/../../out.txt", "C:/out.txt", "..\\o"]
)
def test_members_that_lead_outside_are_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "a.zip").write_bytes(archive(**{"fine.txt": "x", name: "y"}))
    with pytest.raises(UserError, match="would be written outside"):
        unpack(tmp_path / "a.zip", tmp_path / "in")
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]


def test_something_else_than_a_zip_archive(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_text("<html>not found</html>")
    with pytest.raises(UserError, match="expected a whole zip or tar archive"):
        unpack(tmp_path / "a.zip", tmp_path / "in")


def test_a_damaged_zip_archive_is_refused_in_one_line(tmp_path: Path) -> None:
    archive = tmp_path / "corpus.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("train.txt", "a text of some length")
    damaged = archive.read_bytes().replace(b"some length", b"SOME LENGTH")
    archive.write_bytes(damaged)
    with pytest.raises(UserError, match=r"whole .*download it again"):
        unpack(archive, tmp_path / "corpus")
