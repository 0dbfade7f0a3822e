"""Discharge summaries of MIMIC-III (Johnson et al. 2016): Diabetes and Anemia.

The notes are a file of 4 GB. They are read row by row, and the summaries that are wanted are kept in a
temporary file, so that memory holds one note at a time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
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

Codes = dict[int, set[str]]  # by admission: those of _CODES that one of its diagnoses starts with


@dataclass(frozen=True)
class _Wanted:
    """An admission that becomes a document."""

    admission: int
    split: str  # `ALL` for Anemia, until splits are drawn
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
    return (*SPLITS, ALL).index(item.split)


def _by_label(item: _Wanted) -> int:
    return item.label


def read_mimic(path: Path, source: MimicSource, *, undivided: bool) -> Texts:
    """One document per admission: its discharge summary, then its addenda by date, joined by spaces.

    Diabetes has given splits. Anemia takes the admissions with exactly one of the two diagnoses and
    draws test and dev, stratified. Admissions come by patient and number; for Anemia the chronic ones
    come before the acute ones. Source: Jain & Wallace 2019, released preprocessing.

    Args:
        path: the folder.
        source: the task, the files in the folder, shares and seeds.
        undivided: make no dev split of Anemia (switch train_part).

    Raises:
        UserError: a missing column or a malformed row.
    """
    skipped: Counter[str] = Counter()
    codes = _read_codes(path / source.diagnoses, skipped)
    if source.task == "diabetes":
        listed = _listed(path, source, codes)
        classes, order = ["no diabetes", "diabetes"], _by_split
    else:
        listed = _anemic(codes)
        classes, order = ["chronic", "acute"], _by_label
    found = _documents(path / source.notes, *listed, order, skipped)
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
    """Check that notes and diagnoses have the official columns.

    Raises:
        UserError: naming the first missing column.
    """
    for name, columns in ((source.notes, _NOTE_COLUMNS), (source.diagnoses, _DIAGNOSIS_COLUMNS)):
        next(official_rows(path / name, columns), None)


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


def _listed(path: Path, source: MimicSource, codes: Codes) -> tuple[list[_Wanted], Collector]:
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
            wanted[admission] = _Wanted(admission, split, label)
            if admission not in codes:
                found.dropped[split, f"no diagnosis of the admission in {source.diagnoses}"] += 1
    return [item for item in wanted.values() if item.admission in codes], found


def _anemic(codes: Codes) -> tuple[list[_Wanted], Collector]:
    """The admissions with exactly one of the diagnoses; those with both are counted."""
    wanted = []
    found = Collector(Spool())
    for admission, diagnoses in codes.items():
        if {ACUTE, CHRONIC} <= diagnoses:
            found.dropped[ALL, "both 285.1 and 285.2"] += 1
        elif ACUTE in diagnoses or CHRONIC in diagnoses:
            wanted.append(_Wanted(admission, ALL, int(ACUTE in diagnoses)))
    return wanted, found


def _documents(
    path: Path,
    wanted: Sequence[_Wanted],
    found: Collector,
    order: Callable[[_Wanted], int],
    skipped: Counter[str],
) -> Collector:
    """The same collector with the summaries of the wanted admissions; those without are counted."""
    by_admission = {item.admission: item for item in wanted}
    kept, pieces = _read_notes(path, by_admission.keys(), skipped)
    grouped: dict[int, list[_Note]] = defaultdict(list)
    for note in sorted(kept):
        grouped[note.admission].append(note)
    # Patients and admissions come by number, which the sort below keeps.
    for admission in sorted(grouped, key=lambda admission: order(by_admission[admission])):
        text = " ".join(pieces.text(note.number) for note in grouped[admission]).strip()
        item = by_admission[admission]
        split = "train" if item.split == ALL else item.split
        found.add(text, label=item.label, split=split, place=f"{path}: admission {admission}")
    for item in sorted(wanted, key=_by_split):
        found.dropped[item.split, _NO_NOTE] += item.admission not in grouped
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
