"""Random documents with random multiclass decoders, and plain versions of what they give."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnnn.measures import jensen_shannon_divergence
from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged
from tests.support import multiclass

KINDS = ("linear", "pairs", "pairs of candidates")
PIECE = 6


def random_documents(
    count: int, longest: int, classes: int, seed: int, *, kind: str = "linear", shortest: int = 1
) -> tuple[Ragged, Readout]:
    """Attention of documents, and a decoder whose logits are linear in it or not (of pairs)."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(shortest, longest + 1, size=count)
    attention = Ragged.from_lists([rng.dirichlet(np.full(n, 0.5)) for n in lengths])
    width = classes if kind == "linear" else PIECE
    pieces = attention.with_values(2 * rng.standard_normal((lengths.sum(), width)))
    bias = rng.standard_normal(classes)
    if kind == "linear":
        return attention, multiclass(pieces, bias)
    allowed = rng.random((count, classes)) < 0.5
    allowed[:, :2] = True
    return attention, multiclass(
        pieces,
        bias,
        offset=rng.standard_normal((count, PIECE)),
        weight=rng.standard_normal((classes, PIECE)),
        allowed=allowed if kind == "pairs of candidates" else None,
    )


def prediction(weights: NDArray[np.float64], decoder: Readout) -> NDArray[np.float64]:
    """Probabilities of the only document of a decoder."""
    return decoder.decide((weights @ np.asarray(decoder.projected.values))[None, None])[0, 0]


def change(weights: NDArray[np.float64], own: NDArray[np.float64], decoder: Readout) -> float:
    """½ Σ|Δp| of the only document of a decoder."""
    return float(0.5 * np.abs(prediction(weights, decoder) - prediction(own, decoder)).sum())


def divergence(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """JSD in nats."""
    return float(jensen_shannon_divergence(Ragged.from_lists([p]), Ragged.from_lists([q]))[0])


def divergences(rows: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """JSD of each row to q, nats."""
    own = np.broadcast_to(q, rows.shape)
    return jensen_shannon_divergence(
        *(Ragged.from_lengths(part.ravel(), [rows.shape[1]] * len(rows)) for part in (rows, own))
    )
