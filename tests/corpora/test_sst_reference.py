"""SST under the papers' protocol: their own counts (Wiegreffe & Pinter 2019, table 1; released code)."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from attnnn.dag.workflow import check_files
from attnnn.study.config import Study, validate
from attnnn.tables.schemas import VOCABULARY
from attnnn.tables.store import read_table
from tests.support import do

pytestmark = [
    pytest.mark.reference,
    pytest.mark.skipif(
        "ATTNNN_CORPORA" not in os.environ,
        reason="ATTNNN_CORPORA names no folder that holds sst/trees",
    ),
]


def prepared(folder: Path, **switches: Any) -> tuple[Study, dict[str, Any]]:
    corpus = {
        "source": {"kind": "sst"},
        "tokenizer": "sst",
        "min_length": 5,
        "protocol": "wiegreffe-pinter",
        "switches": switches,
    }
    content = {
        "results_dir": str(folder),
        "corpora_dir": os.environ["ATTNNN_CORPORA"],
        "corpora": {"sst": corpus},
    }
    study = validate(content, where="test")
    check_files(study)
    do(study, "prepare", "sst")
    return study, json.loads((folder / "corpora/sst/description.json").read_text())


def test_documents_tokens_and_vocabulary_are_those_of_the_papers(tmp_path: Path) -> None:
    _, description = prepared(tmp_path)
    splits = description["splits"]
    assert list(splits["train"]["per_class"].values()) == [3034, 3321]
    assert list(splits["dev"]["per_class"].values()) == [397, 424]
    assert list(splits["test"]["per_class"].values()) == [863, 862]
    assert splits["train"]["tokens"]["mean"] == pytest.approx(18.70, abs=0.005)
    assert splits["train"]["pos_weight"] == pytest.approx(0.9136, abs=5e-5)
    assert description["vocabulary"]["size"] == 13_826
    assert sum(item["count"] for item in description["dropped"]) == 8544 + 1101 + 2210 - 8901


def test_the_vocabulary_equals_the_papers_word_by_word(tmp_path: Path) -> None:
    if "ATTNNN_REFERENCE" not in os.environ:
        pytest.skip("ATTNNN_REFERENCE names no folder")
    path = Path(os.environ["ATTNNN_REFERENCE"]) / "sst_vocabulary.txt"
    prepared(tmp_path)
    table = read_table(tmp_path / "corpora/sst/vocabulary.parquet", VOCABULARY)
    assert table["token"].to_pylist() == path.read_text(encoding="utf-8").splitlines()


def test_counted_on_all_splits_the_vocabulary_holds_the_words_of_dev_and_test_too(
    tmp_path: Path,
) -> None:
    _, description = prepared(tmp_path, vocab_fit="all")
    assert description["vocabulary"]["size"] == 16_175
