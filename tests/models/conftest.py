"""A corpus small enough to think through: the label is whether word 4 or word 5 is in the document."""

from pathlib import Path

import numpy as np
import pytest

from attnnn.study.config import Study, validate
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import write_json, write_table
from tests.support import Layout

SPLITS = {"train": 80, "dev": 24, "test": 30}
VOCABULARY = 12


def tiny_documents() -> dict[str, object]:
    rng = np.random.default_rng(7)
    splits = [split for split, count in SPLITS.items() for _ in range(count)]
    label = np.arange(len(splits)) % 2
    rows = []
    for cue in label:
        row = rng.integers(6, VOCABULARY, size=rng.integers(3, 9))
        row[rng.integers(len(row))] = 5 if cue else 4
        rows.append(row.astype(np.int32))
    return {
        "document": np.arange(len(splits)),
        "split": splits,
        "label": label,
        "tokens": [[f"w{token}" for token in row] for row in rows],
        "token_ids": Ragged.from_lists(rows),
        "truth": None,
    }


def study_in(folder: Path, **changes: object) -> Study:
    content = {
        "results_dir": str(folder / "results"),
        "corpora": {
            "tiny": {
                "source": {"kind": "planted", "regime": "lexical"},
                "embedding": {"kind": "random", "dimension": 7},
            }
        },
        "training": {"epochs": 4, "batch_size": 16, "hidden_size": 8, "learning_rate": 0.02},
        "lambdas": [0, 0.01],
        "guide_lambda": 0.01,
        "switches": {"adv_epochs": 3},
        **changes,
    }
    return validate(content, where="test")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return write_corpus(study_in(tmp_path))


def write_corpus(study: Study, documents: dict[str, object] | None = None) -> Study:
    layout = Layout(study.results_dir)
    documents = documents or tiny_documents()
    documents["truth"] = [None] * len(documents["label"])  # type: ignore[arg-type]
    write_table(
        layout.corpus("tiny", "documents.parquet"), schemas.DOCUMENTS, documents, made_by={}
    )
    vocabulary = {
        "id": np.arange(VOCABULARY, dtype=np.int32),
        "token": [f"w{index}" for index in range(VOCABULARY)],
        "document_frequency": np.ones(VOCABULARY, dtype=np.int64),
    }
    write_table(
        layout.corpus("tiny", "vocabulary.parquet"), schemas.VOCABULARY, vocabulary, made_by={}
    )
    write_json(layout.corpus("tiny", "description.json"), {"classes": ["no", "yes"]})
    return study
