"""Importance for more than two classes and for pairs: naive deletion, finite differences, batches."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from attnnn.importance.gradient import gradient
from attnnn.importance.leave_one_out import by_deletion, leave_one_out
from attnnn.models.classifier import Classifier, build
from attnnn.models.documents import EncodedQuestions
from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged

MODELS = list(itertools.product(["bilstm", "average", "cnn"], ["additive", "dot", "uniform"]))
CLASSES = 4


@pytest.fixture
def questions(tokens: Ragged) -> EncodedQuestions:
    rng = np.random.default_rng(8)
    lengths = rng.integers(1, 5, len(tokens))
    questions = Ragged.from_lengths(rng.integers(4, 20, lengths.sum()), lengths)
    candidates = Ragged.from_lists(
        [np.sort(rng.choice(CLASSES, size=rng.integers(2, 5), replace=False)) for _ in lengths]
    )
    return EncodedQuestions(questions, candidates, CLASSES)


def model_of(encoder: str, attention: str, *, with_question: bool) -> Classifier:
    return build(
        encoder=encoder, attention=attention, vocabulary=20, dimension=6, hidden_size=4, seed=3,
        outputs=CLASSES, with_question=with_question,
    ).eval().double()  # fmt: skip


@torch.no_grad()
def probabilities(
    model: Classifier, document: np.ndarray, questions: EncodedQuestions | None
) -> np.ndarray:
    output = model(Inputs(Ragged.from_lists([document]), questions=questions).batch())
    return output.logits.softmax(-1)[0].numpy()


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("exact", [leave_one_out, by_deletion])
@pytest.mark.parametrize("model", MODELS)
def test_leave_one_out_equals_naive_deletion(tokens, questions, model, exact, pairs) -> None:
    classifier = model_of(*model, with_question=pairs)
    found = exact(classifier, Inputs(tokens, questions=questions if pairs else None))
    for row, document in enumerate(tokens):
        own = questions.take(np.array([row])) if pairs else None
        whole = probabilities(classifier, document, own)
        for i in range(len(document)):
            if len(document) == 1:
                assert np.isnan(found.signed[row][i])
                continue
            change = probabilities(classifier, np.delete(document, i), own) - whole
            assert found.magnitude[row][i] == pytest.approx(np.abs(change).sum(), abs=1e-12)
            assert found.signed[row][i] == pytest.approx(change[whole.argmax()], abs=1e-12)


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("model", MODELS)
def test_gradient_equals_finite_differences_of_the_predicted_class(
    tokens, questions, model, pairs
) -> None:
    classifier = model_of(*model, with_question=pairs)
    found = gradient(
        classifier, Inputs(tokens, questions=questions if pairs else None), through_attention=True
    )
    for row, document in enumerate(tokens):
        own = questions.take(np.array([row])) if pairs else None
        batch = Inputs(Ragged.from_lists([document]), questions=own).batch()
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
def test_batches_do_not_matter(tokens, questions, encoder) -> None:
    classifier = model_of(encoder, "additive", with_question=True)
    for method in (leave_one_out, gradient):
        whole, single = (
            method(classifier, Inputs(tokens, questions=questions), max_tokens=m).magnitude
            for m in (10_000, 1)
        )
        np.testing.assert_allclose(whole.values, single.values, rtol=1e-9, atol=1e-13)
