"""Tables are the interface between stages: declared schemas, checked on write and on read.

Every file is written aside and renamed, so that a reader never meets half of one.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from safetensors.numpy import load, save

from attnnn import __version__
from attnnn.errors import UserError
from attnnn.tables.ragged import Ragged


@contextmanager
def written_aside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary sibling of `path` that takes its name when the block ends without error.

    The sibling's name is no other writer's: process numbers repeat among the nodes of a cluster.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f".{target.stem}.{uuid4().hex}{target.suffix}")
    try:
        yield aside
        os.replace(aside, target)
    finally:
        aside.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file whole or not at all."""
    with written_aside(path) as aside:
        aside.write_text(text, encoding="utf-8")


def write_json(path: str | os.PathLike[str], content: Any) -> None:
    """Write an indented json file whole or not at all."""
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


@dataclass(frozen=True)
class Column:
    """One column: its arrow type, what it means (with units or range), and whether it may be null."""

    type: pa.DataType
    meaning: str
    nullable: bool = False


@dataclass(frozen=True)
class Schema:
    """A named table of the study."""

    name: str
    columns: Mapping[str, Column]

    @property
    def arrow(self) -> pa.Schema:
        """The arrow schema; meanings travel as field metadata."""
        return pa.schema(
            [
                pa.field(name, column.type, column.nullable, {"meaning": column.meaning})
                for name, column in self.columns.items()
            ]
        )


def write_table(
    path: str | os.PathLike[str],
    schema: Schema,
    columns: Mapping[str, Any],
    *,
    made_by: Mapping[str, Any],
) -> None:
    """Write a table of the given schema.

    Args:
        path: the parquet file.
        schema: every one of its columns must be given, and no other.
        columns: arrays, lists or `Ragged` (for list columns), all of one length.
        made_by: json-able facts kept in the file's metadata (run identity, seed, …); the package
            version is added.

    Raises:
        ValueError: columns missing, unknown, of the wrong type, or null where that is not allowed.
    """
    write_blocks(path, schema, [columns], made_by=made_by)


def write_blocks(
    path: str | os.PathLike[str],
    schema: Schema,
    blocks: Iterable[Mapping[str, Any]],
    *,
    made_by: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]] | None = None,
) -> None:
    """Write a table of the given schema block by block, so that memory holds one block.

    Args:
        path: the parquet file.
        schema: as for `write_table`, and so are the columns of every block.
        blocks: the rows, in order.
        made_by: as for `write_table`.
        arrays: numbers about the whole table, kept in the file's metadata for `arrays_of`.

    Raises:
        ValueError: as `write_table`.
    """
    facts = {"table": schema.name, "version": __version__, **made_by}
    metadata = {"attnnn": json.dumps(facts, sort_keys=True).encode()}
    if arrays:
        metadata["attnnn.arrays"] = b64encode(save({n: a.copy() for n, a in arrays.items()}))
    arrow = schema.arrow.with_metadata(metadata)
    with (
        written_aside(path) as aside,
        pq.ParquetWriter(aside, arrow, compression="zstd") as writer,
    ):
        for columns in blocks:
            table = _to_table(columns, schema, arrow)
            _check_nulls(table, schema, path)
            writer.write_table(table)


def read_table(path: str | os.PathLike[str], schema: Schema) -> pa.Table:
    """Read a table and check it against its schema.

    Raises:
        UserError: the file is missing or is not such a table.
    """
    return read_table_of(path, [schema])


def read_table_of(
    path: str | os.PathLike[str],
    schemas: Sequence[Schema],
    *,
    columns: Collection[str] | None = None,
    where: tuple[str, str] | None = None,
) -> pa.Table:
    """Read a table of one of several kinds, or some of its columns, and check it against its schema.

    Args:
        path: the parquet file.
        schemas: what it may be.
        columns: those to read, as far as its kind has them; None: all.
        where: a column and its value in the rows to read, so that memory holds these alone; None: all rows.

    Raises:
        UserError: the file is missing or is no such table.
    """
    try:
        with pq.ParquetFile(path) as file:
            schema = _kind_of(file.schema_arrow, schemas, path)
            wanted = [name for name in schema.columns if columns is None or name in columns]
            table = file.read(wanted) if where is None else _rows_of(file, wanted, *where)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; run the rule that makes it first") from None
    except pa.ArrowInvalid as error:
        raise UserError(
            f"{path}: not a readable parquet file ({error}); delete it and run again"
        ) from None
    _check_nulls(table, schema, path)
    return table


def _kind_of(found: pa.Schema, schemas: Sequence[Schema], path: str | os.PathLike[str]) -> Schema:
    schema = next((kind for kind in schemas if _is_of(found, kind)), None)
    if schema is None:
        raise UserError(
            f"{path}: not a {' or '.join(repr(kind.name) for kind in schemas)} table of this version: "
            f"expected columns {', '.join(schemas[0].arrow.names)}; found "
            f"{', '.join(found.names)}; delete it and run again"
        )
    return schema


def _rows_of(file: pq.ParquetFile, columns: Sequence[str], name: str, value: str) -> pa.Table:
    """The rows of a file in which a column holds a value.

    Row groups are read one by one: `pq.read_table`'s own filter imports pyarrow.dataset, which takes a
    verb longer than most of what it does.
    """
    read = list(dict.fromkeys([*columns, name]))
    groups = (file.read_row_group(i, columns=read) for i in range(file.num_row_groups))
    parts = [group.filter(pc.equal(group[name], value)).select(columns) for group in groups]
    return pa.concat_tables(parts) if parts else file.schema_arrow.empty_table().select(columns)


def _is_of(found: pa.Schema, schema: Schema) -> bool:
    return bool(schema.arrow.equals(found.remove_metadata(), check_metadata=False))


def facts_of(table: pa.Table) -> dict[str, Any]:
    """What `write_table` kept of how the table was made."""
    facts: dict[str, Any] = json.loads((table.schema.metadata or {})[b"attnnn"])
    return facts


def arrays_of(table: pa.Table) -> dict[str, NDArray[Any]]:
    """The arrays that `write_blocks` kept about the whole table."""
    kept = (table.schema.metadata or {}).get(b"attnnn.arrays")
    return {} if kept is None else load(b64decode(kept))


def _to_table(columns: Mapping[str, Any], schema: Schema, arrow: pa.Schema) -> pa.Table:
    if set(columns) != set(schema.columns):
        raise ValueError(
            f"table {schema.name}: expected columns {sorted(schema.columns)}, got {sorted(columns)}"
        )
    arrays = [_to_arrow(columns[name], column.type) for name, column in schema.columns.items()]
    return pa.Table.from_arrays(arrays, schema=arrow)


def _to_arrow(values: Any, kind: pa.DataType) -> pa.Array:
    if isinstance(values, Ragged):
        return values.to_arrow().cast(kind)
    if isinstance(values, np.ndarray) and values.dtype.kind == "f" and not pa.types.is_list(kind):
        return pa.array(values, from_pandas=False).cast(kind)
    return pa.array(values, type=kind)


def _check_nulls(table: pa.Table, schema: Schema, path: str | os.PathLike[str]) -> None:
    for name, column in schema.columns.items():
        if not column.nullable and name in table.column_names and table[name].null_count:
            raise ValueError(f"{path}: column {name!r} must not hold nulls")
