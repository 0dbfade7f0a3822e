"""Gradient × input against captum and finite differences, in double precision."""

import numpy as np
import pytest
import torch
from captum.attr import InputXGradient

from attnnn.importance.gradient import gradient
from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged

MODELS = [
    ("bilstm", "additive"),
    ("bilstm", "dot"),
    ("bilstm", "uniform"),
    ("average", "additive"),
    ("cnn", "additive"),
    ("cnn", "dot"),
    ("flan-rnn", "additive"),
    ("flan-conv", "additive"),
    ("flan-none", "uniform"),
]


def probability(classifier, batch, embedded, attention=None):
    """p with given word vectors; with given attention, that one instead of the model's."""
    output = classifier(batch, embedded=embedded)
    weights = output.attention if attention is None else attention
    return torch.sigmoid((weights * output.contribution).sum(-1) + classifier.bias)


def by_finite_differences(classifier, document, *, hold_attention):
    """Slope of p as each word vector in turn is stretched: e·∂p/∂e."""
    batch = Inputs(Ragged.from_lists([document])).batch()
    with torch.no_grad():
        embedded = classifier.embedding(batch.token_ids)
        held = classifier(batch).attention if hold_attention else None
        slopes = []
        for position in range(1, len(document) + 1):
            values = []
            for stretch in (1 + 1e-5, 1 - 1e-5):
                changed = embedded.clone()
                changed[0, position] *= stretch
                values.append(probability(classifier, batch, changed, held).item())
            slopes.append((values[0] - values[1]) / 2e-5)
    return slopes


@pytest.mark.parametrize("through_attention", [False, True])
@pytest.mark.parametrize("model", MODELS)
def test_equals_finite_differences(make_classifier, tokens, model, through_attention):
    classifier = make_classifier(*model)
    found = gradient(classifier, Inputs(tokens), through_attention=through_attention).signed
    for document, row in zip(tokens, found, strict=True):
        expected = by_finite_differences(classifier, document, hold_attention=not through_attention)
        np.testing.assert_allclose(row, expected, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("encoder", ["han-rnn", "han-conv", "han-none"])
def test_a_hierarchical_models_slopes_are_in_its_sentence_vectors(make_classifier, tokens, encoder):
    classifier = make_classifier(encoder, "additive")
    sentences = Ragged.from_lists([[2, 1], [1], [3, 1, 3], [2], [1, 4, 2, 5], [5], [1, 6]])
    inputs = Inputs(tokens, sentences=sentences)
    found = gradient(classifier, inputs).signed
    batch = inputs.batch()
    with torch.no_grad():
        vectors = classifier.embed(batch)
        held = classifier(batch).attention
        for row, n in enumerate(sentences.lengths):
            for position in range(1, n + 1):
                values = []
                for stretch in (1 + 1e-5, 1 - 1e-5):
                    changed = vectors.clone()
                    changed[row, position] *= stretch
                    values.append(probability(classifier, batch, changed, held)[row].item())
                slope = (values[0] - values[1]) / 2e-5
                assert found[row][position - 1] == pytest.approx(slope, rel=1e-6, abs=1e-10)


@pytest.mark.parametrize("through_attention", [False, True])
def test_equals_captum(make_classifier, tokens, through_attention):
    classifier = make_classifier("bilstm", "additive")
    batch = Inputs(tokens).batch()
    embedded = classifier.embedding(batch.token_ids).detach().requires_grad_()
    held = None if through_attention else classifier(batch).attention.detach()
    explainer = InputXGradient(lambda vectors: probability(classifier, batch, vectors, held))
    expected = explainer.attribute(embedded).sum(-1).detach().numpy()
    found = gradient(classifier, Inputs(tokens), through_attention=through_attention).signed
    cells = (tokens.documents, tokens.positions + 1)
    np.testing.assert_allclose(found.values, expected[cells], rtol=1e-10, atol=1e-14)


def test_detaching_matters(make_classifier, tokens):
    classifier = make_classifier("bilstm", "additive")
    held, free = (
        gradient(classifier, Inputs(tokens), through_attention=t).signed for t in (False, True)
    )
    assert np.abs(held.values - free.values).max() > 1e-4


def test_of_a_linear_model_by_hand(make_classifier, tokens, imposed):
    # With a linear encoder, e_t·∂p/∂e_t = p(1 − p) α_t w·W e_t.
    classifier = make_classifier("average", "imposed")
    classifier.encoder = Linear(classifier.encoder.projection.weight)
    found = gradient(classifier, Inputs(tokens, imposed=imposed)).signed
    word = (classifier.embedding.weight @ classifier.encoder.weight.T) @ classifier.decoder.weight[
        0
    ]
    pieces = imposed.with_values(
        imposed.values.astype(np.float32) * word.detach().numpy()[tokens.values]
    )
    p = 1 / (1 + np.exp(-(pieces.sums() + classifier.bias)))
    expected = (p * (1 - p))[tokens.documents] * pieces.values
    np.testing.assert_allclose(found.values, expected, rtol=1e-5, atol=1e-7)


class Linear(torch.nn.Module):
    input_dropout = 0.0

    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def forward(self, embedded, lengths):
        return embedded @ self.weight.T


def test_batches_do_not_matter(make_classifier, tokens):
    classifier = make_classifier("bilstm", "additive")
    whole, single = (gradient(classifier, Inputs(tokens), max_tokens=m).signed for m in (10_000, 1))
    np.testing.assert_allclose(whole.values, single.values, rtol=1e-10, atol=1e-14)


def test_leaves_the_classifier_as_it_was(make_classifier, tokens):
    classifier = make_classifier("bilstm", "additive")
    gradient(classifier, Inputs(tokens))
    assert not classifier.training
    assert all(p.requires_grad and p.grad is None for p in classifier.parameters())


def test_precision_is_the_classifiers(make_classifier, tokens):
    classifier = make_classifier("average", "additive")
    assert gradient(classifier, Inputs(tokens)).signed.values.dtype == np.float64
    assert gradient(classifier.float(), Inputs(tokens)).signed.values.dtype == np.float32
