"""Columns of csv, tsv, jsonl and parquet files."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from attnnn.errors import UserError

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (*_DELIMITERS, ".jsonl", ".parquet")


def columns_of(path: Path) -> list[str]:
    """The names of the columns, read from the head of the file.

    Raises:
        UserError: no such file, or not of a known format.
    """
    _require_file(path)
    with telling_encoding(path):
        if path.suffix == ".parquet":
            with _telling_parquet(path):
                return list(pq.read_schema(path).names)
        if path.suffix == ".jsonl":
            for _, record in json_lines(path):
                return list(record)
            raise UserError(f"{path}: expected json objects line by line, found an empty file")
        return next(_csv_lines(path))


def read_columns(path: Path, names: Sequence[str]) -> dict[str, list[Any]]:
    """The named columns, whole, in file order; values as the format types them (csv: all text).

    Raises:
        UserError: a column that is not there, or a malformed row, which is named.
    """
    found = columns_of(path)
    for name in names:
        if found.count(name) != 1:
            many = "no" if name not in found else "more than one"
            raise UserError(
                f"{path}: {many} column {name!r}; the columns are {', '.join(found)}: name one of them"
            )
    with telling_encoding(path):
        if path.suffix == ".parquet":
            with _telling_parquet(path):
                table = pq.read_table(path, columns=list(dict.fromkeys(names)))
            return {name: table[name].to_pylist() for name in names}
        if path.suffix == ".jsonl":
            return _read_jsonl(path, names)
        return _read_csv(path, names)


def read_text_file(path: Path) -> str:
    """The whole of a UTF-8 text file, line ends as they are.

    Raises:
        UserError: another encoding.
    """
    with telling_encoding(path), path.open(encoding="utf-8", newline="") as file:
        return file.read()


def csv_rows(path: Path, *, fields: int, what: str) -> Iterator[tuple[int, list[str]]]:
    """Every row of a csv file without a header, and the line it ends at.

    Args:
        path: the file.
        fields: how many every row has.
        what: they are, in words.

    Raises:
        UserError: a malformed row.
    """
    with telling_encoding(path), path.open(encoding="utf-8", newline="") as file:
        for line, row in csv_records(path, file):
            if len(row) != fields:
                raise UserError(
                    f"{path}: line {line}: expected {fields} fields ({what}), found {len(row)}; get the "
                    "file anew"
                )
            yield line, row


def csv_records(
    path: Path, file: Iterable[str], *, delimiter: str = ","
) -> Iterator[tuple[int, list[str]]]:
    """Every row of an open csv file that is not blank, and the line it ends at.

    Raises:
        UserError: a row that is not csv.
    """
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # documents are longer than the default
    lines = csv.reader(file, delimiter=delimiter, strict=True)
    while True:
        try:
            row = next(lines)
        except StopIteration:
            return
        except csv.Error as error:
            raise UserError(
                f"{path}: line {lines.line_num}: malformed ({error}); quote fields that hold quotes, "
                "delimiters or line breaks, doubling the quotes inside"
            ) from None
        if row:
            yield lines.line_num, row


def place(path: Path, index: int) -> str:
    """How errors name a record: its row, the first after a header being 1, or its line (jsonl)."""
    return f"{path}: {'line' if path.suffix == '.jsonl' else 'row'} {index + 1}"


def _require_file(path: Path) -> None:
    if path.suffix not in ENDINGS:
        raise UserError(
            f"{path}: expected a file that ends in {', '.join(ENDINGS)}; rename or convert it"
        )
    if not path.is_file():
        raise UserError(f"{path}: no such file; set source.path or corpora_dir")


def _csv_lines(path: Path) -> Iterator[list[str]]:
    # utf-8-sig: spreadsheets begin their files with a byte order mark
    with path.open(encoding="utf-8-sig", newline="") as file:
        header: list[str] | None = None
        for line, fields in csv_records(path, file, delimiter=_DELIMITERS[path.suffix]):
            if header is None:
                header = fields
            elif len(fields) != len(header):
                raise UserError(
                    f"{path}: line {line}: expected {len(header)} fields as in the header, "
                    f"found {len(fields)}; quote fields that hold delimiters or line breaks"
                )
            yield fields
    if header is None:
        raise UserError(f"{path}: expected a header line, found an empty file")


def _read_csv(path: Path, names: Sequence[str]) -> dict[str, list[Any]]:
    lines = _csv_lines(path)
    header = next(lines)
    positions = {name: header.index(name) for name in names}
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for fields in lines:
        for name, position in positions.items():
            columns[name].append(fields[position])
    return columns


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every object of a jsonl file with its line; one line is held at a time.

    Raises:
        UserError: a line that is no json object.
    """
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                raise UserError(
                    f"{path}: line {number}: expected a json object, found a blank line"
                )
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise UserError(
                    f"{path}: line {number}: expected one json object a line, found malformed json "
                    f"({error.msg} at column {error.colno}); mend that line"
                ) from None
            if not isinstance(record, dict):
                raise UserError(
                    f"{path}: line {number}: expected a json object, found {type(record).__name__}"
                )
            yield number, record


def _read_jsonl(path: Path, names: Sequence[str]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for number, record in json_lines(path):
        for name, values in columns.items():
            if name not in record:
                raise UserError(
                    f"{path}: line {number}: no key {name!r}; the keys there are {', '.join(record)}"
                )
            values.append(record[name])
    return columns


@contextmanager
def telling_encoding(path: Path) -> Iterator[None]:
    """Turn an encoding that is not UTF-8 into a user's mistake."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}: expected UTF-8 text, found byte {error.object[error.start]:#x} "
            f"({error.reason}); convert the file"
        ) from None


@contextmanager
def _telling_parquet(path: Path) -> Iterator[None]:
    try:
        yield
    except pa.ArrowInvalid:
        raise UserError(
            f"{path}: expected a parquet file, found something else; get it anew"
        ) from None
