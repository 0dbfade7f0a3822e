"""Permutation, the searched adversary and the exact one, on full states and without shortcuts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attnnn.tables.ragged import Ragged
from benchmarks.plain.model import PlainModel, batches, pad, real


@dataclass(frozen=True)
class Encoded:
    """A batch of 32 documents after the encoder.

    Attributes:
        rows: which documents.
        lengths: with start and end symbols.
        states: h_t, shape (batch, length, width).
        attention: the model's own α, shape (batch, length).
        probability: the model's own p, shape (batch,).
    """

    rows: list[int]
    lengths: Tensor
    states: Tensor
    attention: Tensor
    probability: Tensor


@torch.no_grad()
def encode(model: PlainModel, tokens: Ragged) -> list[Encoded]:
    """Everything that permutation and search hold fixed."""
    encoded = []
    for rows in batches(tokens):
        ids, lengths = pad([tokens[row] for row in rows], model.decoder.weight.device)
        states = model.encode(model.embedding(ids), lengths)
        attention = model.attend(states, lengths)
        probability = torch.sigmoid(model.decode(states, attention))
        encoded.append(Encoded(rows, lengths, states, attention, probability))
    return encoded


@torch.no_grad()
def permuted_logits(
    model: PlainModel, encoded: list[Encoded], *, permutations: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Logits under random permutations of α, the decoder run again for each.

    Source: Jain & Wallace 2019, section 4.2.1, Algorithm 2.
    """
    logits = np.zeros((sum(len(batch.rows) for batch in encoded), permutations))
    for batch in encoded:
        own = batch.attention.cpu().numpy()
        for draw in range(permutations):
            shuffled = own.copy()
            for place, length in enumerate(batch.lengths.tolist()):
                shuffled[place, 1 : length - 1] = rng.permutation(own[place, 1 : length - 1])
            weights = torch.from_numpy(shuffled).to(batch.states.device)
            logits[batch.rows, draw] = model.decode(batch.states, weights).cpu().numpy()
    return logits


@dataclass(frozen=True)
class Search:
    """Settings of the search; the defaults are Jain & Wallace's."""

    steps: int = 500
    learning_rate: float = 0.01
    penalty: float = 500.0
    tolerance: float = 0.01


def search(
    model: PlainModel, batch: Encoded, start: Tensor, settings: Search
) -> tuple[Tensor, Tensor]:
    """K attention vectors a document, by gradient descent through the decoder; the last iterate.

    Minimises Σ_k [−JSD(α^k, α̂) + penalty · max(0, |p^k − p| − tolerance)] − mean_kk' JSD(α^k, α^k'),
    summed over documents: the weighting of the released code.

    Args:
        model: the model.
        batch: what is held fixed.
        start: scores at first, shape (K, batch, length).
        settings: of the search.

    Returns:
        Attention, shape (K, batch, length), and probabilities under it, shape (K, batch).

    Source: Jain & Wallace 2019, section 4.2.2, equation 2 and Algorithm 3.
    """
    model.requires_grad_(False)
    mask = real(batch.lengths, batch.states.shape[1])
    scores = torch.nn.Parameter(start.clone())
    optimizer = torch.optim.Adam(
        [scores], lr=settings.learning_rate, amsgrad=True, foreach=False, fused=False
    )
    for _ in range(settings.steps):
        attention = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
        probability = torch.sigmoid(model.decode(batch.states, attention))
        excess = (probability - batch.probability).abs() - settings.tolerance
        own = -_jsd(attention, batch.attention) + settings.penalty * excess.clamp(min=0)
        cross = _jsd(attention[:, None], attention[None, :]).mean(dim=(0, 1))
        loss = own.sum() - cross.sum()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    with torch.no_grad():
        attention = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
        return attention, torch.sigmoid(model.decode(batch.states, attention))


def exact_jsd(
    attention: NDArray[np.float64], contribution: NDArray[np.float64], bias: float, epsilon: float
) -> float:
    """The exact ε-max JSD of one document: try every vertex of the feasible attention vectors.

    A vertex puts all weight on one token, or divides it between two such that the probability is
    p − ε or p + ε.
    """
    own = _sigmoid(float(attention @ contribution) + bias)
    feasible = [
        vertex
        for vertex in _vertices(contribution + bias, own - epsilon, own + epsilon)
        if abs(_sigmoid(float(vertex @ contribution) + bias) - own) <= epsilon + 1e-9
    ]
    return max(_divergence(vertex, attention) for vertex in feasible)


def _vertices(
    logit: NDArray[np.float64], lowest: float, highest: float
) -> Iterator[NDArray[np.float64]]:
    corners = np.eye(len(logit))
    yield from corners
    for probability in (lowest, highest):
        if not 0 < probability < 1:
            continue
        bound = np.log(probability / (1 - probability))
        for a, b in combinations(range(len(logit)), 2):
            if (logit[a] - bound) * (logit[b] - bound) < 0:
                share = (logit[b] - bound) / (logit[b] - logit[a])
                yield share * corners[a] + (1 - share) * corners[b]


def _divergence(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [np.where(side > 0, side * np.log(side / middle), 0.0) for side in (p, q)]
    return float(np.sum(terms)) / 2


def _jsd(p: Tensor, q: Tensor) -> Tensor:
    """Jensen-Shannon divergence over the last dimension in nats, 1e-10 inside the logarithms."""
    middle = (p + q) / 2
    log_middle = (middle + 1e-10).log()
    left = (p * ((p + 1e-10).log() - log_middle)).sum(dim=-1)
    right = (q * ((q + 1e-10).log() - log_middle)).sum(dim=-1)
    return (left + right) / 2


def _sigmoid(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))
