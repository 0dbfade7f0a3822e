"""The files of MIMIC-III with their official columns, and lists of admissions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from attnnn.corpora.files import csv_table, opened
from attnnn.errors import UserError

_NUMBERS = ("SUBJECT_ID", "HADM_ID")


def official_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The named columns of every row, and the line where it ends; one row is held at a time.

    Args:
        path: a csv file with a header, plain or ``.gz``.
        columns: in upper case; the header may be in either.

    Raises:
        UserError: a missing column, or a row that is malformed or lacks a number where one belongs.
    """
    header, rows = csv_table(path)
    names = [name.upper() for name in header]
    for column in columns:
        if column not in names:
            raise UserError(
                f"{path}: no column {column!r}; the columns are {', '.join(header)}: "
                "use a file with the official columns of MIMIC-III"
            )
    positions = [(names.index(column), column in _NUMBERS) for column in columns]
    for line, row in rows:
        values = [
            _number(row[position], path, line) if is_number else row[position]
            for position, is_number in positions
        ]
        yield line, values


def read_admissions(path: Path) -> Iterator[int]:
    """The admissions that a file lists, one number per line.

    Raises:
        UserError: a line that is not a number.
    """
    with opened(path) as file:
        for line, content in enumerate(file, start=1):
            if not content.strip().isdecimal():
                raise UserError(
                    f"{path}: line {line}: expected one HADM_ID, found {content.strip()[:40]!r}; correct "
                    "that line"
                )
            yield int(content)


def _number(value: str, path: Path, line: int) -> str:
    """A whole number as text, or an empty text. Some copies write 12.0 where others write 12."""
    number = value.strip().removesuffix(".0")
    if number and not number.isdecimal():
        raise UserError(
            f"{path}: line {line}: expected a number of a patient or an admission, found {value[:40]!r}; "
            "download the file again"
        )
    return number
