"""What reads documents: training, gradients and leave-one-out against their plain implementations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from attnnn.models.objectives import class_weights, positive_weight
from attnnn.tables.ragged import Ragged
from benchmarks import kernels
from benchmarks.comparisons_of_attention import adversary, erasure, kendall_tau, permutation
from benchmarks.kernels import RECIPE
from benchmarks.material import Material
from benchmarks.plain import BATCH_SIZE, importance
from benchmarks.plain.model import PlainModel
from benchmarks.plain.training import PlainTraining
from benchmarks.sides import Comparison, Contender, Effort, fast_side, plain_side, spaced, thinned


def training(material: Material, effort: Effort) -> Comparison:
    """An epoch; loss of the first two epochs, relative difference."""
    rows = spaced(np.argsort(material.train.lengths, kind="stable"), effort.train)
    label = material.label[rows]
    weight = class_weights(label, positive_weight(material.label))

    def setup() -> Callable[[], list[float]]:
        job = PlainTraining(
            PlainModel.like(material.classifier),
            material.train.take(rows),
            label,
            weight,
            rng=np.random.default_rng(RECIPE.seed),
            batch_size=RECIPE.batch_size,
            learning_rate=RECIPE.learning_rate,
            weight_decay=RECIPE.weight_decay,
        )
        first = job.epoch()
        return lambda: [first, job.epoch()]

    def difference(plain: list[float], fast: list[float]) -> float:
        return float(np.max(np.abs(np.array(fast) / plain - 1)))

    contender = Contender(fast_side("training", material, rows), difference, tolerance=1e-3)
    return Comparison(plain_side(setup, rows, len(material.train)), {"training": contender})


def encoder(material: Material, effort: Effort) -> Comparison:
    """Forward and backward of the BiLSTM in an epoch: the recurrent and projection products.

    Gradients of its inputs, difference relative to a batch's largest.
    """
    rows = spaced(np.argsort(material.train.lengths, kind="stable"), effort.train)
    batches = kernels.embedded_batches(material, rows)
    model = PlainModel.like(material.classifier)

    def run() -> list[torch.Tensor]:
        found: list[torch.Tensor] = []
        for embedded, lengths, outer in batches:
            model.zero_grad()
            embedded.grad = None
            model.encode(embedded, lengths).backward(outer)  # type: ignore[no-untyped-call]
            assert embedded.grad is not None
            found.append(embedded.grad)
        return found

    def difference(plain: list[torch.Tensor], fast: list[torch.Tensor]) -> float:
        pairs = zip(plain, fast, strict=True)
        return max(float((a - b).abs().max() / a.abs().max()) for a, b in pairs)

    contender = Contender(fast_side("encoder", material, rows), difference, tolerance=1e-4)
    return Comparison(plain_side(lambda: run, rows, len(material.train)), {"encoder": contender})


def gradient(material: Material, effort: Effort) -> Comparison:
    """Gradient × input of the test documents."""
    rows = spaced(np.arange(len(material.test)), effort.test)
    model, tokens = PlainModel.like(material.classifier), material.test.take(rows)

    def run() -> Ragged:
        return importance.gradient(model, tokens)

    def difference(plain: Ragged, fast: Ragged) -> float:
        return float(np.max(np.abs(np.subtract(plain.values, fast.values))))

    contender = Contender(fast_side("gradient", material, rows), difference, tolerance=1e-5)
    return Comparison(plain_side(lambda: run, rows, len(material.test)), {"gradient": contender})


def leave_one_out(material: Material, effort: Effort) -> Comparison:
    """Every token of the test documents deleted in turn."""
    rows = spaced(np.arange(len(material.test)), effort.deletion)
    model, tokens = PlainModel.like(material.classifier), material.test.take(rows)
    batches = np.split(tokens.lengths, range(BATCH_SIZE, len(rows), BATCH_SIZE))
    longest = [int(lengths.max()) for lengths in batches]
    run = [len(range(0, n, effort.positions)) for n in longest]
    plain = plain_side(
        lambda: lambda: importance.leave_one_out(model, tokens, every=effort.positions),
        rows,
        len(material.test),
        part=sum(run) / sum(longest),
        words=f", {sum(run)} of {sum(longest)} positions",
    )
    chosen = thinned(np.arange(len(rows)), effort.shortened)

    def difference(every: Ragged, fast: Ragged) -> float:
        expected = every.take(chosen).values.astype(np.float64)
        deleted = ~np.isnan(expected)
        return float(np.abs(expected - fast.values.astype(np.float64))[deleted].max())

    fast = fast_side("leave_one_out", material, rows[chosen])
    return Comparison(plain, {"leave_one_out": Contender(fast, difference, tolerance=1e-5)})


COMPARISONS: dict[str, Callable[[Material, Effort], Comparison]] = {
    "training": training,
    "encoder": encoder,
    "gradient": gradient,
    "leave_one_out": leave_one_out,
    "permutation": permutation,
    "adversary": adversary,
    "erasure": erasure,
    "kendall_tau": kendall_tau,
}
