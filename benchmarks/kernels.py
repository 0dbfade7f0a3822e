"""The package's kernels as they are timed: given a corpus and some of its documents, set one up."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from attnnn.counterfactual.exact import exact_adversary
from attnnn.counterfactual.permuted import permuted_logits
from attnnn.counterfactual.searched import search_adversaries
from attnnn.erasure.flips import Flips
from attnnn.erasure.rankings import ranking_flips
from attnnn.importance.gradient import gradient
from attnnn.importance.leave_one_out import leave_one_out
from attnnn.importance.scores import Importance
from attnnn.measures import kendall_tau
from attnnn.models.inputs import Inputs
from attnnn.models.objectives import Labels, class_weights, positive_weight
from attnnn.models.training import Recipe, Training
from attnnn.readout.readout import Readout
from attnnn.study.settings import LeaveOneOut, SearchedAdversary
from attnnn.tables.ragged import Ragged
from benchmarks import flops
from benchmarks.clock import Setup
from benchmarks.material import Material

Rows = NDArray[np.int64]

# The recipe of both papers.
RECIPE = Recipe(
    epochs=1,
    batch_size=32,
    learning_rate=1e-3,
    weight_decay=1e-5,
    l2_mode="coupled",
    loss_reduction="sum",
    first_epoch_saveable=True,
    patience=None,
    seed=0,
)
PERMUTATIONS = 100
SEARCH = SearchedAdversary(adversaries=5, steps=500)
EPSILON = 0.05
REJOINING = LeaveOneOut()


@dataclass(frozen=True)
class Kernel:
    """One kernel.

    Attributes:
        of: ``train`` or ``test``: which documents it works on.
        setup: given a corpus and rows of these documents, sets up a run.
        flops: operations of the matrix products that it needs, by classifier and lengths with start and
            end symbols; None where it has none worth counting.
        on_gpu: whether it runs on the classifier's device; if not, on the CPU.
    """

    of: str
    setup: Callable[[Material, Rows], Setup]
    flops: Callable[..., float] | None = None
    on_gpu: bool = False

    def documents(self, material: Material) -> Ragged:
        """The documents it works on."""
        return material.train if self.of == "train" else material.test


def training(material: Material, rows: Rows) -> Setup:
    """The second epoch, when the optimiser's state exists; returns the losses of both epochs."""
    label = material.label[rows]
    objective = Labels(label, class_weights(label, positive_weight(material.label)))

    def setup() -> Callable[[], list[float]]:
        classifier = copy.deepcopy(material.classifier).train()
        job = Training(
            classifier, Inputs(material.train.take(rows)), objective, RECIPE, lambda *_: 0.0
        )
        job.run(after_epoch=lambda _: None, title="epoch 1")
        job.recipe = replace(RECIPE, epochs=2)

        def epoch() -> list[float]:
            progress = job.run(after_epoch=lambda _: None, title="epoch 2")
            return [entry["train_loss"] for entry in progress.history]

        return epoch

    return setup


def encoder(material: Material, rows: Rows) -> Setup:
    """Forward and backward of the BiLSTM on batches of 32; returns gradients of its inputs."""
    batches = embedded_batches(material, rows)
    # cuDNN gives gradients in training mode only; no layer behaves differently.
    module = copy.deepcopy(material.classifier.encoder).train()

    def run() -> list[torch.Tensor]:
        found: list[torch.Tensor] = []
        for embedded, lengths, outer in batches:
            module.zero_grad()
            embedded.grad = None
            module(embedded, lengths).backward(outer)
            assert embedded.grad is not None
            found.append(embedded.grad)
        return found

    return lambda: run


def embedded_batches(
    material: Material, rows: Rows
) -> list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Word vectors of batches of 32, their lengths, and a gradient of the states to start from."""
    generator, batches = torch.Generator().manual_seed(0), []
    for start in range(0, len(rows), RECIPE.batch_size):
        part = material.train.take(rows[start : start + RECIPE.batch_size])
        batch = Inputs(part).batch(material.device)
        embedded = material.classifier.embedding(batch.token_ids).detach().requires_grad_()
        shape = (*batch.token_ids.shape, material.classifier.encoder.width)
        outer = torch.randn(shape, generator=generator).to(material.device)
        outer = outer * batch.real[..., None]  # no attention, no gradient
        batches.append((embedded, batch.lengths, outer))
    return batches


def importance(function: Callable[..., Importance]) -> Callable[[Material, Rows], Setup]:
    """Gradient or leave-one-out; returns one number a token."""

    def setup(material: Material, rows: Rows) -> Setup:
        inputs = Inputs(material.test.take(rows))
        return lambda: lambda: function(material.classifier, inputs).signed

    return setup


# As a study runs it by default.
deletions = partial(
    leave_one_out, rejoin_from=REJOINING.rejoin_from, tolerance=REJOINING.rejoin_tolerance
)


def own(material: Material, rows: Rows) -> tuple[Ragged, Readout]:
    """The model's attention on some test documents, and the readout there."""
    return material.predictions.attention.take(rows), material.readout.take(rows)


def permutation(material: Material, rows: Rows) -> Setup:
    """100 permutations; returns logits."""
    attention, readout = own(material, rows)
    return lambda: (
        lambda: permuted_logits(
            attention, readout, permutations=PERMUTATIONS, generator=np.random.default_rng(0)
        )
    )


def searched(
    material: Material,
    rows: Rows,
    *,
    steps: int = SEARCH.steps,
    epsilons: tuple[float, ...] = (),
) -> Setup:
    """The papers' search; with `epsilons`, its best feasible iterates are kept too, as in a study."""
    attention, readout = own(material, rows)
    return lambda: (
        lambda: search_adversaries(
            rows,
            attention,
            readout,
            SEARCH.model_copy(update={"steps": steps}),
            cross_jsd_weight="code",
            epsilons=list(epsilons),
            seed=0,
            device=material.device.type,
        )
    )


def archived(material: Material, rows: Rows) -> Setup:
    """The search as a study runs it, with two ε."""
    return searched(material, rows, epsilons=(0.01, EPSILON))


def exact(material: Material, rows: Rows) -> Setup:
    """The exact adversary."""
    attention, readout = own(material, rows)
    return lambda: lambda: exact_adversary(attention, readout, EPSILON)


def random_scores(attention: Ragged, *, seed: int) -> Ragged:
    """One number per token, whose order is a random one."""
    return attention.with_values(np.random.default_rng(seed).random(len(attention.values)))


def erasure(material: Material, rows: Rows) -> Setup:
    """Erasure until the decision changes: every ranking, a given score, and the smallest set."""
    attention, readout = own(material, rows)
    given = {"leave_one_out": random_scores(attention, seed=1)}

    def run() -> dict[str, Flips]:
        generator = np.random.default_rng(0)
        return ranking_flips(attention, readout, generator=generator, given=given)

    return lambda: run


def rank_pair(material: Material, rows: Rows) -> tuple[Ragged, Ragged]:
    """Attention, and something that ranks tokens a little like it."""
    attention = material.predictions.attention.take(rows)
    noise = np.random.default_rng(0).standard_normal(len(attention.values))
    return attention, attention.with_values(np.log(attention.values) + 2 * noise)


def tau(material: Material, rows: Rows) -> Setup:
    """Kendall's τ-b with p-values."""
    pair = rank_pair(material, rows)
    return lambda: lambda: kendall_tau(*pair)


KERNELS: dict[str, Kernel] = {
    "training": Kernel("train", training, flops.training, on_gpu=True),
    "encoder": Kernel("train", encoder, flops.encoder, on_gpu=True),
    "gradient": Kernel("test", importance(gradient), flops.gradient, on_gpu=True),
    "leave_one_out": Kernel("test", importance(deletions), flops.leave_one_out, on_gpu=True),
    "permutation": Kernel("test", permutation),
    "searched_adversary": Kernel("test", searched, on_gpu=True),
    "searched_adversary_archived": Kernel("test", archived, on_gpu=True),
    "exact_adversary": Kernel("test", exact),
    "erasure": Kernel("test", erasure),
    "kendall_tau": Kernel("test", tau),
}


def result_rows(kernel: Kernel, material: Material) -> Rows:
    """All rows of the documents that a kernel works on, shortest first."""
    return np.argsort(kernel.documents(material).lengths, kind="stable")
