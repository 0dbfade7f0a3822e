"""Tables of texts and labels in four formats, and what is said of every fault in them."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

from attnnn.corpora.own_table import gives_dev, label_name
from attnnn.corpora.readers import read_documents
from attnnn.corpora.texts import Texts
from attnnn.errors import UserError
from attnnn.study.sources import TableSource

TEXTS = ['says "good",\nand means it', "bad; \t very", "fine\x85line", " spaced "] * 6
ROWS = [
    {"review": text, "stars": number % 2, "part": part}
    for number, (text, part) in enumerate(
        zip(TEXTS, ["train"] * 12 + ["validation"] * 6 + ["test"] * 6, strict=True)
    )
]


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            delimiter = {".csv": ",", ".tsv": "\t"}[path.suffix]
            writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
            writer.writeheader()
            writer.writerows(rows)
    return path


def read(path: Path, *, undivided: bool = False, **settings: object) -> Texts:
    columns = {"text": "review", "label": "stars", "split": "part"}
    source = TableSource.model_validate({"kind": "table", "path": path.name, **columns, **settings})
    return read_documents(path, source, undivided=undivided)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_gives_the_same_documents(tmp_path: Path, ending: str) -> None:
    documents = read(write(tmp_path / f"reviews.{ending}", ROWS))
    assert documents.texts == TEXTS
    assert documents.classes == ["0", "1"]
    assert documents.labels.tolist() == [0, 1] * 12
    assert documents.splits.tolist() == ["train"] * 12 + ["dev"] * 6 + ["test"] * 6
    assert documents.made_splits is None


def test_classes_in_the_order_given_or_sorted_as_numbers(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", ROWS)
    assert read(path, classes=["1", "0"]).labels.tolist() == [1, 0] * 12
    tens = [{**row, "stars": 9 + number % 2} for number, row in enumerate(ROWS)]
    assert read(write(tmp_path / "b.csv", tens)).classes == ["9", "10"]


@pytest.mark.parametrize(
    ("labels", "classes", "names"),
    [
        ([10, 9, -1], 3, ["-1", "9", "10"]),
        (["neutral", "pos", "neg"], 3, ["neg", "neutral", "pos"]),
        (["neutral", "pos", "neg"], ["pos", "neutral", "neg"], ["pos", "neutral", "neg"]),
        ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], ["5", "4", "3", "2", "1"]),
    ],
)
def test_any_number_of_classes_by_their_number_or_their_names(
    tmp_path: Path, labels: list[object], classes: object, names: list[str]
) -> None:
    rows = [{**row, "stars": labels[n % len(labels)]} for n, row in enumerate(ROWS * 3)]
    documents = read(write(tmp_path / "a.csv", rows), classes=classes)
    assert documents.classes == names
    assert [names[label] for label in documents.labels] == [str(row["stars"]) for row in rows]
    # Splits that are made keep the share of every class.
    made = read(tmp_path / "a.csv", classes=classes, split=None)
    counts = np.bincount(made.labels[made.splits == "test"])
    assert (np.abs(counts - counts.sum() / len(labels)) < 1).all()


@pytest.mark.parametrize(
    "classes", [1, 0, True, ["a"], ["a", "a"], [1, "1"], [True, False], 2.0, "three", None]
)
def test_classes_are_distinct_values_or_their_number(classes: object) -> None:
    with pytest.raises(ValidationError, match="two or more distinct label values"):
        TableSource.model_validate({"kind": "table", "path": "a.csv", "classes": classes})


def test_a_source_knows_whether_it_is_of_two_classes() -> None:
    def table(**settings: object) -> TableSource:
        return TableSource.model_validate({"kind": "table", "path": "a.csv", **settings})

    assert table().two_classes
    assert table(classes=["no", "yes"]).two_classes
    assert not table(classes=["a", "b", "c"]).two_classes
    assert (table(classes=3).class_count, table(classes=3).two_classes) == (3, False)


@pytest.mark.parametrize(
    ("value", "name"),
    [(1, "1"), (1.0, "1"), ("1", "1"), (True, "true"), (0.5, "0.5"), ("", None), (None, None)],
)
def test_labels_as_text(value: object, name: str | None) -> None:
    assert label_name(value) == name
    assert label_name(float("nan")) is None


def test_splits_are_made_and_rows_sampled_where_asked(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", ROWS * 5)
    documents = read(path, split=None, rows={"train": 20}, test_share=0.25, dev_share=0.2)
    counts = {split: int((documents.splits == split).sum()) for split in ("train", "dev", "test")}
    assert counts == {"train": 20, "dev": 18, "test": 30}
    assert documents.made_splits is not None
    assert [(item.split, item.count) for item in documents.dropped] == [("train", 52)]


def test_undivided_train_has_no_dev(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", ROWS)
    assert "dev" not in read(path, split=None, undivided=True).splits
    assert gives_dev(path, TableSource(kind="table", path="", split="part"))
    no_dev = TableSource(kind="table", path="", split="part", drop_splits=["validation"])
    assert not gives_dev(path, no_dev)


def test_listed_splits_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [{**row, "part": "spare"} if number == 3 else row for number, row in enumerate(ROWS)]
    path = write(tmp_path / "a.csv", rows)
    with pytest.raises(UserError, match=r"row 4: column 'part': expected train, .* found 'spare'"):
        read(path)
    documents = read(path, drop_splits=["spare"])
    assert len(documents) == 23
    assert [(item.split, item.count) for item in documents.dropped] == [("spare", 1)]
    assert documents.places[3] == f"{path}: row 5"


def changed(row: int, **values: object) -> list[dict[str, object]]:
    return [{**old, **values} if number == row else old for number, old in enumerate(ROWS)]


@pytest.mark.parametrize(
    ("rows", "settings", "message"),
    [
        (
            ROWS,
            {"text": "body"},
            r"no column 'body'; the columns are review, stars, part: .*source.text",
        ),
        (ROWS, {"label": "y"}, r"no column 'y'; .* name one of them as source.label"),
        (ROWS, {"split": "fold"}, r"no column 'fold'"),
        (ROWS, {"classes": ["0", "2"]}, r"line 2: expected a label among 0, 2, found '1'"),
        (
            changed(4, stars=7),
            {},
            r"column 'stars': expected 2 classes, found 3 \(0, 1, 7\); write classes: 3 under source",
        ),
        (
            ROWS,
            {"classes": 3},
            r"'stars': expected 3 classes, found 2 \(0, 1\); write classes: 2 .* as source.label",
        ),
        (
            [{**row, "stars": "x"} for row in ROWS],
            {},
            r"expected 2 classes, found 1 \(x\); name another column as source.label",
        ),
        (changed(4, stars=None), {}, r"line 5: expected a label among 0, 1, found no label"),
        (changed(4, review=None), {}, r"line 5: column 'review': expected a text, found nothing"),
        (changed(4, review=3), {}, r"line 5: column 'review': expected a text, found int"),
        (changed(4, part=None), {}, r"line 5: column 'part': .* found None"),
        (ROWS[12:], {}, r"expected rows of split train, found dev, test only"),
        (ROWS, {"rows": {"training": 5}}, r"source.rows: expected .* found training: 5"),
        (ROWS[:3], {"split": None}, r"a test split of 1 documents cannot be drawn from 3"),
    ],
)
def test_faults_are_told_in_one_line_with_file_and_row(
    tmp_path: Path, rows: list[dict[str, object]], settings: dict[str, object], message: str
) -> None:
    path = write(tmp_path / "a.jsonl", rows)
    with pytest.raises(UserError, match=message) as caught:
        read(path, **settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.jsonl",
            b'{"review": "x", "stars": 1, "part": "train"}\n{"review": ',
            "line 2: .* malformed",
        ),
        (
            "a.jsonl",
            b'{"review": "x", "stars": 1, "part": "train"}\n[1]\n',
            "line 2: .* found list",
        ),
        ("a.jsonl", b'{"review": "x", "stars": 1, "part": "train"}\n\n', "line 2: .* blank line"),
        (
            "a.jsonl",
            b'{"review": "x", "stars": 1, "part": "train"}\n{"review": "x"}\n',
            "line 2: expected the key 'stars', found review",
        ),
        ("a.jsonl", b"", "found an empty file"),
        ("a.csv", b"", "expected a header line, found an empty file"),
        ("a.csv", b"review,stars,part\n", "expected rows of texts and labels, found none"),
        (
            "a.csv",
            b"review,stars,part\na,1\n",
            "line 2: expected 3 fields as in the header, found 2",
        ),
        ("a.csv", b'review,stars,part\n"a" b,1,train\n', "line 2: malformed"),
        ("a.csv", b'review,stars,part\n"a,1,train\n', "malformed .*unexpected end of data"),
        ("a.csv", b"review,stars,review,part\na,1,b,train\n", "more than one column 'review'"),
        (
            "a.tsv",
            b"review\tstars\tpart\n\xe9t\xe9\t1\ttrain\n",
            "expected UTF-8 text, found byte 0xe9",
        ),
        ("a.parquet", b"no parquet", "expected a parquet file"),
        ("a.xlsx", b"", r"expected a file that ends in \.csv, \.tsv, \.jsonl, \.parquet"),
    ],
)
def test_malformed_files_are_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=message) as caught:
        read(tmp_path / name)
    assert str(tmp_path / name) in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"gone.csv: no such file"):
        read(tmp_path / "gone.csv")


def test_csv_as_spreadsheets_write_it(tmp_path: Path) -> None:
    long = "word " * 40_000  # longer than the csv module's default limit of a field
    lines = [f"{long},{n % 2},{part}" for n in range(4) for part in ("train", "dev", "test")]
    content = "\r\n".join(["review,stars,part", *lines, "", ""])
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbf" + content.encode())
    assert len(read(tmp_path / "a.csv")) == 12
