"""The classifier against numbers from the papers, PyTorch's own packed LSTM, and hand-made formulas."""

import numpy as np
import pytest
import torch
from torch import nn

from attnnn.models.classifier import Classifier, build
from attnnn.models.encoders import ENCODERS, BiLSTM
from attnnn.models.inputs import Inputs
from attnnn.models.prediction import predict
from attnnn.study.model import ENCODERS as SIZES
from attnnn.tables.ragged import Ragged


def small(encoder: str = "bilstm", attention: str = "additive", seed: int = 0) -> Classifier:
    return build(
        encoder=encoder, attention=attention, vocabulary=30, dimension=5, hidden_size=4, seed=seed
    )


def some_documents(count: int = 9, seed: int = 3) -> Ragged:
    rng = np.random.default_rng(seed)
    return Ragged.from_lists([rng.integers(4, 30, size=n) for n in rng.integers(1, 12, size=count)])


@pytest.mark.parametrize(
    ("encoder", "expected"),
    [
        ("bilstm", {"encoder": 440_320, "attention": 33_024, "decoder": 257}),
        ("average", {"encoder": 38_528, "attention": 8_320, "decoder": 129}),
        ("cnn", {"encoder": 153_728, "attention": 8_320, "decoder": 129}),
    ],
)
def test_parameter_counts_are_those_of_the_papers(encoder: str, expected: dict[str, int]) -> None:
    model = Classifier(
        encoder=encoder, attention="additive", vocabulary=10, dimension=300, hidden_size=128
    )
    assert model.parameter_counts() == {"embedding": 3000, **expected}


@pytest.mark.parametrize("name", sorted(ENCODERS.keys() | SIZES.keys()))
def test_every_encoder_has_the_size_that_costs_are_reckoned_with(name: str) -> None:
    encoder, size = ENCODERS[name](6, 8), SIZES[name].size(6, 8)
    assert (encoder.width, encoder.scored) == (size.width, size.scored)
    assert sum(p.numel() for p in encoder.parameters()) == size.weights + size.biases


def test_bilstm_equals_pytorchs_packed_bidirectional_lstm() -> None:
    torch.manual_seed(1)
    ours, theirs = BiLSTM(5, 4), nn.LSTM(5, 4, batch_first=True, bidirectional=True)
    for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
        getattr(theirs, name).data.copy_(getattr(ours.left_to_right, name))
        getattr(theirs, f"{name}_reverse").data.copy_(getattr(ours.right_to_left, name))
    lengths = torch.tensor([7, 3, 5])
    embedded = torch.randn(3, 7, 5, requires_grad=True)
    packed = nn.utils.rnn.pack_padded_sequence(
        embedded, lengths, batch_first=True, enforce_sorted=False
    )
    expected, _ = nn.utils.rnn.pad_packed_sequence(theirs(packed)[0], batch_first=True)
    real = torch.arange(7) < lengths[:, None]
    states = ours(embedded, lengths)
    torch.testing.assert_close(states[real], expected[real])
    weights = torch.randn(3, 7, 8) * real[..., None]
    (gradient,) = torch.autograd.grad((states * weights).sum(), embedded)
    (wanted,) = torch.autograd.grad((expected * weights).sum(), embedded)
    torch.testing.assert_close(gradient, wanted)


def test_average_states_are_tanh_of_an_affine_map() -> None:
    model = small("average")
    batch = Inputs(Ragged.from_lists([[4, 9]])).batch()
    weight, bias = model.encoder.projection.weight, model.encoder.projection.bias
    expected = torch.tanh(model.embedding(batch.token_ids) @ weight.T + bias)
    torch.testing.assert_close(
        model.encoder(model.embedding(batch.token_ids), batch.lengths), expected
    )


def test_cnn_states_by_hand() -> None:
    model = small("cnn")
    batch = Inputs(Ragged.from_lists([[4, 9, 7, 5, 4, 8], [6]])).batch()
    embedded = model.embedding(batch.token_ids)
    embedded = embedded + 3 * (torch.arange(8) >= batch.lengths[:, None])[..., None]
    states = model.encoder(embedded, batch.lengths)
    for row, length in enumerate(batch.lengths.tolist()):
        for t in range(8):
            expected = []
            for convolve in model.encoder.convolutions:
                reach = convolve.kernel_size[0] // 2
                total = convolve.bias[0].item()
                for place in range(-reach, reach + 1):
                    # Start and end symbols are read, padding and what is outside are not.
                    if 0 <= t + place < length:
                        weight = convolve.weight[0, :, reach + place]
                        total += (weight @ embedded[row, t + place]).item()
                expected.append(max(total, 0) if 1 <= t < length - 1 else 0)
            assert states[row, t].tolist() == pytest.approx(expected, abs=1e-6)


def test_the_cnns_width_is_shared_by_its_four_kernels() -> None:
    with pytest.raises(ValueError, match="multiple of 4"):
        build(encoder="cnn", attention="dot", vocabulary=9, dimension=3, hidden_size=6, seed=0)


def test_dot_attention_by_hand() -> None:
    model = small(attention="dot")
    assert model.parameter_counts()["attention"] == model.encoder.width == 8
    batch = Inputs(Ragged.from_lists([[4, 9, 11]])).batch()
    states = model.encoder(model.embedding(batch.token_ids), batch.lengths)
    scores = [(states[0, t] @ model.attention.score.weight[0]).item() / 8**0.5 for t in (1, 2, 3)]
    expected = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(model(batch).attention[0, 1:4].detach(), expected, rtol=1e-5)


def test_without_attention_the_decoder_reads_what_the_encoder_ends_with() -> None:
    batch = Inputs(Ragged.from_lists([[4, 9, 11], [7]])).batch()
    for encoder in ("bilstm", "average", "cnn"):
        model = small(encoder, "none")
        states = model.encoder(model.embedding(batch.token_ids), batch.lengths)
        ends = []
        for row, length in enumerate(batch.lengths.tolist()):
            own = states[row, :length]
            ends.append(
                {
                    "bilstm": torch.cat([own[-1, :4], own[0, 4:]]) if encoder == "bilstm" else None,
                    "average": own.mean(0),
                    "cnn": own.amax(0),
                }[encoder]
            )
        output = model(batch)
        torch.testing.assert_close(output.logit, model.decoder(torch.stack(ends)).squeeze(-1))
        assert not output.attention.any()
        assert not output.contribution.any()
        assert model.parameter_counts()["attention"] == 0


def test_additive_attention_by_hand() -> None:
    model = small()
    batch = Inputs(Ragged.from_lists([[4, 9, 11], [7]])).batch()
    states = model.encoder(model.embedding(batch.token_ids), batch.lengths)
    hidden, score = model.attention.hidden, model.attention.score
    scores = [
        (score.weight[0] @ torch.tanh(hidden.weight @ states[0, t] + hidden.bias)).item()
        for t in (1, 2, 3)
    ]
    expected = np.exp(scores) / np.exp(scores).sum()
    output = model(batch)
    np.testing.assert_allclose(output.attention[0, 1:4].detach(), expected, rtol=1e-5)
    assert output.attention[0, 0] == 0 == output.attention[0, 4]
    assert output.attention[1].tolist() == [0, 1, 0, 0, 0]


def test_logit_is_the_decoder_applied_to_the_weighted_sum_of_states() -> None:
    model = small()
    batch = Inputs(some_documents()).batch()
    output = model(batch)
    states = model.encoder(model.embedding(batch.token_ids), batch.lengths)
    context = (output.attention[..., None] * states).sum(dim=1)
    torch.testing.assert_close(output.logit, model.decoder(context).squeeze(-1))


def test_uniform_attention_is_one_nth() -> None:
    documents = some_documents()
    attention = predict(small(attention="uniform"), Inputs(documents)).attention
    expected = np.concatenate([np.full(n, 1 / n) for n in documents.lengths])
    np.testing.assert_allclose(attention.values, expected, rtol=1e-6)


def test_imposed_attention_is_used_as_given_and_not_normalised() -> None:
    documents = Ragged.from_lists([[4, 5, 6], [7, 8]])
    imposed = Ragged.from_lists([[0.2, 0.0, 0.1], [0.5, 0.5]], dtype=np.float32)
    predictions = predict(small("average", "imposed"), Inputs(documents, imposed=imposed))
    np.testing.assert_allclose(predictions.attention.values, imposed.values, rtol=1e-6)


def test_imposed_attention_must_be_given() -> None:
    with pytest.raises(ValueError, match="imposed"):
        small("average", "imposed")(Inputs(some_documents()).batch())


def test_a_document_does_not_depend_on_its_batch() -> None:
    documents, model = some_documents(), small()
    together = predict(model, Inputs(documents))
    for index in range(len(documents)):
        alone = predict(model, Inputs(documents.take([index])))
        np.testing.assert_allclose(alone.logit[0], together.logit[index], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(alone.attention[0], together.attention[index], rtol=1e-5)
        np.testing.assert_allclose(
            alone.contribution[0], together.contribution[index], rtol=1e-4, atol=1e-6
        )


def test_same_seed_same_weights_whatever_was_drawn_before() -> None:
    first = small(seed=10)
    torch.rand(5)
    second, other = small(seed=10), small(seed=11)
    for name, tensor in first.state_dict().items():
        assert torch.equal(tensor, second.state_dict()[name])
    assert not torch.equal(first.decoder.weight, other.decoder.weight)


def test_padding_row_is_zero_and_given_vectors_are_copied() -> None:
    vectors = torch.arange(60.0).reshape(20, 3) + 1
    model = build(
        encoder="average", attention="uniform", vocabulary=20, dimension=3, hidden_size=2, seed=0,
        vectors=vectors,
    )  # fmt: skip
    assert torch.equal(model.embedding.weight[1:], vectors[1:])
    assert not model.embedding.weight[0].any()
