"""What works on attention alone: permutation, adversaries, erasure and Kendall's τ against plain ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from attnnn.counterfactual.exact import ExactAdversary
from attnnn.counterfactual.permuted import logit_moments
from attnnn.counterfactual.searched import Found, starting_scores
from attnnn.erasure.flips import Flips
from attnnn.tables.ragged import Ragged
from benchmarks import kernels
from benchmarks.kernels import Rows, own
from benchmarks.material import Material
from benchmarks.plain import counterfactual, importance
from benchmarks.plain import erasure as plain_erasure
from benchmarks.plain.model import PlainModel
from benchmarks.sides import Comparison, Contender, Effort, Side, fast_side, plain_side, spaced

# Documents whose exact adversary is checked by trying every vertex.
_ENUMERATED = 8


def permutation(material: Material, effort: Effort) -> Comparison:
    """100 permutations of each test document's attention.

    The draws differ, so means over permutations are compared: the root mean square over documents of
    their difference, in exact standard errors, is about 1 when both draw alike.
    """
    rows = spaced(np.arange(len(material.test)), effort.test)
    model = PlainModel.like(material.classifier)
    encoded = counterfactual.encode(model, material.test.take(rows))
    error = logit_moments(*own(material, rows)).std * np.sqrt(2 / kernels.PERMUTATIONS)

    def run() -> NDArray[np.float64]:
        return counterfactual.permuted_logits(
            model, encoded, permutations=kernels.PERMUTATIONS, rng=np.random.default_rng(1)
        )

    def difference(plain: NDArray[np.float64], fast: NDArray[np.float64]) -> float:
        gap = (plain.mean(axis=1) - fast.mean(axis=1)) / np.maximum(error, 1e-9)
        return float(np.sqrt(np.mean(gap**2)))

    contender = Contender(fast_side("permutation", material, rows), difference, tolerance=1.6)
    return Comparison(plain_side(lambda: run, rows, len(material.test)), {"permutation": contender})


def adversary(material: Material, effort: Effort) -> Comparison:
    """The search, and the exact solution, which is compared with the plain search too.

    Of the search, attention after the plain side's steps; of the exact solution, JSD against trying every
    vertex, on the documents of fewest tokens.
    """
    order = np.arange(len(material.test))
    rows, wide = spaced(order, effort.search), spaced(order, effort.searched)
    plain, encoded = _plain_search(material, rows, effort.steps)

    def searched_difference(plain: list[torch.Tensor], _: Found) -> float:
        found: Found = kernels.searched(material, rows, steps=effort.steps)()()
        gaps = [
            np.abs(np.subtract(last[row], weights[k, place, 1 : 1 + len(last[row])])).max()
            for batch, batch_weights in zip(encoded, plain, strict=True)
            for weights in (batch_weights.cpu().numpy(),)
            for place, row in enumerate(batch.rows)
            for k, last in enumerate(found.last)
        ]
        return float(max(gaps))

    def exact_difference(_: list[torch.Tensor], fast: ExactAdversary) -> float:
        attention, readout = own(material, order[:_ENUMERATED])
        expected = [
            counterfactual.exact_jsd(
                weights.astype(np.float64),
                pieces.astype(np.float64),
                float(readout.bias[0]),
                kernels.EPSILON,
            )
            for weights, pieces in zip(attention, readout.contribution, strict=True)
        ]
        return float(np.abs(fast.jsd[: len(expected)] - expected).max())

    contenders = {
        name: Contender(fast_side(name, material, wide), searched_difference, tolerance=1e-3)
        for name in ("searched_adversary", "searched_adversary_archived")
    }
    exact = fast_side("exact_adversary", material, order)
    contenders["exact_adversary"] = Contender(exact, exact_difference, tolerance=1e-6)
    return Comparison(plain, contenders)


def _plain_search(
    material: Material, rows: Rows, steps: int
) -> tuple[Side, list[counterfactual.Encoded]]:
    model = PlainModel.like(material.classifier)
    encoded = counterfactual.encode(model, material.test.take(rows))
    starts = [_start(rows[batch.rows], batch) for batch in encoded]
    settings = counterfactual.Search(steps=steps)

    def run() -> list[torch.Tensor]:
        pairs = zip(encoded, starts, strict=True)
        return [counterfactual.search(model, batch, start, settings)[0] for batch, start in pairs]

    whole = kernels.SEARCH.steps
    words = f", {steps} of {whole} steps"
    side = plain_side(lambda: run, rows, len(material.test), part=steps / whole, words=words)
    return side, encoded


def _start(numbers: Rows, batch: counterfactual.Encoded) -> torch.Tensor:
    """The random scores that the kernel starts from, where the plain search has the tokens."""
    lengths = batch.lengths.cpu().numpy() - 2
    scores = torch.zeros(kernels.SEARCH.adversaries, *batch.attention.shape)
    scores[..., 1:-1] = starting_scores(numbers, lengths, kernels.SEARCH.adversaries, seed=0)
    return scores.to(batch.states.device)


def erasure(material: Material, effort: Effort) -> Comparison:
    """Weights erased in seven orders until the decision changes; the share of counts that differ.

    A count may differ where a decision hangs on the last bit of a float, or two scores are equal. The package
    finds the smallest set besides, which only a search through all sets would find plainly.
    """
    rows = spaced(np.arange(len(material.test)), effort.test)
    model = PlainModel.like(material.classifier)
    encoded = counterfactual.encode(model, material.test.take(rows))
    attention = own(material, rows)[0]
    drawn, given = (kernels.random_scores(attention, seed=seed) for seed in (0, 1))

    def run() -> dict[str, NDArray[np.int64]]:
        counts: dict[str, NDArray[np.int64]] = {}
        for batch in encoded:
            scores = plain_erasure.scores(model, batch) | {
                "random": _padded(drawn, batch),
                "leave_one_out": _padded(given, batch),
            }
            for name, score in scores.items():
                found = plain_erasure.first_flips(model, batch, score)
                counts.setdefault(name, np.zeros(len(rows), dtype=np.int64))[batch.rows] = found
        return counts

    def difference(plain: dict[str, NDArray[np.int64]], fast: dict[str, Flips]) -> float:
        return float(np.mean([plain[name] != fast[name].count for name in plain]))

    contender = Contender(fast_side("erasure", material, rows), difference, tolerance=0.01)
    return Comparison(plain_side(lambda: run, rows, len(material.test)), {"erasure": contender})


def _padded(score: Ragged, batch: counterfactual.Encoded) -> torch.Tensor:
    """One number per token, where a plain batch has its tokens."""
    padded = torch.zeros(batch.attention.shape)
    part = score.take(batch.rows).padded().astype(np.float32)
    padded[:, 1 : 1 + part.shape[1]] = torch.from_numpy(part)
    return padded.to(batch.attention.device)


def kendall_tau(material: Material, effort: Effort) -> Comparison:
    """τ-b and p-values of the test documents."""
    rows = np.arange(len(material.test))
    pair = kernels.rank_pair(material, rows)

    def difference(plain: Any, fast: Any) -> float:
        return max(float(np.nanmax(np.abs(a - b))) for a, b in zip(plain, fast, strict=True))

    contender = Contender(fast_side("kendall_tau", material, rows), difference, tolerance=1e-9)
    plain = plain_side(lambda: lambda: importance.kendall_tau(*pair), rows, len(rows))
    return Comparison(plain, {"kendall_tau": contender})
