"""bAbI stories: what was told before a question, its answer, and the statements that support it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from attnnn.corpora.babi import read_queries
from attnnn.corpora.readers import read_documents
from attnnn.corpora.texts import Texts
from attnnn.errors import UserError
from attnnn.study.config import validate
from attnnn.study.sources import BabiSource
from attnnn.study.sources.pairs import BABI_NAMES

STORY = """1 Mary moved to the bathroom.
2 John went to the hallway.
3 Where is Mary? \tbathroom\t1
4 Daniel took the milk there.
5 Where is the milk? \thallway\t4 2
1 Sandra slept.
2 Where is Sandra?\tbathroom\t1
"""


def lay_out(folder: Path, *, train: str = STORY, test: str = STORY, other: str = STORY) -> Path:
    """Task 2, and tasks 1 and 3 with the stories of `other`."""
    for task, name in BABI_NAMES.items():
        for split, text in (("train", train), ("test", test)):
            (folder / f"{name}_{split}.txt").write_text(text if task == 2 else other)
    return folder


def read(folder: Path, *, undivided: bool = True, **settings: Any) -> Texts:
    source = BabiSource.model_validate(
        {"kind": "babi", "task": 2, "path": folder.name, "answer_tasks": [2], **settings}
    )
    return read_documents(folder, source, undivided=undivided)


def test_the_document_is_the_story_up_to_the_question(tmp_path: Path) -> None:
    documents = read(lay_out(tmp_path))
    assert documents.questions is not None
    assert list(documents.texts[:3]) == [
        "Mary moved to the bathroom . John went to the hallway",
        "Mary moved to the bathroom . John went to the hallway . Daniel took the milk there",
        "Sandra slept",
    ]
    assert documents.questions.texts[:3] == [
        "Where is Mary",
        "Where is the milk",
        "Where is Sandra",
    ]
    answers = [documents.classes[label] for label in documents.labels[:3]]
    assert answers == ["bathroom", "hallway", "bathroom"]
    assert documents.splits.tolist() == ["train"] * 3 + ["test"] * 3
    assert documents.places[1].endswith("qa2_two-supporting-facts_train.txt: line 5")
    assert documents.questions.candidates is None  # any word
    assert not documents.questions.every_class


def test_evidence_is_the_supporting_statements_with_their_stops(tmp_path: Path) -> None:
    asked = read(lay_out(tmp_path)).questions
    assert asked is not None
    assert asked.sentences is not None
    assert asked.evidence is not None
    # Mary moved to the bathroom . | John went to the hallway . | Daniel took the milk there
    assert asked.sentences[1].tolist() == [0] * 6 + [1] * 6 + [2] * 5
    assert asked.evidence[1].tolist() == [0] * 6 + [1] * 6 + [1] * 5
    assert asked.evidence[0].tolist() == [1] * 6 + [0] * 5
    assert asked.evidence[2].tolist() == [1, 1]
    assert asked.evidence.values.dtype == np.int8


def test_answers_are_all_words_of_the_training_stories_of_the_answer_tasks(tmp_path: Path) -> None:
    words = (
        "Daniel John Mary Sandra Where bathroom hallway is milk moved slept the there to took went"
    )
    lay_out(
        tmp_path, test=STORY.replace("Sandra", "Fred"), other="1 Ann left.\n2 Who left?\tAnn\t1\n"
    )
    assert read(tmp_path).classes == [".", *words.split()]  # Fred is in no training story
    joint = read(tmp_path, answer_tasks=[1, 2, 3])
    assert joint.classes == sorted([".", "Ann", "left", "Who", *words.split()])
    assert joint.classes[joint.labels[0]] == "bathroom"


def test_an_answer_that_no_story_holds_is_refused(tmp_path: Path) -> None:
    lay_out(tmp_path, test=STORY.replace("\tbathroom\t1\n4", "\tmoon\t1\n4"))
    with pytest.raises(
        UserError,
        match=r"facts_test.txt: line 3: expected an answer among the 17 words .* tasks 2, found 'moon'",
    ):
        read(tmp_path)


def test_dev_is_the_papers_draw(tmp_path: Path) -> None:
    lay_out(tmp_path, train="".join(STORY for _ in range(20)))
    documents = read(tmp_path, undivided=False)
    train, dev = train_test_split(np.arange(60), test_size=0.15, random_state=16377)
    assert np.flatnonzero(documents.splits == "dev").tolist() == sorted(dev)
    assert np.flatnonzero(documents.splits == "train").tolist() == sorted(train)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "3 Who slept?\tSandra\n",
            r"line 8: expected a question with its question mark, an answer",
        ),
        ("3 Who slept\tSandra\t1\n", r"line 8: expected a question with its question mark"),
        ("3 Who slept?\tMary,Sandra or so\t1\n", r"line 8: .* an answer of one word"),
        (
            "3 Who slept?\tSandra\t2\n",
            r"line 8: expected numbers of earlier statements .* found '2'",
        ),
        (
            "3 Who slept?\tSandra\t\n",
            r"line 8: expected numbers of earlier statements .* found 'none'",
        ),
        ("4 Mary left.\n", r"line 8: expected number 3, or 1 for a new story, found '4'"),
        ("Mary left.\n", r"line 8: expected number 3, or 1 for a new story, found 'Mary'"),
        ("3 Mary left\n", r"line 8: expected a statement that ends in a full stop, or a question"),
        ("1 Where is Mary?\tbathroom\t1\n", r"line 8: expected numbers of earlier statements"),
        ("\n", r"line 8: expected number 3"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "story.txt"
    path.write_text(STORY + line)
    with pytest.raises(UserError, match=rf"story.txt: {message}"):
        list(read_queries(path))


def test_a_missing_file_is_named_and_so_is_a_task_that_cannot_answer_itself(tmp_path: Path) -> None:
    lay_out(tmp_path)
    (tmp_path / f"{BABI_NAMES[3]}_train.txt").unlink()
    read(tmp_path)
    with pytest.raises(UserError, match=r"qa3_three-supporting-facts_train.txt: no such file"):
        read(tmp_path, answer_tasks=[2, 3])
    corpus = {"source": {"kind": "babi", "task": 2, "answer_tasks": [1]}}
    with pytest.raises(UserError, match=r"task 2 is not among answer_tasks \[1\]"):
        validate({"corpora": {"one": corpus}}, where="test")
