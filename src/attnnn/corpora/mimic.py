"""Discharge summaries of MIMIC-III (Johnson et al. 2016): Diabetes and Anemia.

The notes are a file of 4 GB. They are read row by row, and the summaries that are wanted are kept in a
temporary file, so that memory holds one note at a time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from attnnn.corpora.mimic_files import official_rows, read_admissions
from attnnn.corpora.splits import carve
from attnnn.corpora.spool import Spool
from attnnn.corpora.texts import SPLITS, Dropped, Texts
from attnnn.errors import UserError
from attnnn.study.sources import MimicSource

DIABETES, ACUTE, CHRONIC = "25000", "2851", "2852"  # as MIMIC writes 250.00, 285.1 and 285.2
_CODES = (DIABETES, ACUTE, CHRONIC)
_SUMMARY = "Discharge summary"
_ORDER = {"Report": 0, "Addendum": 1}
_DIAGNOSIS_COLUMNS = ("HADM_ID", "ICD9_CODE")
_NOTE_COLUMNS = ("SUBJECT_ID", "HADM_ID", "CHARTDATE", "CATEGORY", "DESCRIPTION", "ISERROR", "TEXT")
_ALL = "all"  # the split of an admission of Anemia, until splits are drawn
_NO_NOTE = "no discharge summary of the admission among the notes"

Codes = dict[int, set[str]]  # by admission: those of _CODES that one of its diagnoses starts with


@dataclass(frozen=True)
class _Wanted:
    """An admission that becomes a document."""

    admission: int
    split: str
    label: int


@dataclass(frozen=True, order=True)
class _Note:
    """A summary or an addendum, in the order in which they are joined."""

    subject: int
    admission: int
    order: int
    date: str
    number: int


def _by_split(item: _Wanted) -> int:
    return SPLITS.index(item.split)


def _by_label(item: _Wanted) -> int:
    return item.label


def read_mimic(path: Path, source: MimicSource, *, undivided: bool) -> Texts:
    """One document an admission: its discharge summary, then its addenda by date, joined by spaces.

    Diabetes has given splits. Anemia takes the admissions with exactly one of the two diagnoses and
    draws test and dev, stratified. Admissions come by patient and number; for Anemia the chronic ones
    come before the acute ones. Source: Jain & Wallace 2019, released preprocessing.

    Args:
        path: the folder.
        source: the task, the files in the folder, shares and seeds.
        undivided: make no dev split of Anemia (switch train_part).

    Raises:
        UserError: a missing file or column, or a malformed row.
    """
    require_mimic(path, source)
    skipped: Counter[str] = Counter()
    codes = _read_codes(path / source.diagnoses, skipped)
    if source.task == "diabetes":
        wanted, dropped = _listed(path, source, codes)
        classes, order = ["no diabetes", "diabetes"], _by_split
    else:
        wanted, dropped = _anemic(codes)
        classes, order = ["chronic", "acute"], _by_label
    documents = _documents(path / source.notes, wanted, classes, order, skipped)
    facts = {"kind": "mimic", "task": source.task, "notes": source.notes, "admissions": len(codes)}
    documents = documents.with_facts({**facts, "skipped": dict(skipped)}, dropped)
    if source.task == "diabetes":
        return documents
    documents, _ = carve(
        documents, "test", share=source.test_share, seed=source.test_seed, stratify=documents.labels
    )
    if not undivided:
        documents, _ = carve(
            documents, "dev", share=source.dev_share, seed=source.seed, stratify=documents.labels
        )
    return documents if source.anemia_positive == "acute" else documents.with_classes_swapped()


def require_mimic(path: Path, source: MimicSource) -> None:
    """Check that the files are there, with the official columns.

    Raises:
        UserError: naming the first missing file or column.
    """
    for name in source.files():
        file = path / Path(name).relative_to(source.path)
        if not file.is_file():
            raise UserError(
                f"{file}: no such file; expected it in your copy of MIMIC-III (task {source.task}): set "
                "source.path or corpora_dir, or name it under source"
            )
    for name, columns in ((source.notes, _NOTE_COLUMNS), (source.diagnoses, _DIAGNOSIS_COLUMNS)):
        with closing(official_rows(path / name, columns)) as rows:
            next(rows, None)


def mimic_gives_dev(path: Path, source: MimicSource) -> bool:
    """Whether the task comes with a dev split."""
    return source.task == "diabetes"


def _read_codes(path: Path, skipped: Counter[str]) -> Codes:
    """Of every admission with a diagnosis at all, which of the codes it has."""
    codes: Codes = {}
    for _, (admission, code) in official_rows(path, _DIAGNOSIS_COLUMNS):
        if not admission or not code:
            skipped["diagnoses without admission or code"] += 1
            continue
        found = codes.setdefault(int(admission), set())
        found.update(start for start in _CODES if code.startswith(start))
    return codes


def _listed(path: Path, source: MimicSource, codes: Codes) -> tuple[list[_Wanted], list[Dropped]]:
    wanted: list[_Wanted] = []
    dropped = []
    seen: dict[int, str] = {}
    for split in SPLITS:
        file = path / source.admissions[split]
        without = 0
        for admission in read_admissions(file):
            if admission in seen:
                raise UserError(
                    f"{file}: expected every admission once in all lists, found {admission} of split "
                    f"{seen[admission]} again; mend the lists"
                )
            seen[admission] = split
            if admission in codes:
                wanted.append(_Wanted(admission, split, int(DIABETES in codes[admission])))
            else:
                without += 1
        if without:
            dropped.append(
                Dropped(split, f"no diagnosis of the admission in {source.diagnoses}", without)
            )
    return wanted, dropped


def _anemic(codes: Codes) -> tuple[list[_Wanted], list[Dropped]]:
    wanted = [
        _Wanted(admission, _ALL, int(ACUTE in found))
        for admission, found in codes.items()
        if (ACUTE in found) != (CHRONIC in found)
    ]
    both = sum(ACUTE in found and CHRONIC in found for found in codes.values())
    return wanted, [Dropped(_ALL, "both 285.1 and 285.2", both)] if both else []


def _documents(
    path: Path,
    wanted: Sequence[_Wanted],
    classes: list[str],
    order: Callable[[_Wanted], int],
    skipped: Counter[str],
) -> Texts:
    by_admission = {item.admission: item for item in wanted}
    kept, pieces = _read_notes(path, by_admission.keys(), skipped)
    summaries = Spool()
    found: list[_Wanted] = []
    grouped = _grouped(kept)
    # Patients and admissions come by number, which the sort below keeps.
    for admission in sorted(grouped, key=lambda admission: order(by_admission[admission])):
        notes = grouped[admission]
        summaries.append(" ".join(pieces.text(note.number) for note in notes).strip())
        found.append(by_admission[admission])
    lost = {item.admission for item in wanted} - {item.admission for item in found}
    splits = [by_admission[admission].split for admission in lost]
    return Texts(
        texts=summaries.texts(),
        labels=np.array([item.label for item in found], dtype=np.int64),
        splits=np.array(
            ["train" if item.split == _ALL else item.split for item in found], dtype="<U5"
        ),
        places=[f"{path}: admission {item.admission}" for item in found],
        classes=classes,
        dropped=tuple(
            Dropped(split, _NO_NOTE, splits.count(split))
            for split in (*SPLITS, _ALL)
            if split in splits
        ),
    )


def _grouped(notes: list[_Note]) -> dict[int, list[_Note]]:
    grouped: dict[int, list[_Note]] = defaultdict(list)
    for note in sorted(notes):
        grouped[note.admission].append(note)
    return grouped


def _read_notes(
    path: Path, wanted: Collection[int], skipped: Counter[str]
) -> tuple[list[_Note], Spool]:
    kept: list[_Note] = []
    pieces = Spool()
    rows = official_rows(path, _NOTE_COLUMNS)
    for line, row in tqdm(rows, desc=path.name, unit=" notes", disable=None):
        subject, admission, date, category, description, error, text = row
        if category != _SUMMARY:
            continue
        if not admission:
            skipped["summaries without admission"] += 1
            continue
        if int(admission) not in wanted:
            continue
        if error:  # Jain & Wallace 2019, released preprocessing, leave them out
            skipped["summaries marked as errors"] += 1
            continue
        if description not in _ORDER:
            raise UserError(
                f"{path}: line {line}: expected a DESCRIPTION of {' or '.join(_ORDER)}, found "
                f"{description!r}; get the file anew"
            )
        kept.append(_Note(int(subject), int(admission), _ORDER[description], date, len(pieces)))
        pieces.append(text)
    return kept, pieces
