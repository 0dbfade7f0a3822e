"""SNLI's json lines."""

import json
from pathlib import Path
from typing import Any

import pytest

from attnnn.corpora.readers import read_documents
from attnnn.corpora.texts import Texts
from attnnn.errors import UserError
from attnnn.study.sources import SnliSource


def pair(label: str, number: int, **changes: Any) -> dict[str, Any]:
    """A line of the release, with keys that are not read."""
    return {
        "annotator_labels": [label],
        "captionID": "1.jpg#0",
        "gold_label": label,
        "sentence1": f"A premise {number}.",
        "sentence1_parse": "(ROOT)",
        "sentence2": f"A hypothesis {number}.",
        **changes,
    }


LABELS = ["neutral", "-", "entailment", "contradiction", "-"]


def lay_out(folder: Path, **last: str) -> Path:
    for split in ("train", "dev", "test"):
        lines = [json.dumps(pair(label, number)) for number, label in enumerate(LABELS)]
        text = "".join(f"{line}\n" for line in lines) + last.get(split, "")
        (folder / f"snli_1.0_{split}.jsonl").write_text(text, encoding="utf-8")
    return folder


def read(folder: Path) -> Texts:
    return read_documents(folder, SnliSource(kind="snli", path=folder.name), undivided=False)


def test_premises_are_documents_and_hypotheses_questions(tmp_path: Path) -> None:
    documents = read(lay_out(tmp_path))
    assert documents.questions is not None
    assert list(documents.texts)[:3] == ["A premise 0.", "A premise 2.", "A premise 3."]
    assert list(documents.questions.texts)[1] == "A hypothesis 2."
    assert documents.classes == ["contradiction", "entailment", "neutral"]
    assert documents.labels.tolist() == [2, 1, 0] * 3
    assert documents.splits.tolist() == ["train"] * 3 + ["dev"] * 3 + ["test"] * 3
    assert documents.places[2].endswith("snli_1.0_train.jsonl: line 4")
    assert documents.questions.candidates is None
    assert documents.questions.every_class


def test_pairs_without_a_gold_label_are_counted(tmp_path: Path) -> None:
    documents = read(lay_out(tmp_path))
    assert [(item.split, item.reason, item.count) for item in documents.dropped] == [
        (split, "no gold label (-)", 2) for split in ("train", "dev", "test")
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"gold_label": "neutral"',
            r"line 6: expected one json object per line, found malformed json",
        ),
        ("[1]\n", r"line 6: expected a json object, found list"),
        ("\n", r"line 6: expected a json object, found a blank line"),
        (json.dumps(pair("maybe", 1)), r"line 6: expected gold_label .* or -, found 'maybe'"),
        (json.dumps({"gold_label": "neutral"}), r"line 6: .* text for 'sentence1', found nothing"),
        (
            json.dumps(pair("neutral", 1, sentence2=3)),
            r"line 6: expected a text for 'sentence2', found int",
        ),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(UserError, match=rf"snli_1.0_dev.jsonl: {message}"):
        read(lay_out(tmp_path, dev=line))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    lay_out(tmp_path)
    (tmp_path / "snli_1.0_dev.jsonl").unlink()
    with pytest.raises(UserError, match=r"snli_1.0_dev.jsonl: no such file; .* download: true"):
        read(tmp_path)
