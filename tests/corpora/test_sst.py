"""PTB trees: what they say, and how anything else is refused."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnnn.corpora.readers import read_documents
from attnnn.corpora.sst import parse_tree
from attnnn.corpora.texts import Texts
from attnnn.errors import UserError
from attnnn.study.sources import SstSource

LEAF = st.tuples(st.integers(0, 4), st.text("abé.,'-\xa0½", min_size=1, max_size=5))
TREES = st.recursive(
    LEAF, lambda child: st.tuples(st.integers(0, 4), st.lists(child, min_size=1, max_size=3))
)


def spell(tree: tuple[int, object]) -> str:
    sentiment, content = tree
    if isinstance(content, str):
        return f"({sentiment} {content})"
    assert isinstance(content, list)
    return f"({sentiment} {' '.join(map(spell, content))})"


def leaves(tree: tuple[int, object]) -> list[str]:
    if isinstance(tree[1], str):
        return [tree[1]]
    assert isinstance(tree[1], list)
    return [leaf for child in tree[1] for leaf in leaves(child)]


def test_root_and_leaves() -> None:
    line = "(3 (2 It) (4 (2 's) (4 (3 a) (4 gem\\/jewel))))"
    assert parse_tree(line, place="") == (3, ["It", "'s", "a", "gem\\/jewel"])


@given(TREES)
def test_reads_back_any_tree(tree: tuple[int, object]) -> None:
    assert parse_tree(spell(tree), place="") == (tree[0], leaves(tree))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "(",
        ")",
        "()",
        "(3)",
        "(3 ())",
        "word",
        "(5 word)",
        "(x word)",
        "(3 two words)",
        "(3 (2 It) (4 shines)",
        "(3 (2 It) (4 shines)))",
        "(3 word (2 It))",
        "(3 (2 It) word)",
        "(3 It) (2 is)",
        "(3 It) is",
        "((2 It))",
    ],
)
def test_anything_else_is_refused_with_its_place(line: str) -> None:
    with pytest.raises(UserError, match=r"^train.txt:7: expected a tree such as"):
        parse_tree(line, place="train.txt:7")


def write_trees(folder: Path, **lines: list[str]) -> Path:
    for split in ("train", "dev", "test"):
        (folder / f"{split}.txt").write_text("\n".join(lines[split]) + "\n", encoding="utf-8")
    return folder


def read(folder: Path) -> Texts:
    return read_documents(folder, SstSource(kind="sst"), undivided=False)


def test_sentences_are_binary_and_neutral_ones_counted(tmp_path: Path) -> None:
    trees = ["(0 (2 So) (0 bad))", "(2 Fine)", "(4 Great)", "(1 Dull)", "(3 Good)"]
    documents = read(write_trees(tmp_path, train=trees, dev=trees[:3], test=trees[:1]))
    assert documents.texts[:4] == ["So bad", "Great", "Dull", "Good"]
    assert documents.labels.tolist() == [0, 1, 0, 1, 0, 1, 0]
    assert documents.splits.tolist() == ["train"] * 4 + ["dev"] * 2 + ["test"]
    assert [(item.split, item.count) for item in documents.dropped] == [("train", 1), ("dev", 1)]
    assert documents.places[1].endswith("train.txt:3")


def test_a_broken_line_is_named_and_so_is_a_missing_file(tmp_path: Path) -> None:
    write_trees(tmp_path, train=["(3 good)"], dev=["(3 good)", "(3 good"], test=["(1 bad)"])
    with pytest.raises(UserError, match=r"dev.txt:2: expected a tree .* 1 brackets left open"):
        read(tmp_path)
    (tmp_path / "test.txt").unlink()
    with pytest.raises(UserError, match=r"test.txt: no such file"):
        read(tmp_path)


def test_single_damages_of_a_real_looking_tree_never_pass_unseen() -> None:
    line = "(3 (2 (2 The) (2 plot)) (3 (3 works) (2 .)))"
    rng = random.Random(1)
    for _ in range(50):
        position = rng.choice([i for i, c in enumerate(line) if c in "()"])
        with pytest.raises(UserError):
            parse_tree(line[:position] + line[position + 1 :], place="x:1")


def test_no_tree_is_deep_enough_to_break_the_parser() -> None:
    depth = 5000
    assert parse_tree("(2 " * depth + "end" + ")" * depth, place="")[1] == ["end"]
