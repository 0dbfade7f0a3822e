"""What is looked at before anything is prepared, and before anything is trained."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from attnnn.dag.workflow import check_files
from attnnn.errors import UserError
from tests.corpora.toy import PLANTED, ROWS, reviews, study_of


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        (
            {"source": {"kind": "table", "path": "gone.csv"}},
            r"corpus toy: .*gone.csv: no such file",
        ),
        ({"source": {"kind": "sst"}}, r"sst/trees/train.txt: no such file; .* download: true"),
        (
            {"source": {"kind": "table", "path": "reviews.jsonl", "text": "body"}},
            r"reviews.jsonl: no column 'body'; the columns are split, label, text",
        ),
        (
            {"source": {**PLANTED, "min_tokens": 4}},
            r"expected at least 9, for the cues of regime context",
        ),
        ({"source": PLANTED, "tokenizer": "papers"}, r"tokenizer papers: planted documents"),
        ({"source": PLANTED, "min_length": 9, "max_length": 4}, r"min_length 9 and max_length 4"),
        (
            {"source": PLANTED, "embedding": {"kind": "file", "path": "gone.vec"}},
            r"gone.vec: no such file",
        ),
        (
            {"source": PLANTED, "embedding": {"kind": "file", "path": "v.vec", "dimension": 300}},
            r"v.vec: line 1: expected a word and 300 numbers .* found 2 numbers",
        ),
    ],
)
def test_sources_are_looked_at_beforehand(
    tmp_path: Path, corpus: dict[str, Any], message: str
) -> None:
    reviews(tmp_path, ROWS)
    (tmp_path / "v.vec").write_text("a 1 2\n")
    with pytest.raises(UserError, match=message):
        check_files(study_of(tmp_path, corpus))


def test_looking_at_sources_loads_no_slow_library(tmp_path: Path) -> None:
    program = (
        "import sys; from attnnn.study.config import validate; from attnnn.dag.workflow import check_files\n"
        f"check_files(validate({{'corpora': {{'toy': {{'source': {PLANTED}}}}}}}, where=''))\n"
        "print([m for m in ('torch', 'spacy', 'gensim', 'sklearn', 'scipy') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert found.stdout.decode().strip() == "[]"
