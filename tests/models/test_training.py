"""Training against a plain loop with the papers' three optimisers; selection; interruption."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from attnnn.models.batches import noisy_length_batches
from attnnn.models.classifier import Classifier, build
from attnnn.models.inputs import Inputs
from attnnn.models.objectives import Labels, class_weights
from attnnn.models.training import Recipe, Training, total_loss
from attnnn.tables.ragged import Ragged

RECIPE = Recipe(
    epochs=3, batch_size=8, learning_rate=1e-2, weight_decay=1e-3, l2_mode="coupled",
    loss_reduction="sum", first_epoch_saveable=True, patience=None, seed=5,
)  # fmt: skip


def corpus() -> tuple[Ragged, np.ndarray]:
    rng = np.random.default_rng(0)
    tokens = Ragged.from_lists([rng.integers(4, 15, size=n) for n in rng.integers(2, 9, size=40)])
    return tokens, rng.integers(0, 2, size=40)


def new_model() -> Classifier:
    return build(
        encoder="bilstm", attention="additive", vocabulary=20, dimension=5, hidden_size=4, seed=5
    )


def training_of(recipe: Recipe, score: Callable[[Classifier, float], float]) -> Training:
    tokens, label = corpus()
    return Training(
        new_model(), Inputs(tokens), Labels(label, class_weights(label, 0.7)), recipe, score
    )


def by_loss(classifier: Classifier, train_loss: float) -> float:
    return -train_loss


def plain_training(epochs: int) -> tuple[Classifier, list[float]]:
    """The papers' loop: three Adam-AMSGrad optimisers, decay on all but the attention, sum of losses."""
    tokens, label = corpus()
    model, rng = new_model(), np.random.default_rng(5)
    optimizers = [
        torch.optim.Adam(
            part, lr=1e-2, weight_decay=decay, amsgrad=True, foreach=False, fused=False
        )
        for part, decay in (
            ([*model.embedding.parameters(), *model.encoder.parameters()], 1e-3),
            (list(model.attention.parameters()), 0.0),
            (list(model.decoder.parameters()), 1e-3),
        )
    ]
    losses = []
    for _ in range(epochs):
        total = 0.0
        for rows in noisy_length_batches(tokens.lengths + 2, 8, rng):
            probability = torch.sigmoid(model(Inputs(tokens.take(rows)).batch()).logit)
            loss = torch.zeros(())
            for p, y in zip(probability, label[rows], strict=True):
                loss = loss - (0.7 * p.log() if y else (1 - p).log())
            for optimizer in optimizers:
                optimizer.zero_grad()
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
            total += loss.item()
        losses.append(total)
    return model, losses


def test_losses_and_parameters_equal_the_plain_loop() -> None:
    model, losses = plain_training(3)
    training = training_of(RECIPE, lambda classifier, loss: float(training.progress.epoch))
    progress = training.run(after_epoch=lambda _: None, title="")
    ours = [entry["train_loss"] for entry in progress.history]
    np.testing.assert_allclose(ours, losses, rtol=1e-5)
    for name, tensor in model.state_dict().items():
        torch.testing.assert_close(
            training.classifier.state_dict()[name], tensor, rtol=1e-3, atol=1e-5
        )


def test_coupled_decay_moves_words_that_are_never_seen_and_none_does_not() -> None:
    unseen = 17  # documents hold ids 4 … 14
    start = new_model().embedding.weight[unseen].detach().clone()
    moved = {}
    for mode in ("coupled", "none"):
        training = training_of(replace(RECIPE, l2_mode=mode), by_loss)
        training.run(after_epoch=lambda _: None, title="")
        moved[mode] = (training.classifier.embedding.weight[unseen].detach() - start).abs().max()
    assert moved["none"] == 0
    # Adam scales any gradient, however small, to steps of about the learning rate.
    assert moved["coupled"] > 0.05


@pytest.mark.parametrize(
    ("scores", "first_saveable", "selected"),
    [([1, 3, 2], True, 1), ([5, 3, 2], True, 0), ([5, 2, 3], False, 2), ([2, 2, 2], True, 0)],
)
def test_the_first_best_epoch_is_selected(
    scores: list[float], first_saveable: bool, selected: int
) -> None:
    given, seen = iter(scores), []

    def score(classifier: Classifier, train_loss: float) -> float:
        seen.append(classifier.decoder.weight.detach().clone())
        return next(given)

    training = training_of(replace(RECIPE, first_epoch_saveable=first_saveable), score)
    progress = training.run(after_epoch=lambda _: None, title="")
    assert [entry["selected"] for entry in progress.history] == [n == selected for n in range(3)]
    assert torch.equal(training.classifier.decoder.weight, seen[selected])


def test_patience_ends_a_training_that_no_longer_improves() -> None:
    scores = iter([1.0, 4.0, 3.0, 3.0, 9.0, 9.0])
    recipe = replace(RECIPE, epochs=6, patience=2)
    progress = training_of(recipe, lambda c, loss: next(scores)).run(
        after_epoch=lambda _: None, title=""
    )
    assert progress.epoch == 4
    assert progress.best_epoch == 1


def test_a_training_interrupted_after_any_epoch_ends_the_same() -> None:
    states = []
    whole = training_of(RECIPE, by_loss)
    whole.run(after_epoch=lambda training: states.append(_copied(training.state())), title="")
    for state in states:
        resumed = training_of(RECIPE, by_loss)
        resumed.restore(_copied(state))
        resumed.run(after_epoch=lambda _: None, title="")
        assert resumed.progress == whole.progress
        for name, tensor in whole.classifier.state_dict().items():
            assert torch.equal(tensor, resumed.classifier.state_dict()[name])


def test_total_loss_is_the_sum_over_documents() -> None:
    tokens, label = corpus()
    objective, model = Labels(label, class_weights(label, 0.7)), new_model()
    alone = [
        objective.losses(model(Inputs(tokens.take([row])).batch()), np.array([row])).item()
        for row in range(len(tokens))
    ]
    assert total_loss(model, Inputs(tokens), objective) == pytest.approx(sum(alone), rel=1e-5)


def test_a_loss_that_is_no_number_is_told() -> None:
    training = training_of(RECIPE, by_loss)
    training.classifier.decoder.bias.data.fill_(float("inf"))
    with pytest.raises(RuntimeError, match="learning_rate"):
        training.run(after_epoch=lambda _: None, title="")


def _copied(state: dict) -> dict:
    import io

    buffer = io.BytesIO()
    torch.save(state, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=True)
