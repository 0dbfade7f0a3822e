"""What is looked at before anything is prepared, and before anything is trained."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from attnnn.corpora import stage
from attnnn.errors import UserError
from tests.corpora.toy import PLANTED, ROWS, reviews, study_of

# Before anything is prepared


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
        ({"source": {**PLANTED, "min_tokens": 4}}, r"regime context needs at least 9 tokens"),
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
        stage.check_sources(study_of(tmp_path, corpus))


def test_looking_at_sources_loads_no_slow_library(tmp_path: Path) -> None:
    program = (
        "import sys; from attnnn.study.config import validate; from attnnn.corpora import stage\n"
        f"stage.check_sources(validate({{'corpora': {{'toy': {{'source': {PLANTED}}}}}}}, where=''))\n"
        "print([m for m in ('torch', 'spacy', 'gensim', 'sklearn', 'scipy') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert found.stdout.decode().strip() == "[]"


# Before anything is trained


def test_check_lists_the_sound_corpora(tmp_path: Path) -> None:
    study = study_of(tmp_path, {"source": PLANTED})
    stage.prepare(study, "toy")
    stage.check(study)
    checked = json.loads((tmp_path / "results" / "corpora" / "checked.json").read_text())
    assert checked["toy"]["documents"] == {"train": 40, "dev": 10, "test": 12}
    assert checked["toy"]["classes"] == ["negative", "positive"]


def test_check_refuses_what_is_missing_or_stale_or_without_the_dev_split_it_needs(
    tmp_path: Path,
) -> None:
    study = study_of(tmp_path, {"source": PLANTED})
    with pytest.raises(UserError, match=r"description.json: no such file; run `attnnn prepare`"):
        stage.check(study)
    stage.prepare(study, "toy")
    with pytest.raises(UserError, match="prepared under other settings"):
        stage.check(study_of(tmp_path, {"source": {**PLANTED, "seed": 2}}))
    no_dev = reviews(tmp_path, [row for row in ROWS if row[0] != "dev"])
    no_dev["switches"] = {"strict_length_filter": False}
    test_selected = study_of(tmp_path, no_dev, protocol="wiegreffe-pinter")
    stage.prepare(test_selected, "toy")
    stage.check(test_selected)
    no_dev["switches"]["select_split"] = "dev"  # does not make prepare run again
    with pytest.raises(
        UserError, match="corpus toy: there is no dev split, and switch select_split"
    ):
        stage.check(study_of(tmp_path, no_dev, protocol="wiegreffe-pinter"))
