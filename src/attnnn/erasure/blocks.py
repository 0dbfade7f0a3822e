"""Documents of about one length at a time, padded, with sums of what the weights that are left bring.

What follows the states sees Σ α_t s_t / Σ α_t over the tokens that are left. Where it is linear, its
logits are Σ α_t (s_t + b) / Σ α_t, and the decision is that of Σ α_t (s_t + b): dividing by a positive number
changes no comparison. Folding the bias into each token this way also makes ties exact: tokens that are all
undecided between two classes sum to exactly 0, whichever of them are erased.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attnnn.readout.readout import Readout, TanhLayer
from attnnn.tables.ragged import Ragged

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Numbers held in one array, which bounds memory and keeps blocks in a processor's cache.
HELD = 1 << 17


@dataclass(frozen=True)
class Block:
    """Some documents, padded on the right to the length of the longest.

    Attributes:
        rows: shape (rows,): which documents these are.
        cells: shape (rows, n): where each token is among all documents' tokens.
        real: shape (rows, n): False where there is padding.
        weight: shape (rows, n): attention; 0 for padding.
        terms: shape (width, rows, n): α_t s_t, or α_t (s_t + b) where the readout is linear; 0 for padding.
        readout: of these documents.
    """

    rows: Ints
    cells: Ints
    real: NDArray[np.bool_]
    weight: Floats
    terms: Floats
    readout: Readout

    def padded(self, values: NDArray[np.generic], fill: float) -> Floats:
        """One number for every token of all documents, as shape (rows, n)."""
        return np.where(self.real, values[self.cells].astype(np.float64), fill)

    @cached_property
    def own(self) -> Ints:
        """The decision when nothing is erased, shape (rows,)."""
        return self.decided(self.terms.sum(axis=2), self.weight.sum(axis=1))

    @cached_property
    def without_any(self) -> Ints:
        """The decision when no weight is left, that of the bias, shape (rows,)."""
        none = np.zeros(len(self.rows))
        return self._largest(np.moveaxis(self.logits(self.terms[..., 0] * 0.0, none), -1, 0))

    def decided(self, sums: Floats, mass: Floats) -> Ints:
        """The decided class; of two equal ones the first. Undefined where no weight is left.

        Args:
            sums: shape (width, rows, *): sums of terms.
            mass: shape (rows, *): sums of the same tokens' weights.

        Returns:
            Shape (rows, *).
        """
        if self.readout.linear:
            return self._largest(self._allowed(sums))
        return self._largest(np.moveaxis(self.logits(sums, mass), -1, 0))

    def logits(self, sums: Floats, mass: Floats) -> Floats:
        """Logits, shape (rows, *, outputs), of the bias alone where no weight is left; arguments as above."""
        left = mass > 0
        context = np.moveaxis(sums / np.where(left, mass, 1.0) * left, 0, -1)
        if not self.readout.linear:
            return self.readout.logits(context)
        logits = np.where(left[..., None], context, self.readout.bias)
        return np.moveaxis(self._allowed(np.moveaxis(logits, -1, 0)), 0, -1)

    def _allowed(self, logits: Floats) -> Floats:
        """Logits, shape (outputs, rows, *), −∞ for a class that may not be the answer."""
        allowed = self.readout.allowed
        if allowed is None:
            return logits
        wide = allowed.T.reshape(*allowed.T.shape, *[1] * (logits.ndim - 2))
        return np.where(wide, logits, -np.inf)

    def _largest(self, logits: Floats) -> Ints:
        """The decided class of logits of shape (outputs, *)."""
        if len(logits) == 1:
            return np.asarray(logits[0] > 0, dtype=np.int64)
        return np.asarray(logits.argmax(axis=0))


def blocks_of(attention: Ragged, readout: Readout, documents: Ints) -> Iterator[Block]:
    """Blocks of the given documents, which have a token or more, in order of length."""
    width = max(readout.projected.values.shape[1], readout.outputs)
    for group in alike(attention.lengths[documents], HELD // width):
        yield _block(attention, readout, documents[group])


def alike(lengths: Ints, size: int) -> Iterator[Ints]:
    """Groups of documents of about one length, each of at most `size` padded tokens, or of one document.

    Args:
        lengths: shape (documents,), each 1 or more.
        size: padded tokens.
    """
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < len(order):
        # As many as fit at the length of the first, of these as many as fit at that of the last.
        most = order[start : start + max(1, size // int(lengths[order[start]]))]
        group = most[: max(1, size // int(lengths[most[-1]]))]
        yield group
        start += len(group)


def _block(attention: Ragged, readout: Readout, rows: Ints) -> Block:
    lengths, offsets = attention.lengths[rows], attention.offsets[:-1][rows]
    column = np.arange(lengths.max())
    real = column < lengths[:, None]
    cells = offsets[:, None] + np.minimum(column, lengths[:, None] - 1)
    weight = np.where(real, attention.values[cells].astype(np.float64), 0.0)
    alone = np.moveaxis(readout.projected.values[cells].astype(np.float64), -1, 0)
    if readout.linear:
        alone = alone + readout.bias[:, None, None]
    part = Readout(
        Ragged.from_lengths(readout.projected.values[:0], np.zeros(len(rows), dtype=np.int64)),
        readout.bias,
        None
        if readout.layer is None
        else TanhLayer(readout.layer.offset[rows], readout.layer.weight),
        None if readout.allowed is None else readout.allowed[rows],
    )
    return Block(rows, cells, real, weight, np.ascontiguousarray(alone * weight), part)
