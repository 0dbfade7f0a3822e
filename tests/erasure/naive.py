"""Erasure straight from the definition: one set of tokens of one document at a time; and drawn readouts."""

import numpy as np

from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged
from tests.support import binary, multiclass

LENGTHS = [4, 1, 7, 2, 6, 3, 7]

KINDS = {
    "two classes": {},
    "three classes": {"outputs": 3},
    "five classes": {"outputs": 5},
    "some classes allowed": {"outputs": 4, "some_allowed": True},
    "pairs": {"outputs": 4, "pairs": True},
}
LINEAR_KINDS = {name: kind for name, kind in KINDS.items() if name != "pairs"}


def documents(seed, lengths=LENGTHS, outputs=2, spread=2.0, pairs=False, some_allowed=False):
    """Attention of documents and a readout whose classes all win somewhere."""
    rng = np.random.default_rng(seed)
    attention = Ragged.from_lists([rng.dirichlet(np.ones(n)) for n in lengths], np.float32)
    tokens = len(attention.values)
    if pairs:
        readout = multiclass(
            attention.with_values(rng.normal(0, spread, (tokens, 5))),
            rng.normal(0, 0.5, outputs),
            offset=rng.normal(0, 1, (len(lengths), 5)),
            weight=rng.normal(0, 2, (outputs, 5)),
            allowed=np.tile(np.arange(outputs) > 0, (len(lengths), 1)),
        )
        return attention, readout
    if outputs == 2:
        return attention, binary(attention.with_values(rng.normal(0, spread, tokens)), 0.3)
    projected = attention.with_values(rng.normal(0, spread, (tokens, outputs)))
    allowed = None
    if some_allowed:
        allowed = np.arange(outputs) != rng.integers(0, outputs, len(lengths))[:, None]
    return attention, multiclass(projected, rng.normal(0, 0.5, outputs), allowed=allowed)


def probabilities_without(attention: Ragged, readout: Readout, row: int, erased) -> np.ndarray:
    """Probabilities of every class of one document."""
    weights = attention[row].astype(np.float64)
    weights[list(erased)] = 0
    if weights.sum() > 0:
        weights = weights / weights.sum()
    here = readout.take(np.array([row]))
    context = sum((w * np.atleast_1d(p) for w, p in zip(weights, here.projected[0], strict=True)))
    logits = context
    if readout.layer is not None:
        logits = readout.layer.weight @ np.tanh(context + here.layer.offset[0])
    logits = logits + readout.bias
    if readout.outputs == 1:
        logits = np.array([0.0, logits[0]])
    if here.allowed is not None:
        logits = np.where(here.allowed[0], logits, -np.inf)
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def decided_without(attention: Ragged, readout: Readout, row: int, erased) -> int:
    """The decision on one document."""
    return int(probabilities_without(attention, readout, row, erased).argmax())


def erased_in_order(attention: Ragged, readout: Readout, row: int, order, most: int) -> int:
    """Erase one token after the other: how many until the decision changes, -1 if it does not."""
    own = decided_without(attention, readout, row, [])
    for count in range(1, most + 1):
        if decided_without(attention, readout, row, order[:count]) != own:
            return count
    return -1
