import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnnn.tables.ragged import Ragged, blocks, concatenate, unpadded

numbers = st.floats(-1e6, 1e6, width=32)
documents = st.lists(st.lists(numbers, max_size=6), min_size=1, max_size=6)


def ragged(rows: list[list[float]]) -> Ragged:
    return Ragged.from_lists(rows, np.float64)


def test_a_document_is_a_slice_of_the_flat_values():
    words = ragged([[1, 2], [], [3]])
    assert len(words) == 3
    assert words.values.tolist() == [1, 2, 3]
    assert words.offsets.tolist() == [0, 2, 2, 3]
    assert [row.tolist() for row in words] == [[1, 2], [], [3]]
    assert words[-1].tolist() == [3]
    assert words.lengths.tolist() == [2, 0, 1]
    assert words.documents.tolist() == [0, 0, 2]
    assert words.positions.tolist() == [0, 1, 0]


def test_reductions_of_an_empty_document():
    words = ragged([[1, 2], [], [-3]])
    np.testing.assert_array_equal(words.sums(), [3, 0, -3])
    np.testing.assert_array_equal(words.means(), [1.5, np.nan, -3])
    np.testing.assert_array_equal(words.maxima(), [2, np.nan, -3])


def test_offsets_that_do_not_fit_the_values_are_refused():
    with pytest.raises(ValueError, match="offsets must run from 0 to 3, got 0 to 2"):
        Ragged(np.arange(3), np.array([0, 2]))


def test_a_null_row_is_refused():
    with pytest.raises(ValueError, match="found 1 nulls"):
        Ragged.from_arrow(pa.array([[1.0], None]))


@given(documents)
def test_reductions_equal_a_loop_over_documents(rows: list[list[float]]):
    words = ragged(rows)
    np.testing.assert_allclose(words.sums(), [sum(row) for row in rows], rtol=1e-9, atol=1e-3)
    maxima = [max(row) if row else np.nan for row in rows]
    np.testing.assert_array_equal(words.maxima(), maxima)


@given(documents)
def test_parquet_columns_and_padding_give_the_same_documents_back(rows: list[list[float]]):
    words = ragged(rows)
    for back in (
        Ragged.from_arrow(words.to_arrow()),
        Ragged.from_arrow(pa.chunked_array([words.to_arrow(), words.to_arrow()[:0]])),
        unpadded(words.padded(fill=np.nan), words.lengths),
    ):
        assert [row.tolist() for row in back] == rows


@given(documents, st.data())
def test_take_equals_indexing(rows: list[list[float]], data: st.DataObject):
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1)))
    words = ragged(rows)
    assert [r.tolist() for r in words.take(np.array(chosen, int))] == [rows[i] for i in chosen]
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    taken = words.take(mask)
    assert [row.tolist() for row in taken] == [r for r, m in zip(rows, mask, strict=True) if m]


def test_a_slice_of_a_column_reads_its_own_rows():
    column = ragged([[1], [2, 3], [4]]).to_arrow()[1:]
    assert [row.tolist() for row in Ragged.from_arrow(column)] == [[2, 3], [4]]


def test_rows_of_values_stay_together():
    states = Ragged.from_lengths(np.arange(6).reshape(3, 2), [1, 2])
    assert states[1].tolist() == [[2, 3], [4, 5]]
    np.testing.assert_array_equal(states.sums(), [[0, 1], [6, 8]])
    np.testing.assert_array_equal(states.means(), [[0, 1], [3, 4]])


def test_concatenate_keeps_the_order():
    joined = concatenate([ragged([[1], []]), ragged([[2, 3]])])
    assert [row.tolist() for row in joined] == [[1], [], [2, 3]]


@given(st.lists(st.integers(0, 9), max_size=20), st.integers(1, 12))
def test_blocks_take_every_document_once_and_as_many_as_fit(lengths: list[int], size: int):
    parts = list(blocks(np.array(lengths, dtype=np.int64), size))
    rows = list(range(len(lengths)))
    assert [row for part in parts for row in rows[part]] == rows
    for number, part in enumerate(parts):
        inside = lengths[part]
        assert inside
        assert sum(inside) <= size or len(inside) == 1
        if number + 1 < len(parts):  # the next document would not have fitted
            assert sum(inside) + lengths[part.stop] > size
