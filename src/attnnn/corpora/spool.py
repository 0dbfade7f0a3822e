"""Texts of a large corpus, kept in a temporary file while the corpus is prepared."""

from __future__ import annotations

import os
import tempfile
import weakref
from array import array
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

_BUFFER = 1 << 20  # bytes written at a time


class SpooledTexts(Sequence[str]):
    """Texts that are read from a file one by one; memory holds only their positions in it.

    The file has no name and disappears with the last object that reads it. It is in the directory of
    temporary files (environment variable TMPDIR).
    """

    def __init__(self, spool: Spool, chosen: NDArray[np.int64]):
        self._spool = spool
        self._chosen = chosen

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> SpooledTexts: ...
    def __getitem__(self, index: int | slice) -> str | SpooledTexts:
        if isinstance(index, slice):
            return SpooledTexts(self._spool, self._chosen[index])
        return self._spool.text(int(self._chosen[index]))

    def __iter__(self) -> Iterator[str]:
        return (self._spool.text(int(number)) for number in self._chosen)

    def take(self, chosen: NDArray[np.int64]) -> SpooledTexts:
        """The chosen texts, in the given order."""
        return SpooledTexts(self._spool, self._chosen[chosen])


class Spool:
    """Writes texts one after another; `texts` reads them."""

    def __init__(self) -> None:
        self._file, name = tempfile.mkstemp(prefix="attnnn-")
        os.unlink(name)
        weakref.finalize(self, os.close, self._file)
        self._buffer = bytearray()
        self._ends = array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def append(self, text: str) -> None:
        """Add a text."""
        # Json escapes may stand for lone surrogates, which must come back unchanged.
        data = text.encode("utf-8", "surrogatepass")
        self._buffer += data
        self._ends.append(self._ends[-1] + len(data))
        if len(self._buffer) >= _BUFFER:
            self._flush()

    def text(self, number: int) -> str:
        """The text with that number, counted from 0 in the order of addition."""
        self._flush()
        start, end = self._ends[number], self._ends[number + 1]
        parts = []
        while start < end:
            parts.append(os.pread(self._file, end - start, start))
            start += len(parts[-1])
        return b"".join(parts).decode("utf-8", "surrogatepass")

    def texts(self) -> SpooledTexts:
        """All texts added so far."""
        return SpooledTexts(self, np.arange(len(self)))

    def _flush(self) -> None:
        while self._buffer:
            del self._buffer[: os.write(self._file, self._buffer)]
