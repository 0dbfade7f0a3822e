"""The files of MIMIC-III in their official columns, and lists of admissions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from attnnn.corpora.files import csv_table, opened
from attnnn.errors import UserError

_NUMBERS = ("SUBJECT_ID", "HADM_ID")


def official_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The named columns of every row, with the line it ends at; one row is held at a time.

    Args:
        path: a csv file with a header, plain or ``.gz``.
        columns: in upper case; the header may be in either.

    Raises:
        UserError: a missing column, or a row that is malformed or has something else for a number.
    """
    header, rows = csv_table(path)
    names = [name.upper() for name in header]
    for column in columns:
        if column not in names:
            raise UserError(
                f"{path}: no column {column!r}; the columns are {', '.join(header)}: "
                "expected the official ones of MIMIC-III"
            )
    positions = [(names.index(column), column in _NUMBERS) for column in columns]
    for line, row in rows:
        values = [
            _number(row[position], path, line) if is_number else row[position]
            for position, is_number in positions
        ]
        yield line, values


def read_admissions(path: Path) -> Iterator[int]:
    """The numbers of a list of admissions, one per line.

    Raises:
        UserError: naming the line that is no number.
    """
    with opened(path) as file:
        for line, content in enumerate(file, start=1):
            if not content.strip().isdecimal():
                raise UserError(
                    f"{path}: line {line}: expected one HADM_ID, found {content.strip()[:40]!r}; mend "
                    "that line"
                )
            yield int(content)


def _number(value: str, path: Path, line: int) -> str:
    """The same text: a number, or nothing. Some copies write 12.0 where others write 12."""
    number = value.strip().removesuffix(".0")
    if number and not number.isdecimal():
        raise UserError(
            f"{path}: line {line}: expected a number of a patient or an admission, found {value[:40]!r}; "
            "get the file anew"
        )
    return number
