"""The files of MIMIC-III in their official columns, and lists of admissions."""

from __future__ import annotations

import gzip
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from attnnn.corpora.table_files import csv_records, telling_encoding
from attnnn.errors import UserError

_NUMBERS = ("SUBJECT_ID", "HADM_ID")


def official_rows(
    path: Path, columns: Sequence[str]
) -> Generator[tuple[int, list[str]], None, None]:
    """The named columns of every row, with the line it ends at; one row is held at a time.

    Args:
        path: a csv file with a header, plain or ``.gz``.
        columns: in upper case; the header may be in either.

    Raises:
        UserError: a missing column, or a row that is malformed or has something else for a number.
    """
    with telling_encoding(path), _opened(path) as file:
        records = csv_records(path, file)
        _, header = next(records, (0, []))
        names = [name.upper() for name in header]
        for column in columns:
            if column not in names:
                raise UserError(
                    f"{path}: no column {column!r}; the columns are {', '.join(header) or 'none'}: "
                    "expected the official ones of MIMIC-III"
                )
        positions = [(names.index(column), column in _NUMBERS) for column in columns]
        for line, row in records:
            if len(row) != len(header):
                raise UserError(
                    f"{path}: line {line}: expected {len(header)} fields as in the header, found "
                    f"{len(row)}; get the file anew"
                )
            yield (
                line,
                [
                    _number(row[position], path, line) if is_number else row[position]
                    for position, is_number in positions
                ],
            )


def read_admissions(path: Path) -> Iterator[int]:
    """The numbers of a list of admissions, one a line.

    Raises:
        UserError: naming the line that is no number.
    """
    with telling_encoding(path), path.open(encoding="utf-8-sig") as file:
        for line, content in enumerate(file, start=1):
            if not content.strip().isdecimal():
                raise UserError(
                    f"{path}: line {line}: expected one HADM_ID, found {content.strip()[:40]!r}; mend "
                    "that line"
                )
            yield int(content)


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    return path.open(encoding="utf-8", newline="")


def _number(value: str, path: Path, line: int) -> str:
    """The same text: a number, or nothing. Some copies write 12.0 where others write 12."""
    number = value.strip().removesuffix(".0")
    if number and not number.isdecimal():
        raise UserError(
            f"{path}: line {line}: expected a number of a patient or an admission, found {value[:40]!r}; "
            "get the file anew"
        )
    return number
