"""Values per token of documents that differ in length: one flat array plus offsets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Ragged:
    """One value (or one row of values) for every token of every document.

    Attributes:
        values: shape (tokens, ...): all documents one after the other.
        offsets: shape (documents + 1,), int64: document d owns ``values[offsets[d]:offsets[d + 1]]``.
    """

    values: NDArray[np.generic]
    offsets: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.offsets[0] != 0 or self.offsets[-1] != len(self.values):
            raise ValueError(
                f"offsets must run from 0 to {len(self.values)}, "
                f"got {self.offsets[0]} to {self.offsets[-1]}"
            )

    @classmethod
    def from_lengths(cls, values: ArrayLike, lengths: ArrayLike) -> Ragged:
        """Cut `values`, shape (sum of lengths, ...), into documents of the given lengths."""
        offsets = np.concatenate([[0], np.cumsum(np.asarray(lengths, dtype=np.int64))])
        return cls(np.asarray(values), offsets.astype(np.int64))

    @classmethod
    def from_lists(
        cls, lists: Iterable[ArrayLike], dtype: type[np.generic] | None = None
    ) -> Ragged:
        """Join one array per document. `dtype` is needed when there may be no document at all."""
        rows = [np.asarray(row, dtype=dtype) for row in lists]
        flat = np.concatenate(rows) if rows else np.empty(0, dtype or np.float64)
        return cls.from_lengths(flat, [len(row) for row in rows])

    @classmethod
    def from_arrow(cls, column: pa.Array | pa.ChunkedArray) -> Ragged:
        """Read a parquet list column without nulls."""
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        if column.null_count:
            raise ValueError(f"expected a list in every row, found {column.null_count} nulls")
        lengths = column.value_lengths().to_numpy(zero_copy_only=False)
        return cls.from_lengths(column.flatten().to_numpy(zero_copy_only=False), lengths)

    def to_arrow(self) -> pa.Array:
        """The list column that `from_arrow` reads."""
        return pa.LargeListArray.from_arrays(pa.array(self.offsets), pa.array(self.values))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, document: int) -> NDArray[np.generic]:
        """The values of one document, shape (n, ...)."""
        if document < 0:
            document += len(self)
        return self.values[self.offsets[document] : self.offsets[document + 1]]

    def __iter__(self) -> Iterator[NDArray[np.generic]]:
        return (self[document] for document in range(len(self)))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each document, shape (documents,)."""
        return np.diff(self.offsets)

    @property
    def documents(self) -> NDArray[np.int64]:
        """The document index of every token, shape (tokens,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def positions(self) -> NDArray[np.int64]:
        """The position of every token in its own document, shape (tokens,)."""
        return np.arange(len(self.values)) - np.repeat(self.offsets[:-1], self.lengths)

    def with_values(self, values: NDArray[np.generic]) -> Ragged:
        """The same documents with other values, shape (tokens, ...)."""
        return Ragged(values, self.offsets)

    def take(self, documents: ArrayLike) -> Ragged:
        """The chosen documents (indices or a boolean mask), in the order given."""
        chosen = np.asarray(documents)
        if chosen.dtype == np.bool_:
            chosen = np.flatnonzero(chosen)
        lengths = self.lengths[chosen]
        starts = np.repeat(self.offsets[chosen], lengths)
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return Ragged.from_lengths(self.values[starts + within], lengths)

    def sums(self) -> NDArray[np.float64]:
        """Sum over each document in float64, shape (documents, ...); 0 for an empty one."""
        return self._reduce(np.add, self.values.astype(np.float64), 0.0)

    def means(self) -> NDArray[np.float64]:
        """Mean over each document in float64; NaN for an empty one."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.sums() / self.lengths.reshape(-1, *[1] * (self.values.ndim - 1)))

    def maxima(self) -> NDArray[np.float64]:
        """Largest value of each document in float64; NaN for an empty one."""
        return self._reduce(np.maximum, self.values.astype(np.float64), np.nan)

    def _reduce(
        self, ufunc: np.ufunc, values: NDArray[np.float64], empty: float
    ) -> NDArray[np.float64]:
        out = np.full((len(self), *values.shape[1:]), empty)
        full = self.lengths > 0
        if full.any():
            out[full] = ufunc.reduceat(values, self.offsets[:-1][full], axis=0)
        return out

    def padded(self, fill: float = 0) -> NDArray[np.generic]:
        """A matrix of shape (documents, longest, ...) filled up with `fill` on the right."""
        width = int(self.lengths.max(initial=0))
        out = np.full((len(self), width, *self.values.shape[1:]), fill, dtype=self.values.dtype)
        out[self.documents, self.positions] = self.values
        return out


def unpadded(matrix: NDArray[np.generic], lengths: ArrayLike) -> Ragged:
    """The inverse of `Ragged.padded`: keep the first `lengths[d]` columns of row d."""
    counts = np.asarray(lengths, dtype=np.int64)
    real = np.arange(matrix.shape[1])[None, :] < counts[:, None]
    return Ragged.from_lengths(matrix[real], counts)


def concatenate(parts: Sequence[Ragged]) -> Ragged:
    """All documents of all parts, in order."""
    return Ragged.from_lengths(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.lengths for part in parts]),
    )


def blocks(lengths: NDArray[np.int64], size: int = 1 << 23) -> Iterator[slice]:
    """Cut documents into runs of about `size` values, one document at the least.

    Args:
        lengths: shape (documents,).
        size: values of a run, at most, unless one document alone has more.
    """
    ends = np.cumsum(lengths)
    start = 0
    while start < len(lengths):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + size, side="right")))
        yield slice(start, stop)
        start = stop
