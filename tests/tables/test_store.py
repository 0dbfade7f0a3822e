from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import attnnn
from attnnn.errors import UserError
from attnnn.tables import analyses, schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import (
    Column,
    Schema,
    facts_of,
    read_table,
    read_table_of,
    write_blocks,
    write_table,
    write_text,
    written_aside,
)

SCHEMA = Schema(
    "scores",
    {
        "document": Column(pa.int64(), "document's number"),
        "score": Column(pa.list_(pa.float32()), "score of each token"),
        "tau": Column(pa.float64(), "τ-b", nullable=True),
    },
)


def columns(**changes: Any) -> dict[str, Any]:
    scores = Ragged.from_lists([[0.5, 0.25], [1.0]])
    return {"document": [3, 1], "score": scores, "tau": [None, 0.5], **changes}


def test_a_table_reads_back_with_its_facts_and_meanings(tmp_path: Path):
    path = tmp_path / "deep" / "scores.parquet"
    write_table(path, SCHEMA, columns(), made_by={"seed": 7})
    table = read_table(path, SCHEMA)
    assert table.to_pydict() == {
        "document": [3, 1],
        "score": [[0.5, 0.25], [1.0]],
        "tau": [None, 0.5],
    }
    assert facts_of(table) == {"table": "scores", "version": attnnn.__version__, "seed": 7}
    assert pq.read_schema(path).field("tau").metadata[b"meaning"].decode() == "τ-b"


def test_the_same_columns_give_the_same_bytes(tmp_path: Path):
    for name in ("a", "b"):
        write_table(tmp_path / name, SCHEMA, columns(), made_by={"y": 1, "x": 2})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"extra": [1, 2]}, "expected columns .*, got .*extra"),
        ({"document": [3, None]}, "column 'document' must not hold nulls"),
    ],
)
def test_what_the_schema_does_not_allow_is_not_written(
    tmp_path: Path, changes: dict[str, Any], words: str
):
    path = tmp_path / "scores.parquet"
    with pytest.raises(ValueError, match=words):
        write_table(path, SCHEMA, columns(**changes), made_by={})
    assert not list(tmp_path.iterdir())


def test_a_missing_column_is_not_written(tmp_path: Path):
    some = columns()
    del some["tau"]
    with pytest.raises(ValueError, match=r"expected columns .*tau"):
        write_table(tmp_path / "scores.parquet", SCHEMA, some, made_by={})


def test_nan_is_a_number_and_not_a_null(tmp_path: Path):
    path = tmp_path / "scores.parquet"
    write_table(path, SCHEMA, columns(tau=np.array([np.nan, 0.5])), made_by={})
    assert read_table(path, SCHEMA)["tau"].null_count == 0


def test_a_file_that_is_no_such_table_is_refused_in_one_line(tmp_path: Path):
    missing, torn, other = (tmp_path / name for name in ("missing", "torn", "other"))
    torn.write_text("not parquet")
    write_table(other, schemas.HISTORY, {k: [] for k in schemas.HISTORY.columns}, made_by={})
    for path, words in [
        (missing, "no such file"),
        (torn, "not a readable parquet file"),
        (other, r"not a 'scores' table .* found epoch"),
    ]:
        with pytest.raises(UserError, match=words) as caught:
            read_table(path, SCHEMA)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_an_error_while_writing_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    path = tmp_path / "text.md"
    write_text(path, "old")

    def fail() -> None:
        with written_aside(path) as aside:
            aside.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_a_file_do_not_meet_though_their_process_numbers_are_equal(tmp_path: Path):
    path = tmp_path / "text.md"
    with written_aside(path) as first, written_aside(path) as second:
        first.write_text("first, whole")
        second.write_text("second")
    assert path.read_text() == "first, whole"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "schema",
    [s for s in (vars(schemas) | vars(analyses)).values() if isinstance(s, Schema)],
    ids=lambda s: s.name,
)
def test_every_declared_schema_says_what_its_columns_mean(schema: Schema):
    assert schema.columns
    assert all(column.meaning for column in schema.columns.values())


def test_blocks_make_one_table(tmp_path: Path):
    path = tmp_path / "scores.parquet"
    more = columns(document=[4, 5])
    write_blocks(path, SCHEMA, iter([columns(), more]), made_by={"seed": 7})
    table = read_table(path, SCHEMA)
    assert table["document"].to_pylist() == [3, 1, 4, 5]
    assert facts_of(table)["seed"] == 7
    write_blocks(tmp_path / "one.parquet", SCHEMA, [columns()], made_by={"seed": 7})
    write_table(tmp_path / "two.parquet", SCHEMA, columns(), made_by={"seed": 7})
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_a_faulty_later_block_leaves_no_file(tmp_path: Path):
    path = tmp_path / "scores.parquet"
    with pytest.raises(ValueError, match="must not hold nulls"):
        write_blocks(path, SCHEMA, [columns(), columns(document=[None, 1])], made_by={})
    assert list(tmp_path.iterdir()) == []


def test_rows_of_one_value_are_read_alone(tmp_path: Path):
    path = tmp_path / "scores.parquet"
    splits = Schema("splits", {"split": Column(pa.string(), "its"), "x": Column(pa.int64(), "any")})
    blocks = [{"split": ["test", "dev"], "x": [1, 2]}, {"split": ["test"], "x": [3]}]
    write_blocks(path, splits, blocks, made_by={"seed": 7})
    table = read_table_of(path, [splits], columns={"x"}, where=("split", "test"))
    assert table.to_pydict() == {"x": [1, 3]}
    assert facts_of(table)["seed"] == 7
