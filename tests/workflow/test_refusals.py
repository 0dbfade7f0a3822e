"""A user's mistake costs seconds: one line, exit status 1, and nothing is trained on a faulty corpus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.workflow.projects import Project, planted, small_study

pytestmark = pytest.mark.workflow

TREE = "(3 (2 A) (3 (4 fine) (2 film)))\n(1 (2 A) (1 (0 bad) (2 film)))\n"


def table(rows: str, **source: Any) -> Callable[[Path], dict[str, Any]]:
    """A study of a csv file with the given rows, and of a sound planted corpus."""

    def write(folder: Path) -> dict[str, Any]:
        (folder / "corpora").mkdir()
        (folder / "corpora" / "reviews.csv").write_text(rows)
        settings = {"kind": "table", "path": "reviews.csv", "split": "split", **source}
        return small_study(corpora={"sound": planted("lexical"), "mine": {"source": settings}})

    return write


def trees(train: str) -> Callable[[Path], dict[str, Any]]:
    """A study of a treebank whose training file is given."""

    def write(folder: Path) -> dict[str, Any]:
        place = folder / "corpora" / "sst" / "trees"
        place.mkdir(parents=True)
        for split, text in {"train": train, "dev": TREE, "test": TREE}.items():
            (place / f"{split}.txt").write_text(text)
        corpus = {"source": {"kind": "sst"}, "tokenizer": "sst"}
        return small_study(corpora={"sound": planted("lexical"), "mine": corpus})

    return write


def vectors(text: str) -> Callable[[Path], dict[str, Any]]:
    """A study whose word vectors are read from a file."""

    def write(folder: Path) -> dict[str, Any]:
        (folder / "corpora").mkdir()
        (folder / "corpora" / "words.vec").write_text(text)
        embedding = {"kind": "file", "path": "words.vec", "dimension": 3}
        return small_study(corpora={"mine": planted("lexical", embedding=embedding)})

    return write


def plain(**changes: Any) -> Callable[[Path], dict[str, Any]]:
    """The small study with keys changed."""
    return lambda folder: small_study(**changes)


HEAD = "text,label,split\n"
GOOD = "".join(
    f"good film {i},1,{s}\nbad film {i},0,{s}\n" for i, s in enumerate(["train", "dev", "test"])
)

CASES = {
    "misspelt key": (plain(epoch=3), ["epoch: no such key"]),
    "misspelt switch": (plain(switches={"adv_epoch": 3}), ["switches.adv_epoch"]),
    "negative lambda": (plain(lambdas=[0, -1]), ["lambdas.1", "-1"]),
    "missing file": (
        plain(corpora={"mine": {"source": {"kind": "table", "path": "nowhere.csv"}}}),
        ["nowhere.csv", "corpora_dir"],
    ),
    "missing treebank": (
        plain(corpora={"mine": {"source": {"kind": "sst"}}}),
        ["sst/trees", "train.txt"],
    ),
    "missing column": (table(HEAD + GOOD, label="stars"), ["reviews.csv", "'stars'", "label"]),
    "unknown split": (table(HEAD + GOOD + "so so,0,spare\n"), ["reviews.csv", "spare"]),
    "label outside the classes": (
        table(HEAD + GOOD + "so so,2,train\n", classes=["0", "1"]),
        ["reviews.csv", "2"],
    ),
    "one-class split": (
        table(HEAD + GOOD.replace("bad film 2,0,test\n", "")),
        ["reviews.csv", "test", "0"],
    ),
    "empty split": (
        table(HEAD + "".join(line for line in GOOD.splitlines(True) if "test" not in line)),
        ["reviews.csv", "test"],
    ),
    "document of zero tokens": (table(HEAD + GOOD + '" ",1,train\n'), ["reviews.csv", "token"]),
    "unparsable tree": (trees(TREE + "(3 (2 A) (3 fine\n"), ["train.txt", "3"]),
    "empty treebank": (trees(""), ["train"]),
    "vectors of another width": (vectors("film 1 2 3 4\n"), ["words.vec", "3", "4"]),
    "missing vectors": (
        plain(
            corpora={
                "mine": planted("lexical", embedding={"kind": "file", "path": "x.vec"}),
            }
        ),
        ["x.vec"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_refused_in_one_line_before_anything_trains(project: Project, case: str):
    write, words = CASES[case]
    project.configure(write(project.folder))
    done = project.snakemake("--cores", "2", "results/tables/table1.csv")
    printed = done.stdout + done.stderr
    assert done.returncode == 1, printed
    told = {line.strip() for line in printed.splitlines() if line.strip().startswith("attnnn: ")}
    assert len(told) == 1, printed
    for word in words:
        assert word in next(iter(told))
    assert "Traceback" not in printed
    made = project.made()
    assert not [path for path in made if path.startswith("models/")]
    assert not [path for path in made if Path(path).name.startswith(".")]


def test_mended_mistakes_let_the_study_go_on(project: Project):
    rows = HEAD + GOOD * 8
    project.configure(table(rows + "so so,2,train\n", classes=["0", "1"])(project.folder))
    assert project.snakemake("results/tables/table1.csv").returncode == 1
    (project.folder / "corpora" / "reviews.csv").write_text(rows)
    project.succeed("results/tables/table1.csv")
    assert "tables/table1.csv" in project.made()
