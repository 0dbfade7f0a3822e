"""Training: Adam over noisy length buckets, one epoch selected at the end (METHODS of all papers)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from tqdm import tqdm

from attnnn.models.batches import Batch, noisy_length_batches
from attnnn.models.classifier import Classifier
from attnnn.models.clipping import clip_norm, clip_value
from attnnn.models.dropout import Dropout, Shares
from attnnn.models.inputs import Inputs
from attnnn.models.objectives import Objective
from attnnn.models.optimizer import AmsGrad

Score = Callable[[Classifier, float], float]


@dataclass(frozen=True)
class Recipe:
    """How a model is trained.

    Attributes:
        epochs: passes over the training documents, at most.
        batch_size: documents in a batch.
        learning_rate: of Adam, at first.
        weight_decay: L2 of every parameter, those of the attention only with `decay_attention`.
        l2_mode: ``coupled`` (added to the gradient), ``decoupled`` (AdamW) or ``none``.
        loss_reduction: ``sum`` or ``mean`` over the documents of a batch.
        first_epoch_saveable: whether the first epoch may be selected.
        patience: stop after this many epochs without a better score; None: never.
        seed: of the order of the documents, and of dropout.
        decay_attention: whether the L2 is of the attention's parameters too.
        amsgrad: whether Adam is with AMSGrad.
        halving: whether an epoch without a better score halves the learning rate (`halvings`).
        clip_norm: largest Euclidean norm of all gradients together; None: any.
        clip_value: largest magnitude of any element of a gradient; None: any.
        samples_per_batch: bound on a batch's padded length times its documents (`noisy_length_batches`).
        dropout: how much of what is dropped; None: nothing.
    """

    epochs: int
    batch_size: int
    learning_rate: float
    weight_decay: float
    l2_mode: str
    loss_reduction: str
    first_epoch_saveable: bool
    patience: int | None
    seed: int
    decay_attention: bool = False
    amsgrad: bool = True
    halving: bool = False
    clip_norm: float | None = None
    clip_value: float | None = None
    samples_per_batch: int | None = None
    dropout: Shares | None = None


@dataclass
class Progress:
    """Everything a training needs to go on after an interruption, apart from the parameters."""

    epoch: int = 0
    best_score: float = -np.inf
    best_epoch: int = -1
    history: list[dict[str, Any]] = field(default_factory=list)


def optimizer_of(classifier: Classifier, recipe: Recipe) -> AmsGrad:
    """Adam with weight decay on all but the attention, or on all.

    One optimiser with two groups does what the papers' three optimisers do.
    """
    attention = list(classifier.attention.parameters())
    own = {id(parameter) for parameter in attention}
    rest = [parameter for parameter in classifier.parameters() if id(parameter) not in own]
    decay = 0.0 if recipe.l2_mode == "none" else recipe.weight_decay
    return AmsGrad(
        [(rest, decay), (attention, decay if recipe.decay_attention else 0.0)],
        learning_rate=recipe.learning_rate,
        decoupled=recipe.l2_mode == "decoupled",
        amsgrad=recipe.amsgrad,
    )


def halvings(scores: Iterable[float]) -> int:
    """How often epochs with these scores have halved the learning rate: once for each without a better one.

    Better is what exceeds the best so far by a ten-thousandth of it, as for
    `torch.optim.lr_scheduler.ReduceLROnPlateau` with patience 0, factor ½ and scores of at least 0.
    """
    best, count = -np.inf, 0
    for score in scores:
        if score > best * (1 + 1e-4):
            best = score
        else:
            count += 1
    return count


class Training:
    """One training run that can be interrupted between epochs.

    Args:
        classifier: trained in place; holds the selected epoch's parameters in the end.
        inputs: training documents.
        objective: one loss per document.
        recipe: how.
        score: called with the classifier and the epoch's training loss; larger is better.
    """

    def __init__(
        self,
        classifier: Classifier,
        inputs: Inputs,
        objective: Objective,
        recipe: Recipe,
        score: Score,
    ) -> None:
        self.classifier, self.inputs, self.objective = classifier, inputs, objective
        self.recipe, self.score = recipe, score
        self.optimizer = optimizer_of(classifier, recipe)
        tables = {id(table.weight) for table in classifier.tables}
        self._others = [p for p in classifier.parameters() if id(p) not in tables]
        self.rng = np.random.default_rng(recipe.seed)
        self.dropout = _dropout(recipe, classifier.device)
        self.progress = Progress()
        self.best = _copy_of(classifier)

    def run(self, *, after_epoch: Callable[[Training], None], title: str) -> Progress:
        """Train to the end and load the selected parameters into the classifier.

        Args:
            after_epoch: called after every epoch, to keep a checkpoint.
            title: of the progress bar, which only a terminal shows.

        Raises:
            RuntimeError: the loss is no longer a finite number, or no epoch could be selected.
        """
        epochs = range(self.progress.epoch, self.recipe.epochs)
        with tqdm(
            epochs,
            initial=self.progress.epoch,
            total=self.recipe.epochs,
            desc=title,
            unit="epoch",
            disable=None,
        ) as bar:
            for epoch in bar:
                if self._out_of_patience():
                    break
                self._epoch(epoch)
                bar.set_postfix(score=f"{self.progress.history[-1]['score']:.4f}")
                after_epoch(self)
        if self.progress.best_epoch < 0:
            raise RuntimeError("no epoch has a score that is a number, so none can be selected")
        self.classifier.load_state_dict(self.best)
        for entry in self.progress.history:
            entry["selected"] = entry["epoch"] == self.progress.best_epoch
        return self.progress

    def _epoch(self, epoch: int) -> None:
        if self.recipe.halving:
            scores = [past["score"] for past in self.progress.history]
            self.optimizer.learning_rate = self.recipe.learning_rate / 2 ** halvings(scores)
        total = torch.zeros((), dtype=torch.float64, device=self.classifier.device)
        for rows, batch in self._batches():
            total += self._step(rows, batch)
        train_loss = float(total)
        if not np.isfinite(train_loss):
            raise RuntimeError(
                f"the loss became {train_loss} in epoch {epoch}; lower learning_rate"
            )
        score = self.score(self.classifier, train_loss)
        saveable = epoch > 0 or self.recipe.first_epoch_saveable or self.recipe.epochs == 1
        selected = saveable and score > self.progress.best_score
        if selected:
            self.progress.best_score, self.progress.best_epoch = score, epoch
            self.best = _copy_of(self.classifier)
        self.progress.history.append(
            {"epoch": epoch, "train_loss": train_loss, "score": score, "selected": False}
        )
        self.progress.epoch = epoch + 1

    def _batches(self) -> Iterator[tuple[NDArray[np.int64], Batch]]:
        recipe = self.recipe
        for rows in noisy_length_batches(
            self.inputs.lengths, recipe.batch_size, self.rng, most=recipe.samples_per_batch
        ):
            yield rows, self.inputs.take(rows).batch(self.classifier.device)

    def _step(self, rows: NDArray[np.int64], batch: Batch) -> Tensor:
        output = self.classifier(batch, dropout=self.dropout)
        losses = self.objective.losses(output, rows)
        summed = losses.sum() * self.objective.batch_weight(rows)
        loss = summed / len(rows) if self.recipe.loss_reduction == "mean" else summed
        self._clear_gradients()
        loss.backward()  # type: ignore[no-untyped-call]
        self._clip_gradients()
        self.optimizer.step()
        return summed.detach().double()

    def _clip_gradients(self) -> None:
        parts = self._others, self.classifier.tables
        if self.recipe.clip_value is not None:
            clip_value(*parts, self.recipe.clip_value)
        if self.recipe.clip_norm is not None:
            clip_norm(*parts, self.recipe.clip_norm)

    def _clear_gradients(self) -> None:
        for parameter in self._others:
            parameter.grad = None
        for table in self.classifier.tables:
            table.clear_gradient()

    def _out_of_patience(self) -> bool:
        waited = self.progress.epoch - 1 - self.progress.best_epoch
        return (
            self.recipe.patience is not None
            and self.progress.best_epoch >= 0
            and waited >= self.recipe.patience
        )

    def state(self) -> dict[str, Any]:
        """Everything needed to go on, as tensors and text."""
        progress = vars(self.progress) | {"rng": self.rng.bit_generator.state}
        state = {
            "parameters": self.classifier.state_dict(),
            "best": self.best,
            "optimizer": self.optimizer.state(),
            "progress": json.dumps(progress),
        }
        drawn = {} if self.dropout is None else {"dropout": self.dropout.generator.get_state()}
        return state | drawn

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a `state`."""
        self.classifier.load_state_dict(state["parameters"])
        self.best = state["best"]
        self.optimizer.restore(state["optimizer"])
        if self.dropout is not None:
            self.dropout.generator.set_state(state["dropout"])
        progress = json.loads(state["progress"])
        self.rng.bit_generator.state = progress.pop("rng")
        self.progress = Progress(**progress)


@torch.inference_mode()
def total_loss(classifier: Classifier, inputs: Inputs, objective: Objective) -> float:
    """The objective summed over documents, without batch weights and without training."""
    device = classifier.device
    total = torch.zeros((), dtype=torch.float64, device=device)
    for part, batch in inputs.batches(device):
        total += objective.losses(classifier(batch), part.rows).double().sum()
    return float(total)


def _dropout(recipe: Recipe, device: torch.device) -> Dropout | None:
    if recipe.dropout is None:
        return None
    return Dropout(recipe.dropout, torch.Generator(device).manual_seed(recipe.seed))


def _copy_of(module: nn.Module) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in module.state_dict().items()}
