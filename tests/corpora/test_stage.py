"""The corpora stage from configuration to files."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import load_file

from attnnn.dag.workflow import check_files
from attnnn.errors import UserError
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import read_table
from tests.corpora.toy import PLANTED, ROWS, description, reviews, study_of, written
from tests.support import do

TREES = ["(3 (2 A) (4 (3 good) (3 (2 film) (2 .))))", "(2 Neutral)", "(1 (1 Dull) (2 -LRB-))"]


def test_documents_are_numbered_in_order_of_splits_and_keep_their_tokens(tmp_path: Path) -> None:
    study = study_of(tmp_path, reviews(tmp_path, ROWS))
    do(study, "prepare", "toy")
    documents = read_table(written(tmp_path, "documents.parquet"), schemas.DOCUMENTS).to_pylist()
    found = [
        (row["document"], row["split"], row["label"], " ".join(row["tokens"])) for row in documents
    ]
    assert found == [
        (0, "train", 0, "no film at all"),
        (1, "train", 1, "a film"),
        (2, "dev", 0, "no no"),
        (3, "dev", 1, "film film film"),
        (4, "test", 1, "what a film"),
        (5, "test", 0, "a film"),
    ]
    vocabulary = read_table(written(tmp_path, "vocabulary.parquet"), schemas.VOCABULARY)
    assert vocabulary["token"].to_pylist()[4:] == ["a", "all", "at", "film", "no"]
    assert vocabulary["document_frequency"].to_pylist() == [0, 0, 0, 0, 1, 1, 1, 2, 1]
    assert vocabulary["id"].to_pylist() == list(range(9))
    assert documents[4]["token_ids"] == [1, 4, 7]  # "what" is not in train
    assert all(row["truth"] is None for row in documents)


def test_description_of_a_small_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = study_of(tmp_path, reviews(tmp_path, [*ROWS, ("train", "neg", "bad bad")]))
    do(study, "prepare", "toy")
    content = description(tmp_path)
    assert content["classes"] == ["neg", "pos"]
    assert content["splits"]["train"] == {
        "documents": 3,
        "per_class": {"neg": 2, "pos": 1},
        "tokens": {"mean": 8 / 3, "min": 2, "max": 4, "unknown": 0},
        "pos_weight": 2.0,
    }
    assert content["splits"]["test"]["tokens"]["unknown"] == 1
    assert content["overlap_with_train"] == {"dev": 0, "test": 1}
    assert content["vocabulary"] == {"size": 10, "fitted_on": "train", "documents": 3, "min_df": 1}
    assert content["made_splits"] is None
    told = capsys.readouterr().err
    assert "toy: train 3, dev 2, test 2 documents, 10 vocabulary entries" in told
    assert "1 test documents read like a training document" in told


def test_made_splits_and_dropped_documents_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("", str(n % 2), " ".join(["word"] * (1 + n // 2))) for n in range(60)]
    corpus = reviews(tmp_path, rows)
    corpus["source"]["split"] = None
    do(study_of(tmp_path, {**corpus, "min_length": 4}), "prepare", "toy")
    content, told = description(tmp_path), capsys.readouterr().err
    assert content["made_splits"].startswith("made from train, stratified by class, seed 1")
    assert "splits made from train, stratified by class, seed 1" in told
    assert sum(item["count"] for item in content["dropped"]) == 6
    assert {item["reason"] for item in content["dropped"]} == {"fewer than 4 tokens"}
    assert sum(split["documents"] for split in content["splits"].values()) == 54


def test_the_vocabulary_counts_the_documents_that_the_switch_says(tmp_path: Path) -> None:
    corpus = reviews(tmp_path, ROWS)
    sizes = []
    for fitted_on in ("train", "all"):
        do(study_of(tmp_path, {**corpus, "switches": {"vocab_fit": fitted_on}}), "prepare", "toy")
        sizes.append(description(tmp_path)["vocabulary"]["size"])
    assert sizes == [9, 10]


def test_planted_truth_is_kept_token_by_token(tmp_path: Path) -> None:
    do(study_of(tmp_path, {"source": PLANTED}), "prepare", "toy")
    table = read_table(written(tmp_path, "documents.parquet"), schemas.DOCUMENTS)
    truth, ids = Ragged.from_arrow(table["truth"]), Ragged.from_arrow(table["token_ids"])
    assert truth.lengths.tolist() == ids.lengths.tolist()
    assert set(truth.sums()) == {3.0}  # two cues and a negator
    assert table["document"].to_pylist() == list(range(62))


@pytest.mark.parametrize("kind", ["planted", "table"])
def test_the_same_study_gives_the_same_bytes(tmp_path: Path, kind: str) -> None:
    corpus = {"source": PLANTED} if kind == "planted" else reviews(tmp_path, ROWS)
    study = study_of(tmp_path, corpus)
    found = []
    for _ in range(2):
        do(study, "prepare", "toy")
        files = ("documents.parquet", "vocabulary.parquet", "description.json")
        found.append([written(tmp_path, file).read_bytes() for file in files])
    assert found[0] == found[1]


def test_sst_from_trees_to_documents(tmp_path: Path) -> None:
    folder = tmp_path / "sst" / "trees"
    folder.mkdir(parents=True)
    for split in ("train", "dev", "test"):
        (folder / f"{split}.txt").write_text("\n".join(TREES) + "\n")
    study = study_of(tmp_path, {"source": {"kind": "sst"}, "tokenizer": "sst"})
    check_files(study)
    do(study, "prepare", "toy")
    table = read_table(written(tmp_path, "documents.parquet"), schemas.DOCUMENTS)
    assert table["tokens"].to_pylist() == [["a", "good", "film"], ["dull"]] * 3
    assert table["label"].to_pylist() == [1, 0] * 3
    assert [item["count"] for item in description(tmp_path)["dropped"]] == [1, 1, 1]


def test_prepared_documents_carry_what_made_them(tmp_path: Path) -> None:
    do(study_of(tmp_path, {"source": PLANTED}), "prepare", "toy")
    metadata = pq.read_metadata(written(tmp_path, "documents.parquet")).metadata
    assert json.loads(metadata[b"attnnn"])["settings"]["source"]["regime"] == "context"


# Faults of the data, found by prepare


@pytest.mark.parametrize(
    ("rows", "settings", "message"),
    [
        (
            [*ROWS, ("train", "pos", "  ")],
            {},
            r"^corpus toy: .*reviews.jsonl: line 7: expected at least one token .* found none \(1 such",
        ),
        ([*ROWS, ("train", "pos", "?!")], {"tokenizer": "sst"}, r"line 7: expected at least one"),
        ([*ROWS, ("spare", "pos", "a")], {}, r"line 7: column 'split': expected .* found 'spare'"),
        (ROWS[1:4], {}, r"a test split of 1 documents cannot be drawn"),
        (ROWS, {"min_length": 50}, r"reviews.jsonl: split train is empty"),
        (ROWS, {"max_length": 2}, r"split train has no document of class 'neg' among its 1"),
        ([row for row in ROWS if row[0] == "train" or row[1] == "pos"], {}, r"split dev has no"),
        (
            [(s, "x", t) for s, _, t in ROWS],
            {},
            r"expected 2 classes, found 1 \(x\); name another column",
        ),
        (ROWS, {"protocol": "wiegreffe-pinter", "min_length": 3}, r"split train"),
    ],
)
def test_faulty_data_is_refused_and_nothing_is_written(
    tmp_path: Path, rows: list[tuple[str, str, str]], settings: dict[str, Any], message: str
) -> None:
    study = study_of(tmp_path, {**reviews(tmp_path, rows), **settings})
    with pytest.raises(UserError, match=message) as caught:
        do(study, "prepare", "toy")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "results").exists()


def test_a_document_without_tokens_is_counted_where_the_length_filter_drops_it(
    tmp_path: Path,
) -> None:
    corpus = reviews(tmp_path, [*ROWS, ("train", "pos", "")])
    do(study_of(tmp_path, {**corpus, "min_length": 1}), "prepare", "toy")
    (dropped,) = description(tmp_path)["dropped"]
    assert dropped == {"split": "train", "reason": "fewer than 1 tokens", "count": 1}


def test_a_protocol_that_selects_on_dev_needs_one(tmp_path: Path) -> None:
    rows = [row for row in ROWS if row[0] != "dev"]
    undivided = {**reviews(tmp_path, rows), "switches": {"train_part": "undivided"}}
    study = study_of(tmp_path, undivided)
    with pytest.raises(
        UserError, match=r"expected a dev split to select on \(switches: select_split"
    ):
        check_files(study)
    test_selected = {"select_split": "test", "lambda_select": "test", "adv_select": "train_loss"}
    undivided["switches"] |= test_selected
    check_files(study_of(tmp_path, undivided))
    do(study_of(tmp_path, undivided), "prepare", "toy")
    assert "dev" not in description(tmp_path)["splits"]


# Vectors


def test_vectors_from_a_file_and_from_word2vec(tmp_path: Path) -> None:
    corpus = reviews(tmp_path, ROWS)
    (tmp_path / "v.vec").write_text("2 2\nfilm 1 2\nelsewhere 3 4\n")
    from_file = {"embedding": {"kind": "file", "path": "v.vec", "dimension": 2}}
    do(study_of(tmp_path, corpus | from_file), "prepare", "toy")
    do(study_of(tmp_path, corpus | from_file), "embed", "toy")
    stored = load_file(written(tmp_path, "embedding.safetensors"))
    assert stored["embedding"].dtype == np.float32
    assert stored["embedding"].tolist() == [[0, 0]] * 7 + [[1, 2], [0, 0]]
    assert stored["known"].tolist() == [False] * 7 + [True, False]

    trained = study_of(tmp_path, corpus | {"embedding": {"kind": "word2vec", "dimension": 4}})
    contents = set()
    for _ in range(2):
        do(trained, "embed", "toy")
        contents.add(written(tmp_path, "embedding.safetensors").read_bytes())
    stored = load_file(written(tmp_path, "embedding.safetensors"))
    assert stored["embedding"].shape == (9, 4)
    assert stored["known"].tolist() == [False] * 4 + [True] * 5
    assert len(contents) == 1


def test_a_wide_line_further_down_is_found_by_embed_and_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "v.vec").write_text("a 1 2\n" * 30 + "film 1 2 3\n")
    embedding = {"kind": "file", "path": "v.vec", "dimension": 2}
    study = study_of(tmp_path, {**reviews(tmp_path, ROWS), "embedding": embedding})
    check_files(study)
    do(study, "prepare", "toy")
    with pytest.raises(UserError, match=r"corpus toy: .*v.vec: line 31: .* found 3 numbers"):
        do(study, "embed", "toy")
    assert not written(tmp_path, "embedding.safetensors").exists()


def test_random_vectors_are_no_file(tmp_path: Path) -> None:
    study = study_of(tmp_path, {"source": PLANTED})
    do(study, "prepare", "toy")
    with pytest.raises(UserError, match="each model draws its own vectors"):
        do(study, "embed", "toy")
