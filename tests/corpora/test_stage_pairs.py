"""Corpora of pairs from configuration to files."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from safetensors.numpy import load_file

from attnnn.errors import UserError
from attnnn.study.config import Study, validate
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged, blocks
from attnnn.tables.store import read_table
from tests.corpora import test_babi, test_cnn, test_snli
from tests.support import do


def study_of(folder: Path, corpus: dict[str, Any]) -> Study:
    content = {"results_dir": str(folder / "results"), "corpora_dir": str(folder)}
    return validate({**content, "corpora": {"toy": corpus}}, where="test")


def prepared(folder: Path, corpus: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    do(study_of(folder, corpus), "prepare", "toy")
    where = folder / "results/corpora/toy"
    rows: list[dict[str, Any]] = read_table(where / "documents.parquet", schemas.PAIRS).to_pylist()
    return rows, json.loads((where / "description.json").read_text())


def vocabulary(folder: Path) -> dict[str, tuple[int, int]]:
    table = read_table(folder / "results/corpora/toy/vocabulary.parquet", schemas.VOCABULARY)
    return {row["token"]: (row["id"], row["document_frequency"]) for row in table.to_pylist()}


@pytest.fixture
def snli(tmp_path: Path) -> Path:
    (tmp_path / "snli_1.0").mkdir()
    test_snli.lay_out(tmp_path / "snli_1.0")
    return tmp_path


def test_a_pair_of_texts_from_json_to_a_row(snli: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, description = prepared(snli, {"source": {"kind": "snli"}, "tokenizer": "papers"})
    words = vocabulary(snli)
    assert rows[1] == {
        "document": 1,
        "split": "train",
        "label": 1,
        "tokens": ["a", "premise", "qqq", "."],
        "token_ids": [words[word][0] for word in ("a", "premise", "qqq", ".")],
        "truth": None,
        "question": ["a", "hypothesis", "qqq", "."],
        "question_ids": [words[word][0] for word in ("a", "hypothesis", "qqq", ".")],
        "candidates": None,
        "sentence": None,
        "evidence": None,
    }
    # Premises and hypotheses are texts of their own: 3 training pairs are 6 of them.
    assert words["a"][1] == 6
    assert words["premise"][1] == words["hypothesis"][1] == 3
    assert description["splits"]["dev"]["question_tokens"] == {
        "mean": 4,
        "min": 4,
        "max": 4,
        "unknown": 0,
    }
    assert description["splits"]["dev"]["pos_weight"] is None
    assert description["overlap_with_train"] == {"dev": 3, "test": 3}
    assert "toy: left out of train: 2 documents, no gold label (-)" in capsys.readouterr().err


def test_a_pair_overlaps_with_train_only_if_both_texts_do(snli: Path) -> None:
    path = snli / "snli_1.0/snli_1.0_dev.jsonl"
    path.write_text(path.read_text().replace("A hypothesis 0", "Another premise"))
    _, description = prepared(snli, {"source": {"kind": "snli"}, "tokenizer": "papers"})
    assert description["overlap_with_train"] == {"dev": 2, "test": 3}


def test_evidence_and_sentences_follow_the_tokens(tmp_path: Path) -> None:
    (tmp_path / "tasks_1-20_v1-2/en-10k").mkdir(parents=True)
    test_babi.lay_out(tmp_path / "tasks_1-20_v1-2/en-10k", train=test_babi.STORY * 4)
    rows, description = prepared(tmp_path, {"source": {"kind": "babi", "task": 2}})
    assert [row["split"] for row in rows] == ["train"] * 10 + ["dev"] * 2 + ["test"] * 3
    for row in rows:
        assert len(row["sentence"]) == len(row["evidence"]) == len(row["tokens"])
        stops = np.cumsum([token == "." for token in row["tokens"]])
        assert row["sentence"] == [0, *stops[:-1]]
    milk = next(row for row in rows if row["question"] == ["Where", "is", "the", "milk"])
    told = [token for token, marked in zip(milk["tokens"], milk["evidence"], strict=True) if marked]
    assert " ".join(told) == "John went to the hallway . Daniel took the milk there"
    assert description["classes"][milk["label"]] == "hallway"
    # Case is kept; words of questions count.
    assert {"Where", "Mary"} <= set(vocabulary(tmp_path))
    with pytest.raises(UserError, match="tokenizer papers: babi documents are marked token by"):
        prepared(tmp_path, {"source": {"kind": "babi", "task": 2}, "tokenizer": "papers"})


def test_candidates_are_classes(tmp_path: Path) -> None:
    (tmp_path / "cnn").mkdir()
    test_cnn.lay_out(tmp_path / "cnn", train=test_cnn.spell(test_cnn.RECORDS))
    rows, description = prepared(tmp_path, {"source": {"kind": "cnn"}})
    for row in rows:
        names = [description["classes"][candidate] for candidate in row["candidates"]]
        assert set(names) == {token for token in row["tokens"] if token in description["classes"]}
        assert row["label"] in row["candidates"]
    assert description["dropped"] == [
        {"split": "train", "reason": "the answer is not an entity of the passage", "count": 2}
    ]


def test_the_same_pairs_give_the_same_bytes_in_any_blocks(
    snli: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = {"source": {"kind": "snli"}, "tokenizer": "papers"}
    first, description = prepared(snli, corpus)
    bytes_of = (snli / "results/corpora/toy/documents.parquet").read_bytes
    before = bytes_of()
    assert prepared(snli, corpus)[0] == first
    assert bytes_of() == before
    for module in ("encoded", "vocabulary"):
        monkeypatch.setattr(f"attnnn.corpora.{module}.blocks", lambda lengths: blocks(lengths, 9))
    again, described = prepared(snli, corpus)
    assert again == first
    assert described == description


def test_vectors_are_trained_on_both_texts(snli: Path) -> None:
    embedding = {"kind": "word2vec", "dimension": 4, "epochs": 1}
    corpus = {"source": {"kind": "snli"}, "tokenizer": "papers", "embedding": embedding}
    prepared(snli, corpus)
    do(study_of(snli, corpus), "embed", "toy")
    stored = load_file(snli / "results/corpora/toy/embedding.safetensors")
    assert stored["known"][[number for number, _ in vocabulary(snli).values() if number > 3]].all()


def test_single_texts_have_no_column_of_pairs() -> None:
    assert set(schemas.PAIRS.columns) - set(schemas.DOCUMENTS.columns) == {
        "question",
        "question_ids",
        "candidates",
        "sentence",
        "evidence",
    }
    assert list(schemas.PAIRS.columns)[: len(schemas.DOCUMENTS.columns)] == list(
        schemas.DOCUMENTS.columns
    )


def test_columns_of_lists_read_back_as_ragged(tmp_path: Path) -> None:
    (tmp_path / "cnn").mkdir()
    test_cnn.lay_out(tmp_path / "cnn")
    prepared(tmp_path, {"source": {"kind": "cnn"}})
    table = read_table(tmp_path / "results/corpora/toy/documents.parquet", schemas.PAIRS)
    assert Ragged.from_arrow(table["candidates"]).lengths.tolist() == [2, 2] * 3


def test_memory_of_570_000_pairs_stays_below_2_gib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What preparing takes for every further pair, times their number; blocks are of one size anyway."""
    monkeypatch.setattr("attnnn.corpora.encoded.blocks", lambda lengths: blocks(lengths, 1 << 14))
    monkeypatch.setattr(
        "attnnn.corpora.vocabulary.blocks", lambda lengths: blocks(lengths, 1 << 14)
    )
    peaks = []
    for number in (1_000, 4_000):
        folder = tmp_path / str(number)
        (folder / "snli_1.0").mkdir(parents=True)
        for split, size in (("train", number), ("dev", 3), ("test", 3)):
            with (folder / "snli_1.0" / f"snli_1.0_{split}.jsonl").open("w") as file:
                for row in range(size):
                    label = ("neutral", "entailment", "contradiction")[row % 3]
                    words = " ".join(f"word{(row * place) % 997}" for place in range(1, 15))
                    record = test_snli.pair(label, row, sentence1=words, sentence2=words[:60])
                    file.write(json.dumps(record) + "\n")
        study = study_of(folder, {"source": {"kind": "snli"}})
        tracemalloc.start()
        before = pa.total_allocated_bytes()
        try:
            do(study, "prepare", "toy")
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        assert pa.total_allocated_bytes() == before
    a_pair = (peaks[1] - peaks[0]) / 3_000
    assert a_pair * 570_000 < 1 << 30  # the other GiB is for the interpreter, libraries and a block
