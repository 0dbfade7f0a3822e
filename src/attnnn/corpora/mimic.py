"""Discharge summaries of MIMIC-III (Johnson et al. 2016): Diabetes and Anemia.

The file of notes has 4 GB. It is read row by row, and the summaries that are needed go to a temporary
file, so that memory holds one note at a time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from tqdm import tqdm

from attnnn.corpora.mimic_files import official_rows, read_admissions
from attnnn.corpora.splits import carve, carve_dev
from attnnn.corpora.spool import Spool
from attnnn.corpora.texts import ALL, SPLITS, Collector, Texts
from attnnn.errors import UserError
from attnnn.study.sources import MimicSource

DIABETES, ACUTE, CHRONIC = "25000", "2851", "2852"  # as MIMIC writes 250.00, 285.1 and 285.2
_CODES = (DIABETES, ACUTE, CHRONIC)
_SUMMARY = "Discharge summary"
_ORDER = {"Report": 0, "Addendum": 1}
_DIAGNOSIS_COLUMNS = ("HADM_ID", "ICD9_CODE")
_NOTE_COLUMNS = ("SUBJECT_ID", "HADM_ID", "CHARTDATE", "CATEGORY", "DESCRIPTION", "ISERROR", "TEXT")
_NO_NOTE = "no discharge summary of the admission among the notes"

Codes = dict[int, set[str]]  # by admission: which of _CODES its diagnoses start with


@dataclass(frozen=True)
class _Wanted:
    """An admission that becomes a document."""

    split: str  # `ALL` for Anemia, until splits are drawn
    label: int
    order: int  # documents come in this order, and within it by patient and admission


@dataclass(frozen=True, order=True)
class _Note:
    """A summary or an addendum, in the order in which they are joined."""

    subject: int
    admission: int
    order: int
    date: str
    number: int


def read_mimic(path: Path, source: MimicSource, *, undivided: bool) -> Texts:
    """One document per admission: its discharge summary and then its addenda by date, joined by spaces.

    The splits of Diabetes are given. Anemia takes the admissions with exactly one of the two diagnoses,
    and its test and dev splits are drawn, stratified by class. Admissions are sorted by patient and
    number; for Anemia, the chronic ones precede the acute ones. Source: Jain & Wallace 2019, released
    preprocessing.

    Args:
        path: the folder.
        source: the task, the files in the folder, shares and seeds.
        undivided: whether to leave train whole for Anemia, without a dev split (switch train_part).

    Raises:
        UserError: a missing column or a malformed row.
    """
    skipped: Counter[str] = Counter()
    codes = _read_codes(path / source.diagnoses, skipped)
    if source.task == "diabetes":
        classes, listed = ["no diabetes", "diabetes"], _listed(path, source, codes)
    else:
        classes, listed = ["chronic", "acute"], _anemic(codes)
    found = _documents(path / source.notes, *listed, skipped)
    facts = {"kind": "mimic", "task": source.task, "notes": source.notes, "admissions": len(codes)}
    documents = found.documents(classes, {**facts, "skipped": dict(skipped)})
    if source.task == "diabetes":
        return documents
    share, seed = source.test_share, source.test_seed
    documents, _ = carve(documents, "test", share=share, seed=seed, stratify=True)
    documents = carve_dev(documents, source, undivided=undivided, stratify=True)
    if source.anemia_positive == "acute":
        return documents
    return replace(documents, labels=1 - documents.labels, classes=documents.classes[::-1])


def require_columns(path: Path, source: MimicSource) -> None:
    """Check that the notes and the diagnoses have the official columns.

    Raises:
        UserError: the first missing column is named.
    """
    for name, columns in ((source.notes, _NOTE_COLUMNS), (source.diagnoses, _DIAGNOSIS_COLUMNS)):
        next(official_rows(path / name, columns), None)


def _read_codes(path: Path, skipped: Counter[str]) -> Codes:
    """Which of the codes each admission has, for all admissions with any diagnosis."""
    codes: Codes = {}
    for _, (admission, code) in official_rows(path, _DIAGNOSIS_COLUMNS):
        if not admission or not code:
            skipped["diagnoses without admission or code"] += 1
            continue
        found = codes.setdefault(int(admission), set())
        found.update(start for start in _CODES if code.startswith(start))
    return codes


def _listed(path: Path, source: MimicSource, codes: Codes) -> tuple[dict[int, _Wanted], Collector]:
    """The listed admissions with a diagnosis; those without one are counted."""
    wanted: dict[int, _Wanted] = {}
    found = Collector(Spool())
    for split in SPLITS:
        file = path / source.admissions[split]
        for admission in read_admissions(file):
            if admission in wanted:
                raise UserError(
                    f"{file}: expected every admission once in all lists, found {admission} of split "
                    f"{wanted[admission].split} again; remove one of them"
                )
            label = int(DIABETES in codes.get(admission, ()))
            wanted[admission] = _Wanted(split, label, order=SPLITS.index(split))
            if admission not in codes:
                found.dropped[split, f"no diagnosis of the admission in {source.diagnoses}"] += 1
    return {admission: item for admission, item in wanted.items() if admission in codes}, found


def _anemic(codes: Codes) -> tuple[dict[int, _Wanted], Collector]:
    """The admissions with exactly one of the diagnoses; those with both are counted."""
    wanted = {}
    found = Collector(Spool())
    for admission, diagnoses in codes.items():
        if {ACUTE, CHRONIC} <= diagnoses:
            found.dropped[ALL, "both 285.1 and 285.2"] += 1
        elif ACUTE in diagnoses or CHRONIC in diagnoses:
            label = int(ACUTE in diagnoses)
            wanted[admission] = _Wanted(ALL, label, order=label)
    return wanted, found


def _documents(
    path: Path, wanted: dict[int, _Wanted], found: Collector, skipped: Counter[str]
) -> Collector:
    """The same collector with the summaries of the wanted admissions; those without are counted."""
    kept, pieces = _read_notes(path, wanted.keys(), skipped)
    grouped: dict[int, list[_Note]] = defaultdict(list)
    for note in sorted(kept):
        grouped[note.admission].append(note)
    # Notes are sorted by patient and admission, and the stable sort below keeps that order.
    for admission in sorted(grouped, key=lambda admission: wanted[admission].order):
        text = " ".join(pieces.text(note.number) for note in grouped[admission]).strip()
        split = "train" if wanted[admission].split == ALL else wanted[admission].split
        place = f"{path}: admission {admission}"
        found.add(text, label=wanted[admission].label, split=split, place=place)
    for admission, item in wanted.items():
        found.dropped[item.split, _NO_NOTE] += admission not in grouped
    return found


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
        if error:  # left out as in Jain & Wallace 2019, released preprocessing
            skipped["summaries marked as errors"] += 1
            continue
        if description not in _ORDER:
            raise UserError(
                f"{path}: line {line}: expected DESCRIPTION {' or '.join(_ORDER)}, found "
                f"{description!r}; download the file again"
            )
        kept.append(_Note(int(subject), int(admission), _ORDER[description], date, len(pieces)))
        pieces.append(text)
    return kept, pieces
