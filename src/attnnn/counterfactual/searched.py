"""The searched per-instance adversary: attention far from the model's that predicts the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from attnnn.counterfactual.objective import (
    ClassHinge,
    CrossWeight,
    Iterate,
    Objective,
    objective_of,
)
from attnnn.counterfactual.outcome import Outcome, best_of
from attnnn.models.batches import length_sorted_batches
from attnnn.models.optimizer import AmsGrad
from attnnn.readout.predictions import Predictions
from attnnn.readout.readout import Readout
from attnnn.study.settings import SearchedAdversary
from attnnn.tables.ragged import Ragged, concatenate, unpadded

# Padded tokens per batch: as many as fit a core's cache on a CPU, enough to keep it busy on a GPU.
_MAX_TOKENS = {"cpu": 8192, "cuda": 1 << 18}

# Keeps these draws apart from other uses of a run's seed.
_STREAM = 2

# A score that the softmax turns into exactly 0; finite, so that 0 · score is 0.
_NOTHING = -1e4

# How much single precision may add to |Δp| when attention is stored and read again.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Found:
    """The results of the search.

    Attributes:
        last: the K attention vectors after the last step.
        best: for each ε, the feasible vector of largest JSD at any step; the model's own if there was none.
        feasible: for each ε, shape (documents,): whether there was one.
    """

    last: list[Ragged]
    best: dict[float, Ragged]
    feasible: dict[float, NDArray[np.bool_]]


def search_adversaries(
    document: NDArray[np.int64],
    attention: Ragged,
    readout: Readout,
    settings: SearchedAdversary,
    *,
    cross_jsd_weight: CrossWeight,
    class_hinge: ClassHinge = "tvd",
    epsilons: list[float],
    seed: int,
    device: str = "cpu",
    max_tokens: int | None = None,
) -> Found:
    """Search K attention vectors per document, far from the model's and from one another.

    Adam-AMSGrad minimises, for every document, over free scores whose softmax over the n tokens is the
    attention,

        Σ_k [ −JSD(α^k, α̂) + penalty · max(0, |p^k − p| − tolerance) ] − c Σ_{k<k'} JSD(α^k, α^k')

    with the states fixed; c = 1/(K(K−1)) in the paper and 2/K² in its released code. The scores start at
    log(1/L) + 3·N(0, 1), drawn for each document separately from `seed` and its number. For more than
    two classes, the total variation distance replaces |p^k − p|.

    Args:
        document: shape (documents,): their numbers, which seed their random starts.
        attention: the model's weights α̂ of the n tokens.
        readout: of the same documents.
        settings: K, steps, learning rate, penalty and tolerance.
        cross_jsd_weight: whose c (switch cross_jsd_weight).
        class_hinge: what the hinge takes for more than two classes: `tvd`, ½ Σ|Δp|, or `l1`, Σ|Δp|.
        epsilons: each ε for which the best iterate is kept; if empty, only the last one is.
        seed: of the random starts.
        device: ``cpu`` or ``cuda``.
        max_tokens: padded tokens per batch, which bounds memory; None: what suits the device.

    Source: Jain & Wallace 2019, section 4.2.2, equation 2 and Algorithm 3; AMSGrad: Reddi et al. 2018.
    """
    last = np.zeros((settings.adversaries, len(attention.values)), np.float32)
    best = {epsilon: attention.values.astype(np.float32) for epsilon in epsilons}
    feasible = {epsilon: np.zeros(len(attention), np.bool_) for epsilon in epsilons}
    cap = max_tokens or _MAX_TOKENS[torch.device(device).type]
    batches = length_sorted_batches(attention, max_tokens=cap)
    for rows in tqdm(batches, desc="adversaries", unit="batch", disable=None, leave=False):
        part = attention.take(rows)
        objective = objective_of(
            part,
            readout.take(rows),
            settings,
            cross_jsd_weight=cross_jsd_weight,
            class_hinge=class_hinge,
            device=device,
        )
        start = starting_scores(document[rows], part.lengths, settings.adversaries, seed)
        archive = Archive(objective, epsilons)
        final = _descend(objective, start.to(device), settings, archive)
        here = attention.offsets[rows][part.documents] + part.positions
        for k, weights in enumerate(final.cpu().numpy()):
            last[k, here] = unpadded(weights, part.lengths).values
        for epsilon, weights in archive.best.items():
            best[epsilon][here] = unpadded(weights.cpu().numpy(), part.lengths).values
            feasible[epsilon][rows] = archive.found(epsilon).cpu().numpy()
    return Found(
        [attention.with_values(weights) for weights in last],
        {epsilon: attention.with_values(weights) for epsilon, weights in best.items()},
        feasible,
    )


class Archive:
    """For each ε, the feasible attention of largest JSD so far; the model's own at first."""

    def __init__(self, objective: Objective, epsilons: list[float]) -> None:
        self.objective = objective
        self.best = {epsilon: objective.attention.clone() for epsilon in epsilons}
        nothing = objective.attention.new_full((len(objective.attention),), -torch.inf)
        self._jsd = {epsilon: nothing.clone() for epsilon in epsilons}

    def found(self, epsilon: float) -> Bool[Tensor, " batch"]:
        """Whether any feasible attention was found."""
        return self._jsd[epsilon] > -torch.inf

    def add(self, point: Iterate) -> None:
        """Keep whatever is better than the best so far."""
        if not self.best:
            return
        jsd = self.objective.divergence(point)
        change = self.objective.change(point)
        for epsilon, held in self.best.items():
            feasible = change <= epsilon - min(_ROUNDING, epsilon / 2)
            value, k = torch.where(feasible, jsd, -torch.inf).max(dim=0)
            better = value > self._jsd[epsilon]
            chosen = point.attention.gather(0, k[None, :, None].expand(1, *held.shape))[0]
            self.best[epsilon] = torch.where(better[:, None], chosen, held)
            self._jsd[epsilon] = torch.where(better, value, self._jsd[epsilon])


def starting_scores(
    document: NDArray[np.int64], lengths: NDArray[np.int64], adversaries: int, seed: int
) -> Float[Tensor, "k batch token"]:
    """Where the search starts; a document's scores depend only on `seed` and its number."""
    scores = np.full((adversaries, len(document), lengths.max()), _NOTHING, np.float32)
    for row, (number, n) in enumerate(zip(document, lengths, strict=True)):
        noise = np.random.default_rng([seed, _STREAM, int(number)])
        # L includes the start and end symbols.
        scores[:, row, :n] = -np.log(n + 2) + 3 * noise.standard_normal((adversaries, n))
    return torch.from_numpy(scores)


@torch.no_grad()
def _descend(
    objective: Objective,
    start: Float[Tensor, "k batch token"],
    settings: SearchedAdversary,
    archive: Archive,
) -> Float[Tensor, "k batch token"]:
    """The attention after the last step; every iterate, the first and the last included, is archived."""
    scores = torch.nn.Parameter(start)
    optimizer = AmsGrad([([scores], 0.0)], learning_rate=settings.learning_rate)
    for _ in range(settings.steps):
        point = objective.iterate(scores)
        archive.add(point)
        scores.grad = objective.gradient(point)
        optimizer.step()
    point = objective.iterate(scores)
    archive.add(point)
    return point.attention


def searched_columns(
    predictions: Predictions,
    readout: Readout,
    settings: SearchedAdversary,
    *,
    epsilons: list[float],
    cross_jsd_weight: CrossWeight,
    class_hinge: ClassHinge,
    keeps_best: bool,
    seed: int,
    device: str,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The columns of `analyses.SEARCHED_ADVERSARY`, for every ε, and of `analyses.SEARCHED_CANDIDATES`."""
    own = predictions.attention
    found = search_adversaries(
        predictions.document,
        own,
        readout,
        settings,
        cross_jsd_weight=cross_jsd_weight,
        class_hinge=class_hinge,
        epsilons=epsilons if keeps_best else [],
        seed=seed,
        device=device,
    )
    candidates = [Outcome.of(attention, own, readout) for attention in found.last]
    unchanged = Outcome.of(own, own, readout)
    outcomes = {
        epsilon: (Outcome.of(found.best[epsilon], own, readout), found.feasible[epsilon])
        if keeps_best
        else best_of(candidates, unchanged, epsilon)
        for epsilon in epsilons
    }
    adversaries = _adversary_columns(predictions.document, outcomes)
    return adversaries, _candidate_columns(predictions.document, candidates)


def _candidate_columns(document: NDArray[np.int64], candidates: list[Outcome]) -> dict[str, Any]:
    return {
        "document": np.tile(document, len(candidates)),
        "candidate": np.repeat(np.arange(len(candidates)), len(document)),
        "jsd": np.concatenate([candidate.jsd for candidate in candidates]),
        "change": np.concatenate([candidate.change for candidate in candidates]),
    }


def _adversary_columns(
    document: NDArray[np.int64], outcomes: dict[float, tuple[Outcome, NDArray[np.bool_]]]
) -> dict[str, Any]:
    chosen = [outcome for outcome, _ in outcomes.values()]
    return {
        "document": np.tile(document, len(outcomes)),
        "epsilon": np.repeat(list(outcomes), len(document)),
        "jsd": np.concatenate([outcome.jsd for outcome in chosen]),
        "probability": np.concatenate([outcome.probability for outcome in chosen]),
        "change": np.concatenate([outcome.change for outcome in chosen]),
        "found": np.concatenate([found for _, found in outcomes.values()]),
        "attention": concatenate([outcome.attention for outcome in chosen]),
    }
