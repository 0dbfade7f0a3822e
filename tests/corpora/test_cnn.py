"""CNN question answering: records of four lines, entities anonymised."""

from pathlib import Path

import numpy as np
import pytest

from attnnn.corpora.readers import read_documents
from attnnn.corpora.texts import Texts
from attnnn.errors import UserError
from attnnn.study.sources import CnnSource

RECORDS = [
    ("@placeholder wins", "@entity3", "@entity10 saw @entity3 and @entity10 , not @entity3's"),
    ("who met @placeholder ?", "@entity10", "@entity2 met @entity10"),
    ("@placeholder is away", "@entity4", "@entity3 is here"),
    ("@placeholder is nobody", "@entity4", "nobody is here"),
]


def spell(records: list[tuple[str, str, str]]) -> str:
    return "\n\n".join("\n".join(record) for record in records) + "\n\n"


def lay_out(folder: Path, **files: str) -> Path:
    for split in ("train", "dev", "test"):
        (folder / f"{split}.txt").write_text(files.get(split, spell(RECORDS[:2])))
    return folder


def read(folder: Path) -> Texts:
    return read_documents(folder, CnnSource(kind="cnn", path=folder.name), undivided=False)


def test_the_candidates_are_the_entities_of_the_passage(tmp_path: Path) -> None:
    documents = read(lay_out(tmp_path))
    assert documents.classes == ["@entity2", "@entity3", "@entity10"]  # by number
    assert documents.labels.tolist() == [1, 2] * 3
    assert documents.questions is not None
    assert documents.questions.candidates is not None
    assert [row.tolist() for row in documents.questions.candidates][:2] == [[1, 2], [0, 2]]
    assert documents.questions.candidates.values.dtype == np.int32
    assert list(documents.texts)[:2] == [passage for _, _, passage in RECORDS[:2]]
    assert list(documents.questions.texts)[:2] == ["@placeholder wins", "who met @placeholder ?"]
    assert documents.splits.tolist() == ["train"] * 2 + ["dev"] * 2 + ["test"] * 2
    assert documents.places[1].endswith("train.txt: line 5")
    assert documents.dropped == ()


def test_a_question_whose_answer_the_passage_lacks_is_counted_out(tmp_path: Path) -> None:
    documents = read(lay_out(tmp_path, train=spell(RECORDS)))
    assert len(documents) == 6
    (dropped,) = documents.dropped
    assert (dropped.split, dropped.reason, dropped.count) == (
        "train",
        "the answer is not an entity of the passage",
        2,
    )


def test_the_last_empty_line_may_lack(tmp_path: Path) -> None:
    whole = read(lay_out(tmp_path))
    assert list(read(lay_out(tmp_path, dev=spell(RECORDS[:2]).rstrip("\n"))).texts) == list(
        whole.texts
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q\n\n@entity1\n", r"dev.txt: line 2: expected answer, found an empty line"),
        ("q\n@entity1\n@entity1\nq\n", r"dev.txt: line 4: expected an empty line after a passage"),
        ("q\n@entity1\n", r"dev.txt: line 2: expected passage next, found the end of the file"),
        ("q\nParis\nParis\n\n", r"dev.txt: line 2: expected an entity such as @entity7 .* 'Paris'"),
    ],
)
def test_a_malformed_record_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(lay_out(tmp_path, dev=text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    lay_out(tmp_path)
    (tmp_path / "test.txt").unlink()
    with pytest.raises(UserError, match=r"test.txt: no such file; expected train.txt, dev.txt"):
        read(tmp_path)
