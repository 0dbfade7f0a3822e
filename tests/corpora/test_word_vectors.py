"""Vectors from text files and from word2vec."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attnnn.corpora.word_vectors import read_vectors, require_width, train_vectors
from attnnn.errors import UserError
from attnnn.tables.ragged import Ragged

VOCABULARY = ["<0>", "<UNK>", "<SOS>", "<EOS>", "a", "b", "é"]
LINES = "b 1 2 3\nzzz 7 8 9\né -1 0.5 2e-1 \n<UNK> 1 1 1\nb 9 9 9\n"


def write(path: Path, text: str) -> Path:
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize("name", ["v.vec", "v.txt", "v.vec.gz", "v.txt.gz"])
@pytest.mark.parametrize("header", ["", "5 3\n"])
def test_rows_of_known_words_and_zero_for_the_others(
    tmp_path: Path, name: str, header: str
) -> None:
    vectors, known = read_vectors(write(tmp_path / name, header + LINES), VOCABULARY, dimension=3)
    expected = np.zeros((7, 3), np.float32)
    expected[5], expected[6] = [1, 2, 3], [-1, 0.5, 0.2]
    np.testing.assert_array_equal(vectors, expected)
    assert vectors.dtype == np.float32
    assert known.tolist() == [False] * 5 + [True, True]


def test_words_of_several_words_are_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path / "glove.txt", ". . . 1 2 3\nat name@domain.com 1 2 3\na 4 5 6\n")
    vectors, known = read_vectors(path, VOCABULARY, dimension=3)
    assert vectors[4].tolist() == [4, 5, 6]
    assert known.sum() == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 4\na 1 2 3 4\n", r"line 1: expected a word and 3 numbers .* found 4 numbers"),
        ("a 1 2\n", r"line 1: .* found 2 numbers; set embedding.dimension"),
        ("a 1 2 3 4\n", r"line 1: .* found 4 numbers"),
        ("zzz 1 2 3\nyyy 1 2 3 4\n", r"line 2: .* found 4 numbers"),
        ("2 3\na 1 2 3\n\n", r"line 3: .* found 0 numbers"),
        ("a 1 x 3\n", r"line 1: expected numbers after the word"),
        ("a 1 nan 3\n", r"line 1: expected finite numbers"),
    ],
)
def test_wrong_width_or_content_is_refused_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    path = write(tmp_path / "v.vec", text)
    with pytest.raises(UserError, match=message):
        read_vectors(path, VOCABULARY, dimension=3)
    with pytest.raises(UserError, match=message):
        require_width(path, dimension=3)


def test_the_quick_look_reads_the_head_only(tmp_path: Path) -> None:
    path = write(tmp_path / "v.vec", "a 1 2 3\n" * 20 + "a 1\n")
    require_width(path, dimension=3)
    with pytest.raises(UserError, match="line 21"):
        read_vectors(path, VOCABULARY, dimension=3)


def test_missing_empty_and_truncated_files(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no such file; set embedding\.path"):
        require_width(tmp_path / "gone.vec", dimension=3)
    with pytest.raises(UserError, match="found an empty file"):
        require_width(write(tmp_path / "v.vec", ""), dimension=3)
    (tmp_path / "v.vec.gz").write_bytes(gzip.compress(LINES.encode() * 999)[:-20])
    with pytest.raises(UserError, match="expected a whole gzip file"):
        read_vectors(tmp_path / "v.vec.gz", VOCABULARY, dimension=3)


def documents() -> Ragged:
    """Words 4 and 5 share their neighbours (7, 8), word 6 has others (9, 10)."""
    rng = np.random.default_rng(0)
    lists = []
    for _ in range(300):
        word = int(rng.integers(4, 7))
        near = [9, 10] if word == 6 else [7, 8]
        lists.append([*rng.choice(near, 3).tolist(), word, *rng.choice(near, 3).tolist()])
    return Ragged.from_lists(lists, np.int32)


def test_word2vec_brings_words_with_the_same_neighbours_together() -> None:
    vocabulary = [f"w{number}" for number in range(12)]
    vectors, known = train_vectors(documents(), vocabulary, dimension=8, window=3, epochs=30)
    assert known.tolist() == [False] * 4 + [True] * 7 + [False]
    assert not vectors[~known].any()
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    assert unit[4] @ unit[5] > unit[4] @ unit[6]


def test_a_document_longer_than_gensim_takes_is_trained_on_whole() -> None:
    ids = np.full(10_050, 4, np.int32)
    ids[-1] = 5  # lost if the document were cut at 10,000 words
    _, known = train_vectors(
        Ragged.from_lists([ids]), ["", "", "", "", "a", "b"], dimension=2, window=2, epochs=1
    )
    assert known.tolist() == [False] * 4 + [True, True]


def test_word2vec_gives_the_same_bytes_under_any_hash_seed() -> None:
    program = (
        "import numpy as np; from attnnn.corpora.word_vectors import train_vectors\n"
        "from attnnn.tables.ragged import Ragged\n"
        "d = Ragged.from_lists(np.random.default_rng(1).integers(4, 30, (40, 9)).astype('int32'))\n"
        "v, _ = train_vectors(d, ['']*30, dimension=5, window=2, epochs=2)\n"
        "print(v.tobytes().hex())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
