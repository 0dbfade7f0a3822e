"""Importance for more than two classes and for pairs: naive deletion, finite differences, batches."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from attnnn.importance.gradient import gradient
from attnnn.importance.leave_one_out import by_deletion, leave_one_out
from attnnn.models.batches import make_batch
from attnnn.models.classifier import Classifier, build
from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged

MODELS = list(itertools.product(["bilstm", "average", "cnn"], ["additive", "dot", "uniform"]))
CLASSES = 4


@pytest.fixture
def pairs(tokens: Ragged) -> Inputs:
    rng = np.random.default_rng(8)
    lengths = rng.integers(1, 5, len(tokens))
    question = Ragged.from_lengths(rng.integers(4, 20, lengths.sum()), lengths)
    candidates = Ragged.from_lists(
        [np.sort(rng.choice(CLASSES, size=rng.integers(2, 5), replace=False)) for _ in lengths]
    )
    return Inputs(tokens, question=question, candidates=candidates, classes=CLASSES)


@pytest.fixture(params=["texts", "pairs"])
def inputs(request: pytest.FixtureRequest, tokens: Ragged, pairs: Inputs) -> Inputs:
    return pairs if request.param == "pairs" else Inputs(tokens, classes=CLASSES)


def model_of(encoder: str, attention: str, inputs: Inputs) -> Classifier:
    return build(
        encoder=encoder, attention=attention, vocabulary=20, dimension=6, hidden_size=4, seed=3,
        outputs=CLASSES, question=inputs.question is not None,
    ).eval().double()  # fmt: skip


@torch.no_grad()
def probabilities(model: Classifier, inputs: Inputs) -> np.ndarray:
    return model(make_batch(inputs)).logits.softmax(-1)[0].numpy()


def document_of(inputs: Inputs, row: int, tokens: np.ndarray) -> Inputs:
    """One document with other tokens."""
    return replace(inputs.take(np.array([row])), tokens=Ragged.from_lists([tokens]))


@pytest.mark.parametrize("exact", [leave_one_out, by_deletion])
@pytest.mark.parametrize("model", MODELS)
def test_leave_one_out_equals_naive_deletion(inputs, model, exact) -> None:
    classifier = model_of(*model, inputs)
    found = exact(classifier, inputs)
    for row, document in enumerate(inputs.tokens):
        whole = probabilities(classifier, document_of(inputs, row, document))
        for i in range(len(document)):
            if len(document) == 1:
                assert np.isnan(found.signed[row][i])
                continue
            rest = document_of(inputs, row, np.delete(document, i))
            change = probabilities(classifier, rest) - whole
            assert found.magnitude[row][i] == pytest.approx(np.abs(change).sum(), abs=1e-12)
            assert found.signed[row][i] == pytest.approx(change[whole.argmax()], abs=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_gradient_equals_finite_differences_of_the_predicted_class(inputs, model) -> None:
    classifier = model_of(*model, inputs)
    found = gradient(classifier, inputs, through_attention=True)
    for row, document in enumerate(inputs.tokens):
        batch = make_batch(document_of(inputs, row, document))
        with torch.no_grad():
            embedded = classifier.embedding(batch.token_ids)
            predicted = classifier(batch).logits[0].argmax()
            for i in range(len(document)):
                values = []
                for stretch in (1 + 1e-5, 1 - 1e-5):
                    changed = embedded.clone()
                    changed[0, i + 1] *= stretch
                    logits = classifier(batch, embedded=changed).logits
                    values.append(logits.softmax(-1)[0, predicted].item())
                expected = (values[0] - values[1]) / 2e-5
                assert found.signed[row][i] == pytest.approx(expected, rel=1e-5, abs=1e-9)
    np.testing.assert_array_equal(found.magnitude.values, np.abs(found.signed.values))


@pytest.mark.parametrize("encoder", ["bilstm", "average", "cnn"])
def test_batches_do_not_matter(pairs, encoder) -> None:
    classifier = model_of(encoder, "additive", pairs)
    for method in (leave_one_out, gradient):
        whole, single = (method(classifier, pairs, max_tokens=m).magnitude for m in (10_000, 1))
        np.testing.assert_allclose(whole.values, single.values, rtol=1e-9, atol=1e-13)
