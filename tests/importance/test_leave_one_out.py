"""Leave-one-out against one run of the model for every shortened document."""

import numpy as np
import pytest
import torch

from attnnn.importance.leave_one_out import by_deletion, leave_one_out
from attnnn.models.batches import make_batch
from attnnn.models.decoders import LinearDecoder
from attnnn.models.encoders import Encoder
from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged

MODELS = [
    (encoder, attention)
    for encoder in ("bilstm", "average", "cnn", "flan-rnn", "flan-conv", "flan-none")
    for attention in ("additive", "dot", "uniform", "imposed", "none")
]


@torch.no_grad()
def probability(classifier, document, weights):
    imposed = None if weights is None else Ragged.from_lists([weights])
    return (
        classifier(Inputs(Ragged.from_lists([document]), imposed=imposed).batch())
        .logit.sigmoid()
        .item()
    )


def naive(classifier, tokens, imposed):
    """Every document without every token, by itself; NaN where nothing is left."""
    changes = []
    for row, document in enumerate(tokens):
        weights = None if imposed is None else imposed[row]
        whole = probability(classifier, document, weights)
        for i in range(len(document)):
            rest = None if weights is None else np.delete(weights, i)
            if len(document) == 1 or (rest is not None and rest.sum() == 0):
                changes.append(np.nan)
                continue
            rest = None if rest is None else rest / rest.sum()
            changes.append(probability(classifier, np.delete(document, i), rest) - whole)
    return np.array(changes)


@pytest.mark.parametrize("exact", [leave_one_out, by_deletion])
@pytest.mark.parametrize("model", MODELS)
def test_equals_naive_deletion(make_classifier, tokens, imposed, model, exact):
    classifier = make_classifier(*model)
    given = imposed if model[1] == "imposed" else None
    found = exact(classifier, Inputs(tokens, imposed=given)).signed
    expected = naive(classifier, tokens, given)
    tolerance = 1e-6 if given is not None else 1e-12
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=tolerance)
    assert np.isnan(found[1]).all()


def naive_of_sentences(classifier, tokens, sentences, imposed):
    """Every document without every sentence, by itself."""

    @torch.no_grad()
    def probability_of(parts, weights):
        inputs = Inputs(
            Ragged.from_lists([np.concatenate(parts)]),
            sentences=Ragged.from_lists([[len(part) for part in parts]]),
            imposed=None if weights is None else Ragged.from_lists([weights / weights.sum()]),
        )
        return classifier(inputs.batch()).logit.sigmoid().item()

    changes = []
    for row, document in enumerate(tokens):
        parts = np.split(document, np.cumsum(sentences[row])[:-1])
        weights = None if imposed is None else imposed[row]
        whole = probability_of(parts, weights)
        for i in range(len(parts)):
            rest = None if weights is None else np.delete(weights, i)
            left = [*parts[:i], *parts[i + 1 :]]
            changes.append(probability_of(left, rest) - whole if left else np.nan)
    return np.array(changes)


@pytest.mark.parametrize("exact", [leave_one_out, by_deletion])
@pytest.mark.parametrize("encoder", ["han-rnn", "han-conv", "han-none"])
@pytest.mark.parametrize("attention", ["additive", "uniform", "imposed", "none"])
def test_a_hierarchical_model_does_without_sentences(
    make_classifier, tokens, encoder, attention, exact
):
    classifier = make_classifier(encoder, attention)
    sentences = Ragged.from_lists([[2, 1], [1], [3, 1, 3], [2], [1, 4, 2, 5], [5], [1, 6]])
    given = None
    if attention == "imposed":
        weights = np.random.default_rng(1).random(len(sentences.values))
        given = sentences.with_values(
            weights / sentences.with_values(weights).sums()[sentences.documents]
        )
    found = exact(classifier, Inputs(tokens, imposed=given, sentences=sentences)).signed
    expected = naive_of_sentences(classifier, tokens, sentences, given)
    np.testing.assert_allclose(
        found.values, expected, rtol=0, atol=1e-12 if given is None else 1e-6
    )
    assert np.isnan(found.values).sum() == 3
    assert found.lengths.tolist() == sentences.lengths.tolist()


@pytest.mark.parametrize("max_tokens", [1, 7, 40])
@pytest.mark.parametrize("encoder", ["bilstm", "average", "cnn"])
def test_batches_do_not_matter(make_classifier, tokens, encoder, max_tokens):
    classifier = make_classifier(encoder, "additive")
    found = leave_one_out(classifier, Inputs(tokens), max_tokens=max_tokens).signed
    expected = leave_one_out(classifier, Inputs(tokens), max_tokens=100_000).signed
    np.testing.assert_allclose(found.values, expected.values, rtol=0, atol=1e-12)


def test_batches_are_bounded_even_when_one_document_is_long(make_classifier, monkeypatch):
    classifier = make_classifier("bilstm", "uniform")
    lengths = [2] * 30 + [60]
    tokens = Ragged.from_lengths(np.full(sum(lengths), 5), lengths)
    seen = []

    def record(inputs, device):
        batch = make_batch(inputs.tokens, device=device)
        seen.append(batch.token_ids.numel())
        return batch

    monkeypatch.setattr(Inputs, "batch", record)
    by_deletion(classifier, Inputs(tokens), max_tokens=200)
    assert max(seen) <= 200


@pytest.mark.parametrize("encoder", ["average", "cnn"])
def test_almost_all_attention_on_the_deleted_token(make_classifier, encoder):
    # Without it, what is left is weighed by the ratio of tiny weights, not by rounding errors.
    classifier = make_classifier(encoder, "additive")
    with torch.no_grad():
        classifier.attention.score.weight.mul_(60)
    tokens = Ragged.from_lists([np.arange(4, 16), np.arange(8, 20)])
    found = leave_one_out(classifier, Inputs(tokens)).signed
    np.testing.assert_allclose(found.values, naive(classifier, tokens, None), rtol=0, atol=1e-12)


class Sum(Encoder):
    """An encoder of somebody else's: every state is the sum of all word vectors up to its token."""

    def __init__(self, dimension, hidden_size):
        super().__init__()
        self.width = dimension

    def forward(self, embedded, lengths):
        return embedded.cumsum(dim=1)

    def last(self, states, lengths):
        return states[:, -1]


def test_a_new_encoder_takes_the_plain_way(make_classifier, tokens):
    classifier = make_classifier("average", "uniform")
    classifier.encoder = Sum(6, 6)
    classifier.decoder = LinearDecoder(6, 1).double()
    found = leave_one_out(classifier, Inputs(tokens)).signed
    np.testing.assert_allclose(found.values, naive(classifier, tokens, None), rtol=0, atol=1e-12)
    assert np.nanmax(np.abs(found.values)) > 1e-3
