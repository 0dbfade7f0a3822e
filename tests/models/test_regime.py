"""Serrano & Smith's training against PyTorch's own optimiser, schedule, clipping and dropout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import cross_entropy
from torch.optim.lr_scheduler import ReduceLROnPlateau

from attnnn.models.batches import noisy_length_batches
from attnnn.models.classifier import Classifier, build
from attnnn.models.clipping import clip_norm, clip_value
from attnnn.models.dropout import Dropout, Shares
from attnnn.models.inputs import Inputs
from attnnn.models.objectives import Classes
from attnnn.models.training import Recipe, Training, halvings
from attnnn.tables.ragged import Ragged

SHARES = Shares(words=0.4, sentences=0.3, output=0.5)
RECIPE = Recipe(
    epochs=5, batch_size=8, learning_rate=1e-2, weight_decay=0.0, l2_mode="none",
    loss_reduction="mean", first_epoch_saveable=True, patience=None, seed=5,
    amsgrad=False, halving=True, clip_norm=0.3, samples_per_batch=30, dropout=SHARES,
)  # fmt: skip
ENCODERS = [f"{family}-{name}" for family in ("flan", "han") for name in ("rnn", "conv", "none")]


def corpus(encoder: str) -> tuple[Inputs, np.ndarray]:
    rng = np.random.default_rng(0)
    sentences = Ragged.from_lists([rng.integers(1, 7, size=n) for n in rng.integers(1, 5, size=40)])
    lengths = sentences.sums().astype(int)
    tokens = Ragged.from_lengths(rng.integers(4, 15, size=lengths.sum()), lengths)
    inputs = Inputs(tokens, sentences=sentences if encoder.startswith("han") else None)
    return inputs, rng.integers(0, 3, size=40)


def new_model(encoder: str) -> Classifier:
    return build(
        encoder=encoder, attention="additive", vocabulary=20, dimension=6, hidden_size=4, seed=5,
        outputs=3,
    )  # fmt: skip


def training_of(
    encoder: str, recipe: Recipe, score: Callable[[Classifier, float], float]
) -> Training:
    inputs, label = corpus(encoder)
    return Training(new_model(encoder), inputs, Classes(label), recipe, score)


# Scores of five epochs, of which two improve on none before.
SCORES = [0.4, 0.5, 0.5, 0.6, 0.3]


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("clipped", ["norm", "value"])
def test_a_training_equals_the_plain_loop(encoder: str, clipped: str) -> None:
    recipe = replace(RECIPE, dropout=None)
    if clipped == "value":
        recipe = replace(recipe, clip_norm=None, clip_value=0.01)
    given = iter(SCORES)
    training = training_of(encoder, recipe, lambda classifier, loss: next(given))
    training.progress.best_score = 1.0  # None is selected, so that the last parameters stay.
    with pytest.raises(RuntimeError, match="none can be selected"):
        training.run(after_epoch=lambda _: None, title="")

    model, rng = new_model(encoder), np.random.default_rng(5)
    inputs, label = corpus(encoder)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, foreach=False, fused=False)
    schedule = ReduceLROnPlateau(optimizer, mode="max", factor=0.5, patience=0)
    losses = []
    for score in SCORES:
        total = 0.0
        for rows in noisy_length_batches(inputs.lengths, 8, rng, most=30):
            loss = cross_entropy(
                model(inputs.take(rows).batch()).logits, torch.from_numpy(label[rows])
            )
            optimizer.zero_grad()
            loss.backward()
            if clipped == "norm":
                torch.nn.utils.clip_grad_norm_(model.parameters(), 0.3)
            else:
                torch.nn.utils.clip_grad_value_(model.parameters(), 0.01)
            optimizer.step()
            total += loss.item() * len(rows)
        losses.append(total)
        schedule.step(score)
    assert schedule.get_last_lr() == [0.0025]
    ours = [entry["train_loss"] for entry in training.progress.history]
    np.testing.assert_allclose(ours, losses, rtol=1e-5)
    for name, tensor in model.state_dict().items():
        torch.testing.assert_close(
            training.classifier.state_dict()[name], tensor, rtol=1e-3, atol=2e-5
        )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_the_learning_rate_halves_as_by_pytorchs_schedule(scores: list[float]) -> None:
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=1.0)
    schedule = ReduceLROnPlateau(optimizer, mode="max", factor=0.5, patience=0)
    for count, score in enumerate(scores, start=1):
        schedule.step(score)
        assert 0.5 ** halvings(scores[:count]) == schedule.get_last_lr()[0]


def test_the_learning_rate_of_each_epoch() -> None:
    given, rates = iter(SCORES), []
    training = training_of("flan-none", RECIPE, lambda classifier, loss: next(given))
    training.run(
        after_epoch=lambda training: rates.append(training.optimizer.learning_rate), title=""
    )
    assert rates == [1e-2, 1e-2, 1e-2, 5e-3, 5e-3]


@pytest.mark.parametrize("most", [1e-3, 1e3])
@pytest.mark.parametrize("kind", ["norm", "value"])
def test_gradients_are_clipped_as_by_pytorch(kind: str, most: float) -> None:
    gradients = []
    for ours in (True, False):
        model = new_model("han-rnn")
        inputs, _ = corpus("han-rnn")
        # Twice, so that rows of word vectors are touched by several lookups.
        for rows in (np.arange(20), np.arange(10, 40)):
            model(inputs.take(rows).batch()).logits.square().sum().backward()
        if ours:
            tables = {id(table.weight) for table in model.tables}
            others = [p for p in model.parameters() if id(p) not in tables]
            (clip_norm if kind == "norm" else clip_value)(others, model.tables, most)
        elif kind == "norm":
            torch.nn.utils.clip_grad_norm_(model.parameters(), most)
        else:
            torch.nn.utils.clip_grad_value_(model.parameters(), most)
        gradients.append({name: p.grad for name, p in model.named_parameters()})
    for name, gradient in gradients[0].items():
        torch.testing.assert_close(gradient, gradients[1][name])


def mask(shape: tuple[int, ...], kept: float, generator: torch.Generator) -> torch.Tensor:
    return torch.empty(shape).bernoulli_(kept, generator=generator) / kept


@pytest.mark.parametrize("of_logits", [False, True])
def test_dropout_by_hand(of_logits: bool) -> None:
    model = new_model("flan-conv")
    inputs, _ = corpus("flan-conv")
    batch = inputs.take(np.arange(7)).batch()
    shares = replace(SHARES, of_logits=of_logits)
    output = model(batch, dropout=Dropout(shares, torch.Generator().manual_seed(1)))
    generator = torch.Generator().manual_seed(1)
    embedded = model.embedding(batch.token_ids)
    # A convolution drops three tenths of what dropout of words has left.
    embedded = embedded * mask(embedded.shape, 0.6 * 0.7, generator)
    states = model.encoder(embedded, batch.lengths)
    weights = model.attention(states, batch.real, None).exp()
    torch.testing.assert_close(output.attention, weights)
    context = (weights[..., None] * states).sum(dim=1)
    if of_logits:
        expected = model.decoder(context) * mask((7, 3), 0.5, generator)
    else:
        expected = model.decoder(context * mask((7, 4), 0.5, generator))
    torch.testing.assert_close(output.logits, expected)


def test_sentence_vectors_are_dropped_in_hierarchical_models() -> None:
    model = new_model("han-none")
    inputs, _ = corpus("han-none")
    batch = inputs.batch()
    vectors = model.embed(batch)
    dropped = model.embed(batch, Dropout(Shares(sentences=0.25), torch.Generator().manual_seed(0)))[
        batch.real
    ]
    kept = dropped != 0
    torch.testing.assert_close(dropped[kept], vectors[batch.real][kept] / 0.75)
    assert 0.65 < kept.float().mean() < 0.85


@pytest.mark.parametrize("encoder", ENCODERS)
def test_nothing_is_dropped_in_evaluation_whatever_the_mode(encoder: str) -> None:
    model = new_model(encoder)
    batch = corpus(encoder)[0].batch()
    expected = model.eval()(batch).logits
    assert torch.equal(model.train()(batch).logits, expected)
    dropped = model(batch, dropout=Dropout(SHARES, torch.Generator().manual_seed(0))).logits
    assert not torch.allclose(dropped, expected)
    nothing = model(batch, dropout=Dropout(Shares(), torch.Generator())).logits
    if not encoder.endswith("conv"):  # which drops by itself in training
        torch.testing.assert_close(nothing, expected)


@pytest.mark.parametrize("encoder", ["flan-conv", "han-rnn"])
def test_a_training_interrupted_after_any_epoch_ends_the_same(encoder: str) -> None:
    def score(classifier: Classifier, train_loss: float) -> float:
        return 1 / train_loss

    states: list[dict] = []
    whole = training_of(encoder, RECIPE, score)
    whole.run(after_epoch=lambda training: states.append(_copied(training.state())), title="")
    assert len(states) == 5
    for state in states:
        torch.rand(3)  # Nothing may hang on the state of the global generator.
        resumed = training_of(encoder, RECIPE, score)
        resumed.restore(_copied(state))
        resumed.run(after_epoch=lambda _: None, title="")
        assert resumed.progress == whole.progress
        for name, tensor in whole.classifier.state_dict().items():
            assert torch.equal(tensor, resumed.classifier.state_dict()[name])


def _copied(state: dict) -> dict:
    import io

    buffer = io.BytesIO()
    torch.save(state, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=True)
