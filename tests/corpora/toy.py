"""A corpus of a few rows, from its configuration to what the stage writes."""

import json
from pathlib import Path
from typing import Any

from attnnn.study.config import Study, validate

PLANTED = {"kind": "planted", "regime": "context", "train": 40, "dev": 10, "test": 12}


def study_of(folder: Path, corpus: dict[str, Any], **settings: Any) -> Study:
    content = {
        "results_dir": str(folder / "results"),
        "corpora_dir": str(folder),
        "corpora": {"toy": corpus},
        **settings,
    }
    return validate(content, where="test")


def written(folder: Path, file: str) -> Path:
    return folder / "results" / "corpora" / "toy" / file


def description(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(written(folder, "description.json").read_text())
    return content


def reviews(folder: Path, rows: list[tuple[str, str, str]]) -> dict[str, Any]:
    lines = [json.dumps(dict(zip(("split", "label", "text"), row, strict=True))) for row in rows]
    (folder / "reviews.jsonl").write_text("\n".join(lines) + "\n")
    return {"source": {"kind": "table", "path": "reviews.jsonl", "split": "split"}}


ROWS = [
    ("test", "pos", "what a film"),
    ("train", "neg", "no film at all"),
    ("dev", "neg", "no no"),
    ("train", "pos", "a film"),
    ("test", "neg", "a film"),
    ("dev", "pos", "film film film"),
]
