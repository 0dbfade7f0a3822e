"""Gradient × input, leave-one-out, and Kendall's τ one document at a time."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from attnnn.tables.ragged import Ragged
from benchmarks.plain.model import PlainModel, batches, pad


def gradient(model: PlainModel, tokens: Ragged) -> Ragged:
    """e_t·∂p/∂e_t of every token, attention held constant, batches of 32.

    Source: Jain & Wallace 2019, section 4.1, Algorithm 1.
    """
    device, found = model.decoder.weight.device, np.zeros(len(tokens.values))
    model.train()  # cuDNN's LSTM gives gradients in this mode only; no layer behaves differently
    for rows in batches(tokens):
        ids, lengths = pad([tokens[row] for row in rows], device)
        embedded = model.embedding(ids)
        embedded.retain_grad()
        states = model.encode(embedded, lengths)
        attention = model.attend(states, lengths).detach()
        probability = torch.sigmoid(model.decode(states, attention))
        model.zero_grad()
        probability.sum().backward()  # type: ignore[no-untyped-call]
        product = (embedded.grad * embedded).sum(dim=-1).detach().cpu().numpy()
        _lay(found, tokens, rows, product)
    return tokens.with_values(found)


@torch.no_grad()
def leave_one_out(model: PlainModel, tokens: Ragged, *, every: int = 1) -> Ragged:
    """p(x without token i) − p(x): in each batch of 32, one run of the model for each position.

    Args:
        model: the model.
        tokens: the documents, best of about one length side by side.
        every: delete positions 0, every, 2·every, … only; the others are NaN. To time a part.

    Source: Jain & Wallace 2019, section 4.1, and released code.
    """
    device, found = model.decoder.weight.device, np.full(len(tokens.values), np.nan)
    for rows in batches(tokens):
        ids, lengths = pad([tokens[row] for row in rows], device)
        whole = torch.sigmoid(model(ids, lengths))
        changes = torch.full(ids.shape, torch.nan, device=device, dtype=whole.dtype)
        for position in range(1, ids.shape[1] - 1, every):
            rest = torch.cat([ids[:, :position], ids[:, position + 1 :]], dim=1)
            has_token = position < lengths - 1
            changed = torch.sigmoid(model(rest, lengths - has_token.long())) - whole
            changes[:, position] = torch.where(has_token, changed, torch.nan)
        _lay(found, tokens, rows, changes.cpu().numpy())
    return tokens.with_values(found)


def kendall_tau(x: Ragged, y: Ragged) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """τ-b and p-value of every document by scipy, one after the other."""
    from scipy.stats import kendalltau

    pairs = zip(x, y, strict=True)
    results = [kendalltau(a.astype(np.float64), b.astype(np.float64)) for a, b in pairs]
    return (
        np.array([result.statistic for result in results]),
        np.array([result.pvalue for result in results]),
    )


def _lay(
    found: NDArray[np.float64],
    tokens: Ragged,
    rows: list[int],
    values: NDArray[np.generic],
) -> None:
    """Copy a batch's values at the n tokens of each row to where the row has its place."""
    for place, row in enumerate(rows):
        first, last = tokens.offsets[row], tokens.offsets[row + 1]
        found[first:last] = values[place, 1 : last - first + 1]
