"""Word vectors from which models start: read from a file, or trained on the corpus itself."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from attnnn.corpora.files import telling_faults
from attnnn.corpora.vocabulary import SPECIAL, UNKNOWN
from attnnn.errors import UserError
from attnnn.tables.ragged import Ragged

Vectors = tuple[NDArray[np.float32], NDArray[np.bool_]]

_HEADER = re.compile(rb"(\d+) (\d+)")
_LONGEST_SENTENCE = 10_000  # gensim silently cuts what is longer


def read_vectors(path: Path, vocabulary: list[str], *, dimension: int) -> Vectors:
    """Read the vectors of a vocabulary from a file in word2vec text format.

    The first line ``words width`` is optional. Entries of several words (GloVe has some) cannot be tokens
    and are skipped. If a word has several vectors, the first one counts.

    Args:
        path: a text file, plain or .gz.
        vocabulary: the words by id; the special symbols, which come first, are not looked up.
        dimension: the width of a vector.

    Returns:
        The vectors, shape (V, dimension), zero for words that the file lacks; and which it has, shape (V,).

    Raises:
        UserError: a line of another width, or with anything but numbers after the word.
    """
    rows = {word.encode(): row for row, word in enumerate(vocabulary) if row >= len(SPECIAL)}
    vectors = np.zeros((len(vocabulary), dimension), dtype=np.float32)
    known = np.zeros(len(vocabulary), dtype=np.bool_)
    with _lines(path) as lines:
        progress = tqdm(lines, desc=f"vectors {path.name}", unit=" words", disable=None)
        for number, line in enumerate(progress, start=1):
            parsed = _parse(path, number, line, dimension)
            if parsed is None:
                continue
            word, numbers = parsed
            row = rows.get(word)
            if row is None or known[row]:
                continue
            vectors[row] = _floats(path, number, numbers)
            known[row] = True
    return vectors, known


def require_width(path: Path, *, dimension: int, lines: int = 8) -> None:
    """Check the first lines of a file of vectors.

    Raises:
        UserError: no such file, or as in `read_vectors`.
    """
    if not path.is_file():
        raise UserError(f"{path}: no such file; set embedding.path or corpora_dir")
    with _lines(path) as opened:
        number = 0
        for number, line in enumerate(islice(opened, lines), start=1):
            parsed = _parse(path, number, line, dimension)
            if parsed is not None:
                _floats(path, number, parsed[1])
        if number == 0:
            raise UserError(
                f"{path}: expected word vectors, found an empty file; set embedding.path"
            )


def train_vectors(
    documents: Ragged,
    vocabulary: list[str],
    *,
    dimension: int,
    window: int,
    epochs: int,
    seed: int = 1,
) -> Vectors:
    """Train vectors by word2vec (CBOW, as Jain & Wallace 2019 do for MIMIC) on the given documents.

    With one worker and a hash that is the same in all processes, the same input gives the same bytes.
    Padding, start and end have no vector; the unknown word has one if the documents hold it.

    Args:
        documents: vocabulary ids of the tokens of the training split.
        vocabulary: the words by id.
        dimension: the width of a vector.
        window: words of context on each side.
        epochs: passes over the documents.
        seed: of the initial vectors and the negative samples.

    Returns:
        As `read_vectors`.
    """
    from gensim.models import Word2Vec  # slow to import

    model = Word2Vec(
        sentences=_Sentences(documents),
        vector_size=dimension,
        window=window,
        epochs=epochs,
        min_count=1,
        seed=seed,
        workers=1,
        hashfxn=_stable_hash,
    )
    vectors = np.zeros((len(vocabulary), dimension), dtype=np.float32)
    known = np.zeros(len(vocabulary), dtype=np.bool_)
    ids = np.array([int(word) for word in model.wv.index_to_key], dtype=np.int64)
    vectors[ids] = model.wv.vectors
    known[ids] = True
    assert not known[:UNKNOWN].any()
    return vectors, known


class _Sentences:
    """Documents as gensim reads them, once per pass: lists of ids as text."""

    def __init__(self, documents: Ragged) -> None:
        self.documents = documents

    def __iter__(self) -> Iterator[list[str]]:
        for ids in self.documents:
            words = [str(number) for number in ids.tolist()]
            for start in range(0, len(words), _LONGEST_SENTENCE):
                yield words[start : start + _LONGEST_SENTENCE]


def _stable_hash(word: str) -> int:
    return zlib.crc32(word.encode())


@contextmanager
def _lines(path: Path) -> Iterator[Iterable[bytes]]:
    """The lines as bytes: most words need no decoding, and only a line feed ends a line."""
    with (
        telling_faults(path),
        gzip.open(path) if path.suffix == ".gz" else path.open("rb") as opened,
    ):
        yield opened


def _parse(
    path: Path, number: int, line: bytes, dimension: int
) -> tuple[bytes, list[bytes]] | None:
    """The word and its numbers; None for a header and for entries of several words."""
    line = line.rstrip(b" \r\n")
    spaces = line.count(b" ")
    header = _HEADER.fullmatch(line) if number == 1 else None
    if header is not None and dimension != 1:
        if int(header[2]) != dimension:
            raise _wrong_width(path, number, int(header[2]), dimension)
        return None
    fields = line.split(b" ")
    if spaces > dimension and not all(map(_is_number, fields[1:-dimension])):
        return None
    if spaces != dimension:
        raise _wrong_width(path, number, spaces, dimension)
    return fields[0], fields[1:]


def _wrong_width(path: Path, number: int, found: int, expected: int) -> UserError:
    return UserError(
        f"{path}: line {number}: expected a word and {expected} numbers (embedding.dimension), found "
        f"{found} numbers; set embedding.dimension to the width of the file, or choose another file"
    )


def _floats(path: Path, number: int, fields: list[bytes]) -> NDArray[np.float32]:
    try:
        values = np.array([float(field) for field in fields], dtype=np.float32)
    except ValueError as error:
        raise UserError(
            f"{path}: line {number}: expected numbers after the word ({error}); correct that line"
        ) from None
    if not np.isfinite(values).all():
        raise UserError(
            f"{path}: line {number}: expected finite numbers after the word; correct that line"
        )
    return values


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
