"""Flat and hierarchical attention networks against plain loops over documents, sentences and tokens."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attnnn.errors import UserError
from attnnn.models.classifier import Classifier, build
from attnnn.models.documents import Documents
from attnnn.models.gru import both_ways
from attnnn.models.inputs import Inputs
from attnnn.models.networks import Gru
from attnnn.models.prediction import predict
from attnnn.study.model import Model
from attnnn.tables.ragged import Ragged

TOKENS = Ragged.from_lists([[4, 9, 11, 5, 9, 7, 8], [7], [8, 6, 6, 10, 12], [5, 5, 13, 14]])
SENTENCES = Ragged.from_lists([[2, 4, 1], [1], [5], [1, 1, 2]])
ENCODERS = ("rnn", "conv", "none")
ATTENTIONS = ("additive", "uniform")


def model_of(
    family: str, encoder: str, attention: str = "additive", outputs: int = 3
) -> Classifier:
    model = build(
        encoder=f"{family}-{encoder}", attention=attention, vocabulary=20, dimension=5, hidden_size=6,
        seed=3, outputs=outputs,
    )  # fmt: skip
    generator = torch.Generator().manual_seed(1)
    for name, parameter in model.named_parameters():
        if "bias" in name:  # Zero at the start, where an error would not show.
            parameter.data.copy_(torch.rand(parameter.shape, generator=generator))
    return model.double()


def inputs_of(family: str) -> Inputs:
    return Inputs(TOKENS, sentences=SENTENCES if family == "han" else None)


def states_of(encoder: nn.Module, vectors: Tensor) -> Tensor:
    """One text at a time: (tokens, dimension) -> (tokens, width)."""
    if hasattr(encoder, "left_to_right"):
        directions = []
        for gru, backwards in ((encoder.left_to_right, False), (encoder.right_to_left, True)):
            weights = [
                getattr(gru, f"{name}_l0")
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            ]
            state, states = vectors.new_zeros(1, gru.hidden_size), []
            for vector in reversed(vectors) if backwards else vectors:
                state = torch.gru_cell(vector[None], state, *weights)
                states.append(state[0])
            directions.append(torch.stack(states[::-1] if backwards else states))
        return torch.cat(directions, dim=1)
    if not hasattr(encoder, "convolutions"):
        return vectors
    states = []
    for t in range(len(vectors)):
        features = []
        for convolve in encoder.convolutions:
            reach = convolve.kernel_size[0] // 2
            total = convolve.bias
            for place in range(-reach, reach + 1):
                if 0 <= t + place < len(vectors):
                    total = total + convolve.weight[:, :, reach + place] @ vectors[t + place]
            features.append(total.clamp(min=0))
        states.append(torch.cat(features))
    return torch.stack(states)


def weights_of(attention: nn.Module, states: Tensor) -> Tensor:
    if not list(attention.parameters()):
        return torch.full((len(states),), 1 / len(states)).double()
    scores = torch.stack(
        [
            attention.score.weight[0]
            @ torch.tanh(attention.hidden.weight @ h + attention.hidden.bias)
            for h in states
        ]
    )
    return scores.exp() / scores.exp().sum()


def plain(
    model: Classifier, tokens: Ragged, sentences: Ragged | None
) -> list[tuple[Tensor, Tensor]]:
    """Logits and attention of each document."""
    found = []
    for row in range(len(tokens)):
        vectors = model.embedding.weight[torch.from_numpy(tokens[row])]
        if sentences is not None:
            read = []
            for sentence in vectors.split(sentences[row].tolist()):
                states = states_of(model.words.encoder, sentence)
                read.append(weights_of(model.words.attention, states) @ states)
            vectors = torch.stack(read)
        states = states_of(model.encoder, vectors)
        attention = weights_of(model.attention, states)
        found.append((model.decoder.weight @ (attention @ states) + model.decoder.bias, attention))
    return found


ALL = list(itertools.product(("flan", "han"), ENCODERS, ATTENTIONS))


@pytest.mark.parametrize(("family", "encoder", "attention"), ALL)
def test_a_batch_equals_a_plain_loop(family: str, encoder: str, attention: str) -> None:
    model, inputs = model_of(family, encoder, attention), inputs_of(family)
    output = model(inputs.batch())
    items = inputs.items
    for row, (logits, weights) in enumerate(plain(model, TOKENS, inputs.sentences)):
        torch.testing.assert_close(output.logits[row], logits)
        torch.testing.assert_close(output.attention[row, 1 : items.lengths[row] + 1], weights)
        assert not output.attention[row, items.lengths[row] + 1 :].any()
        assert output.attention[row, 0] == 0


@pytest.mark.parametrize(("family", "encoder", "attention"), ALL)
def test_gradients_equal_those_of_a_plain_loop(family: str, encoder: str, attention: str) -> None:
    model, inputs = model_of(family, encoder, attention), inputs_of(family)
    weights = torch.arange(12.0).double().reshape(4, 3).sin()

    def gradients(logits: Tensor) -> dict[str, Tensor]:
        for parameter in model.parameters():
            parameter.grad = None
        (logits * weights).sum().backward()
        return {name: p.grad.clone() for name, p in model.named_parameters()}

    ours = gradients(model(inputs.batch()).logits)
    theirs = gradients(
        torch.stack([logits for logits, _ in plain(model, TOKENS, inputs.sentences)])
    )
    for name, gradient in ours.items():
        assert gradient.any(), name
        torch.testing.assert_close(gradient, theirs[name])


@pytest.mark.parametrize("encoder", ENCODERS)
def test_start_and_end_symbols_change_nothing(encoder: str) -> None:
    for family in ("flan", "han"):
        model, batch = model_of(family, encoder), inputs_of(family).batch()
        before = model(batch).logits.clone()
        with torch.no_grad():
            model.embedding.weight[[2, 3]] = 7.0
        torch.testing.assert_close(model(batch).logits, before)


@pytest.mark.parametrize(("family", "encoder"), list(itertools.product(("flan", "han"), ENCODERS)))
def test_a_document_does_not_depend_on_its_batch(family: str, encoder: str) -> None:
    model, inputs = model_of(family, encoder), inputs_of(family)
    together = predict(model, inputs)
    for row in range(len(inputs)):
        alone = predict(model, inputs.take(np.array([row])))
        np.testing.assert_allclose(alone.logits[0], together.logits[row])
        np.testing.assert_allclose(alone.attention[0], together.attention[row])
        np.testing.assert_allclose(alone.projected[0], together.projected[row], atol=1e-12)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_predictions_of_sentences_carry_their_own_proof(encoder: str) -> None:
    model = model_of("han", encoder)
    found = predict(model, inputs_of("han"))
    assert found.attention.lengths.tolist() == [3, 1, 1, 3]
    bias = model.decoder.bias.detach().numpy()
    for row in range(4):
        logits = found.attention[row] @ found.projected[row] + bias
        np.testing.assert_allclose(found.logits[row], logits)
    np.testing.assert_allclose(found.attention.sums(), 1)


def test_without_encoders_one_sentence_is_read_as_a_document() -> None:
    han, flan = model_of("han", "none"), model_of("flan", "none")
    own = flan.state_dict()
    for name, tensor in han.state_dict().items():
        if name in own and not name.startswith("attention"):
            own[name].copy_(tensor)
    for name, tensor in han.words.attention.state_dict().items():
        own[f"attention.{name}"].copy_(tensor)
    whole = Ragged.from_lengths(TOKENS.lengths, np.ones(4, dtype=np.int64))
    ours = predict(han, Inputs(TOKENS, sentences=whole))
    np.testing.assert_allclose(ours.logits, predict(flan, Inputs(TOKENS)).logits)
    assert ours.attention.values.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("encoder", ENCODERS)
def test_where_sentences_end_matters(encoder: str) -> None:
    model = model_of("han", encoder)
    one = predict(model, Inputs(TOKENS, sentences=Ragged.from_lists([[2, 4, 1], [1], [5], [2, 2]])))
    other = predict(
        model, Inputs(TOKENS, sentences=Ragged.from_lists([[3, 3, 1], [1], [5], [1, 3]]))
    )
    changed = np.abs(one.logits - other.logits).max(axis=1) > 1e-6
    assert changed.tolist() == [True, False, False, True]


def test_parameter_counts_by_hand() -> None:
    """The paper's sizes: word vectors of width 200, states of width 100, ten classes."""
    gru = 2 * (150 * 200 + 150 * 50 + 150 + 150)
    upper_gru = 2 * (150 * 100 + 150 * 50 + 150 + 150)
    convolutions, upper_convolutions = 50 * (3 + 5) * 200 + 100, 50 * (3 + 5) * 100 + 100
    narrow, wide = 100 * 100 + 100 + 100, 200 * 200 + 200 + 200
    expected = {
        "flan-rnn": (gru, narrow, 1010, None, None),
        "flan-conv": (convolutions, narrow, 1010, None, None),
        "flan-none": (0, wide, 2010, None, None),
        "han-rnn": (upper_gru, narrow, 1010, gru, narrow),
        "han-conv": (upper_convolutions, narrow, 1010, convolutions, narrow),
        "han-none": (0, wide, 2010, 0, wide),
    }
    for encoder, numbers in expected.items():
        model = Classifier(
            encoder=encoder, attention="additive", vocabulary=9, dimension=200, hidden_size=100, outputs=10
        )  # fmt: skip
        counts = model.parameter_counts()
        parts = ("encoder", "attention", "decoder", "word_encoder", "word_attention")
        assert tuple(counts.get(part) for part in parts) == numbers, encoder
        assert sum(counts.values()) == sum(p.numel() for p in model.parameters())


def test_grus_start_orthogonal_and_with_biases_of_zero_or_an_lstms() -> None:
    for lstm_bias in (False, True):
        model = build(
            encoder="han-rnn", attention="additive", vocabulary=9, dimension=200, hidden_size=100,
            seed=0, outputs=10, lstm_bias=lstm_bias,
        )  # fmt: skip
        ones = 37 if lstm_bias else 0
        for encoder in (model.encoder, model.words.encoder):
            for gru in (encoder.left_to_right, encoder.right_to_left):
                weight = gru.weight_hh_l0.detach()
                torch.testing.assert_close(weight.T @ weight, torch.eye(50), atol=1e-5, rtol=0)
                bound = (6 / sum(gru.weight_ih_l0.shape)) ** 0.5
                assert 0.95 * bound < gru.weight_ih_l0.abs().max() <= bound
                assert not gru.bias_ih_l0.any()
                assert gru.bias_hh_l0.sum() == gru.bias_hh_l0[37:74].sum() == ones
        assert not model.decoder.bias.any()
        assert model.decoder.weight.abs().max() <= (6 / 110) ** 0.5


def test_states_are_those_of_pytorchs_packed_gru() -> None:
    torch.manual_seed(1)
    ours, theirs = Gru(5, 8), nn.GRU(5, 4, batch_first=True, bidirectional=True)
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        for gru, suffix in ((ours.left_to_right, ""), (ours.right_to_left, "_reverse")):
            getattr(gru, f"{name}_l0").data.uniform_(-1, 1)
            getattr(theirs, f"{name}_l0{suffix}").data.copy_(getattr(gru, f"{name}_l0"))
    lengths = torch.tensor([9, 3, 5])
    embedded = torch.randn(3, 9, 5, requires_grad=True)
    packed = nn.utils.rnn.pack_padded_sequence(
        embedded[:, 1:], lengths - 2, batch_first=True, enforce_sorted=False
    )
    expected, _ = nn.utils.rnn.pad_packed_sequence(theirs(packed)[0], batch_first=True)
    states = ours(embedded, lengths)
    weights = torch.randn(3, 7, 8) * (torch.arange(7) < lengths[:, None] - 2)[..., None]
    torch.testing.assert_close(states[:, 1:-1] * (weights != 0), expected * (weights != 0))
    for name, parameter in ours.named_parameters():
        way, cell = name.split(".")
        other = getattr(theirs, cell + ("_reverse" if way == "right_to_left" else ""))
        (found,) = torch.autograd.grad(
            (states[:, 1:-1] * weights).sum(), parameter, retain_graph=True
        )
        (wanted,) = torch.autograd.grad((expected * weights).sum(), other, retain_graph=True)
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
    # Elsewhere than on a CPU each direction is PyTorch's own.
    inputs = torch.randn(6, 2, 5)
    left, right = both_ways(ours.left_to_right, ours.right_to_left, inputs, inputs)
    torch.testing.assert_close(left, ours.left_to_right(inputs)[0])
    torch.testing.assert_close(right, ours.right_to_left(inputs)[0])


def test_the_two_directions_of_a_gru_have_half_of_its_states() -> None:
    for encoder in ("flan-rnn", "han-conv"):
        with pytest.raises(ValueError, match="expected an even number, got 7"):
            build(
                encoder=encoder, attention="dot", vocabulary=9, dimension=3, hidden_size=7, seed=0
            )


@pytest.mark.parametrize("encoder", ENCODERS)
def test_without_attention_a_text_is_what_its_encoder_ends_with(encoder: str) -> None:
    model = model_of("han", encoder, "none")
    for row, (tokens, sentences) in enumerate(zip(TOKENS, SENTENCES, strict=True)):
        read = [
            ends_of(encoder, states_of(model.words.encoder, model.embedding.weight[part]))
            for part in torch.from_numpy(tokens).split(sentences.tolist())
        ]
        context = ends_of(encoder, states_of(model.encoder, torch.stack(read)))
        expected = model.decoder.weight @ context + model.decoder.bias
        torch.testing.assert_close(model(inputs_of("han").batch()).logits[row], expected)


def ends_of(encoder: str, states: Tensor) -> Tensor:
    if encoder == "rnn":
        return torch.cat([states[-1, :3], states[0, 3:]])
    return states.amax(0) if encoder == "conv" else states.mean(0)


def test_imposed_attention_is_to_sentences() -> None:
    given = SENTENCES.with_values(np.array([0.5, 0.2, 0.3, 1, 1, 0.1, 0.1, 0.8], dtype=np.float64))
    model = model_of("han", "rnn", "imposed").float()
    found = predict(model, Inputs(TOKENS, imposed=given, sentences=SENTENCES))
    np.testing.assert_allclose(found.attention.values, given.values, rtol=1e-6)
    assert model.words.attention.hidden.weight.shape == (6, 6)


def test_a_corpus_without_sentences_is_refused_in_one_line() -> None:
    documents = Documents(
        np.arange(4), np.array(["train"] * 4), np.zeros(4, dtype=np.int64), TOKENS
    )
    with pytest.raises(UserError, match="hierarchical model needs the sentences") as caught:
        Inputs.of(documents, by_sentence=Model.parse("han-rnn-additive").kind.hierarchical)
    assert "\n" not in str(caught.value)
    assert Inputs.of(documents).items is TOKENS
