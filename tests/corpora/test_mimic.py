"""MIMIC-III's discharge summaries, from files in the official columns that the test writes."""

import csv
import gzip
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from attnnn.corpora.readers import read_documents, require_there
from attnnn.corpora.texts import Texts
from attnnn.errors import UserError
from attnnn.study.sources import MimicSource

NOTES = [
    "ROW_ID",
    "SUBJECT_ID",
    "HADM_ID",
    "CHARTDATE",
    "CHARTTIME",
    "STORETIME",
    "CATEGORY",
    "DESCRIPTION",
    "CGID",
    "ISERROR",
    "TEXT",
]
DIAGNOSES = ["ROW_ID", "SUBJECT_ID", "HADM_ID", "SEQ_NUM", "ICD9_CODE"]
SUMMARY = {"CATEGORY": "Discharge summary", "DESCRIPTION": "Report", "CHARTDATE": "2101-01-02"}


def note(admission: int, text: str, **other: Any) -> dict[str, Any]:
    # Patients are numbered against their admissions, to see that they come first.
    return {"SUBJECT_ID": 900 - admission, "HADM_ID": admission, "TEXT": text, **SUMMARY, **other}


def write(path: Path, columns: list[str], rows: list[dict[str, Any]]) -> None:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", quoting=csv.QUOTE_NONNUMERIC)
        writer.writeheader()
        writer.writerows({"ROW_ID": number, **row} for number, row in enumerate(rows, start=1))


def codes(**of: list[str]) -> list[dict[str, Any]]:
    """Diagnoses of admissions a1, a2, …"""
    return [
        {"SUBJECT_ID": 900 - int(name[1:]), "HADM_ID": int(name[1:]), "SEQ_NUM": n, "ICD9_CODE": c}
        for name, listed in of.items()
        for n, c in enumerate(listed, start=1)
    ]


def lay_out(folder: Path, notes: list[dict[str, Any]], diagnoses: list[dict[str, Any]]) -> Path:
    write(folder / "NOTEEVENTS.csv", NOTES, notes)
    write(folder / "DIAGNOSES_ICD.csv", DIAGNOSES, diagnoses)
    return folder


def lists(folder: Path, train: list[int], dev: list[int], test: list[int]) -> None:
    for split, admissions in (("train", train), ("dev", dev), ("test", test)):
        lines = "".join(f"{admission}\n" for admission in admissions)
        (folder / f"{split}_50_hadm_ids.csv").write_text(lines)


def read(folder: Path, task: str, *, undivided: bool = False, **settings: Any) -> Texts:
    source = MimicSource.model_validate(
        {"kind": "mimic", "task": task, "path": folder.name, **settings}
    )
    return read_documents(folder, source, undivided=undivided)


def test_a_summary_is_joined_with_its_addenda_by_date(tmp_path: Path) -> None:
    notes = [
        note(7, "late", DESCRIPTION="Addendum", CHARTDATE="2101-03-01"),
        note(7, "elsewhere", CATEGORY="Nursing"),
        note(8, "of another\nadmission "),
        note(7, ' report, "quoted"\n\nover lines'),
        note(7, "early", DESCRIPTION="Addendum", CHARTDATE="2101-02-01"),
        note(7, "withdrawn", DESCRIPTION="Addendum", ISERROR=1),
        note(9, "of no list"),
        note(7, "of no admission", HADM_ID=""),
    ]
    lay_out(tmp_path, notes, codes(a7=["4019", "25000"], a8=["25002", "V2500"], a9=["25000"]))
    lists(tmp_path, [7], [], [8])
    documents = read(tmp_path, "diabetes")
    assert list(documents.texts) == [
        'report, "quoted"\n\nover lines early late',
        "of another\nadmission",
    ]
    assert documents.labels.tolist() == [1, 0]
    assert documents.splits.tolist() == ["train", "test"]
    assert documents.classes == ["no diabetes", "diabetes"]
    assert documents.places[0].endswith("NOTEEVENTS.csv: admission 7")
    assert documents.dropped == ()
    assert documents.facts["skipped"] == {
        "summaries marked as errors": 1,
        "summaries without admission": 1,
    }


def test_admissions_that_a_file_lacks_are_counted(tmp_path: Path) -> None:
    notes = [note(admission, f"text {admission}") for admission in (3, 2, 1)]
    lay_out(tmp_path, notes, codes(a1=["25000"], a2=["4019"], a4=["4019"], a5=[""]))
    lists(tmp_path, [1, 2], [3], [4, 5])
    documents = read(tmp_path, "diabetes")
    # by patient, whose numbers fall as those of their admissions rise
    assert list(documents.texts) == ["text 2", "text 1"]
    assert documents.labels.tolist() == [0, 1]
    assert documents.facts["skipped"] == {"diagnoses without admission or code": 1}
    assert [(item.split, item.reason, item.count) for item in documents.dropped] == [
        ("dev", "no diagnosis of the admission in DIAGNOSES_ICD.csv", 1),
        ("test", "no diagnosis of the admission in DIAGNOSES_ICD.csv", 1),
        ("test", "no discharge summary of the admission among the notes", 1),
    ]


def anemic(folder: Path) -> Path:
    """Admissions 100 … 159: acute, chronic, both or neither, in turn by three, two, one and one."""
    kinds = [["2851"]] * 3 + [["28521"], ["28529", "4019"]] + [["2851", "28522"], ["2859"]]
    diagnoses = {f"a{100 + number}": kinds[number % 7] for number in range(60)}
    notes = [note(100 + number, f"text {100 + number}") for number in range(60)]
    return lay_out(folder, notes, codes(**diagnoses))


def test_anemia_takes_the_admissions_with_one_of_the_two_kinds(tmp_path: Path) -> None:
    documents = read(anemic(tmp_path), "anemia")
    numbers = [int(text.split()[1]) for text in documents.texts]
    assert [
        label == int((number - 100) % 7 < 3)
        for number, label in zip(numbers, documents.labels.tolist(), strict=True)
    ] == [True] * len(numbers)
    chronic = sorted((n for n in numbers if (n - 100) % 7 in (3, 4)), reverse=True)
    acute = sorted((n for n in numbers if (n - 100) % 7 < 3), reverse=True)
    assert numbers == chronic + acute  # by patient; chronic first
    assert documents.classes == ["chronic", "acute"]
    (both,) = documents.dropped
    assert (both.split, both.reason, both.count) == ("all", "both 285.1 and 285.2", 8)


def test_anemia_counts_admissions_without_a_summary_before_the_splits(tmp_path: Path) -> None:
    anemic(tmp_path)
    path = tmp_path / "NOTEEVENTS.csv"
    path.write_text(path.read_text().replace("Discharge summary", "Nursing", 2))
    lost = read(tmp_path, "anemia").dropped[1]
    assert (lost.split, lost.count) == ("all", 2)


def test_splits_of_anemia_are_the_papers_draws(tmp_path: Path) -> None:
    documents = read(anemic(tmp_path), "anemia")
    labels = documents.labels
    rest, test = train_test_split(
        np.arange(len(labels)), stratify=labels, test_size=0.2, random_state=12939
    )
    rest = np.sort(rest)
    train, dev = train_test_split(rest, stratify=labels[rest], test_size=0.15, random_state=13448)
    for split, rows in (("train", train), ("dev", dev), ("test", test)):
        assert sorted(rows) == np.flatnonzero(documents.splits == split).tolist()
    assert "dev" not in read(tmp_path, "anemia", undivided=True).splits


def test_either_anemia_may_be_the_positive_class_of_the_same_splits(tmp_path: Path) -> None:
    acute = read(anemic(tmp_path), "anemia")
    chronic = read(tmp_path, "anemia", anemia_positive="chronic")
    assert chronic.classes == ["acute", "chronic"]
    assert chronic.labels.tolist() == (1 - acute.labels).tolist()
    assert chronic.splits.tolist() == acute.splits.tolist()
    assert list(chronic.texts) == list(acute.texts)


def test_compressed_files_and_numbers_with_a_decimal_point(tmp_path: Path) -> None:
    write(tmp_path / "NOTEEVENTS.csv.gz", NOTES, [note(1, "one") | {"HADM_ID": "1.0"}])
    write(tmp_path / "DIAGNOSES_ICD.csv.gz", DIAGNOSES, codes(a1=["25000"]))
    lists(tmp_path, [1], [], [])
    files = {"notes": "NOTEEVENTS.csv.gz", "diagnoses": "DIAGNOSES_ICD.csv.gz"}
    assert list(read(tmp_path, "diabetes", **files).texts) == ["one"]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("list", r"dev_50_hadm_ids.csv: line 2: expected one HADM_ID, found 'x'"),
        ("twice", r"test_50_hadm_ids.csv: expected every admission once .* 1 of split train again"),
        ("description", r"line 3: expected DESCRIPTION Report or Addendum, found 'Letter'"),
        ("fields", r"NOTEEVENTS.csv: line 3: expected 11 fields as in the header, found 2"),
        ("number", r"NOTEEVENTS.csv: line 3: expected a number of a patient .* found 'x'"),
        ("quote", r"NOTEEVENTS.csv: line \d: malformed"),
    ],
)
def test_faulty_files_are_named_with_the_line(tmp_path: Path, fault: str, message: str) -> None:
    lay_out(tmp_path, [note(1, "one")], codes(a1=["25000"]))
    lists(tmp_path, [1], [], [1] if fault == "twice" else [])
    if fault == "list":
        (tmp_path / "dev_50_hadm_ids.csv").write_text("2\nx\n")
    other = {"description": {"DESCRIPTION": "Letter"}, "number": {"HADM_ID": "x"}}.get(fault, {})
    if other:
        write(tmp_path / "NOTEEVENTS.csv", NOTES, [note(1, "one"), note(1, "two", **other)])
    broken = {"fields": "1,2\n", "quote": '1,"open\n'}.get(fault)
    if broken:
        with (tmp_path / "NOTEEVENTS.csv").open("a") as file:
            file.write(broken)
    with pytest.raises(UserError, match=message):
        read(tmp_path, "diabetes")


def test_missing_files_and_columns_are_seen_beforehand(tmp_path: Path) -> None:
    def check(task: str) -> None:
        require_there(tmp_path, MimicSource.model_validate({"kind": "mimic", "task": task}))

    with pytest.raises(
        UserError, match=r"NOTEEVENTS.csv: no such file; .* of MIMIC-III that source names"
    ):
        check("anemia")
    lay_out(tmp_path, [note(1, "one")], codes(a1=["25000"]))
    check("anemia")
    with pytest.raises(UserError, match=r"train_50_hadm_ids.csv: no such file"):
        check("diabetes")
    write(tmp_path / "DIAGNOSES_ICD.csv", ["ROW_ID", "HADM_ID"], [])
    with pytest.raises(UserError, match=r"no column 'ICD9_CODE'; the columns are ROW_ID, HADM_ID"):
        check("anemia")


def test_memory_holds_one_note_at_a_time(tmp_path: Path) -> None:
    """20 MB of notes, of which 10 MB are wanted."""
    size = 100_000
    notes = [note(1 + number, chr(97 + number % 26) * size) for number in range(100)]
    notes += [note(500 + number, "other " * (size // 6)) for number in range(100)]
    diagnoses = {f"a{1 + number}": ["2851" if number % 2 else "28521"] for number in range(100)}
    lay_out(tmp_path, notes, codes(**diagnoses))
    del notes
    tracemalloc.start()
    try:
        documents = read(tmp_path, "anemia")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sum(len(text) for text in documents.texts) == 100 * size
    # the spool's buffer of 1 MB, a few copies of a note, and scikit-learn when it is first loaded
    assert peak < 8e6
