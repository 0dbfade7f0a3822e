"""Text files and columns of csv, tsv, jsonl and parquet files; errors name the file and the line."""

from __future__ import annotations

import csv
import gzip
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from attnnn.errors import UserError

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (*_DELIMITERS, ".jsonl", ".parquet")


def columns_of(path: Path) -> list[str]:
    """The names of the columns, read from the head of the file.

    Raises:
        UserError: no such file, or an unknown format.
    """
    if path.suffix not in ENDINGS:
        raise UserError(
            f"{path}: expected a file that ends in {', '.join(ENDINGS)}; rename or convert it"
        )
    if not path.is_file():
        raise UserError(f"{path}: no such file; set source.path or corpora_dir")
    if path.suffix == ".parquet":
        with telling_faults(path):
            return list(pq.read_schema(path).names)
    if path.suffix == ".jsonl":
        for _, record in json_lines(path):
            return list(record)
        raise UserError(f"{path}: expected one json object per line, found an empty file")
    return csv_table(path, delimiter=_DELIMITERS[path.suffix])[0]


def read_columns(path: Path, names: Sequence[str]) -> dict[str, list[Any]]:
    """The named columns, which must exist, in file order; values as the format types them (csv: all text).

    Raises:
        UserError: a malformed row, which is named.
    """
    if path.suffix == ".parquet":
        with telling_faults(path):
            table = pq.read_table(path, columns=list(dict.fromkeys(names)))
        return {name: table[name].to_pylist() for name in names}
    return (_read_jsonl if path.suffix == ".jsonl" else _read_csv)(path, names)


def csv_rows(
    path: Path, *, delimiter: str = ",", fields: int | None = None, what: str = "as in the header"
) -> Iterator[tuple[int, list[str]]]:
    """Every row of a csv file that is not blank, and the line where it ends; one row is held at a time.

    Args:
        path: a file, plain or ``.gz``.
        delimiter: what separates fields.
        fields: how many every row must have; None: as many as the first row.
        what: what they are, in words.

    Raises:
        UserError: a row that is not csv or has another number of fields.
    """
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # documents are longer than the default
    with opened(path, newline="") as file:
        lines = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            for row in filter(None, lines):
                fields = fields or len(row)
                if len(row) != fields:
                    raise UserError(
                        f"{path}: line {lines.line_num}: expected {fields} fields {what}, found "
                        f"{len(row)}; quote fields that hold delimiters or line breaks, or replace the file"
                    )
                yield lines.line_num, row
        except csv.Error as error:
            raise UserError(
                f"{path}: line {lines.line_num}: malformed ({error}); quote fields that hold quotes, "
                "delimiters or line breaks, doubling the quotes inside"
            ) from None


def csv_table(
    path: Path, *, delimiter: str = ","
) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """The header of a csv file, and its other rows as `csv_rows` yields them.

    Raises:
        UserError: an empty file, or as in `csv_rows`.
    """
    rows = csv_rows(path, delimiter=delimiter)
    _, header = next(rows, (0, None))
    if header is None:
        raise UserError(f"{path}: expected a header line, found an empty file")
    return header, rows


def place(path: Path, index: int) -> str:
    """How errors name a record: by its row, where 1 is the first after the header, or by its line (jsonl)."""
    return f"{path}: {'line' if path.suffix == '.jsonl' else 'row'} {index + 1}"


def _read_csv(path: Path, names: Sequence[str]) -> dict[str, list[Any]]:
    header, rows = csv_table(path, delimiter=_DELIMITERS[path.suffix])
    positions = [header.index(name) for name in names]
    cells = [[fields[position] for position in positions] for _, fields in rows]
    return {name: [row[column] for row in cells] for column, name in enumerate(names)}


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every object in a jsonl file with its line number; one line is held at a time.

    Raises:
        UserError: a line that is not a json object.
    """
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                raise UserError(
                    f"{path}: line {number}: expected a json object, found a blank line; remove it"
                )
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise UserError(
                    f"{path}: line {number}: expected one json object per line, found malformed json "
                    f"({error.msg} at column {error.colno}); correct that line"
                ) from None
            if not isinstance(record, dict):
                raise UserError(
                    f"{path}: line {number}: expected a json object, found {type(record).__name__}; "
                    "correct that line"
                )
            yield number, record


def _read_jsonl(path: Path, names: Sequence[str]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for number, record in json_lines(path):
        for name, values in columns.items():
            if name not in record:
                raise UserError(
                    f"{path}: line {number}: expected the key {name!r}, found {', '.join(record)}; "
                    "correct that line"
                )
            values.append(record[name])
    return columns


@contextmanager
def opened(
    path: Path, *, encoding: str = "utf-8-sig", newline: str | None = None
) -> Iterator[TextIO]:
    """Open a UTF-8 text file, plain or ``.gz``, within `telling_faults`; a byte order mark is skipped."""
    plain = path.suffix != ".gz"
    with (
        telling_faults(path),
        path.open(encoding=encoding, newline=newline)
        if plain
        else gzip.open(path, "rt", encoding=encoding, newline=newline) as file,
    ):
        yield file


@contextmanager
def telling_faults(path: Path) -> Iterator[None]:
    """Report a file that is not UTF-8, a whole gzip file or parquet as a user's mistake."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}: expected UTF-8 text, found byte {error.object[error.start]:#x} "
            f"({error.reason}); convert the file"
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UserError(
            f"{path}: expected a whole gzip file ({error}); download it again"
        ) from None
    except pa.ArrowInvalid:
        raise UserError(
            f"{path}: expected a parquet file, found something else; download it again"
        ) from None
