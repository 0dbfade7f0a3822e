"""Multiclass classifiers, and classifiers of texts with a question, against hand-made formulas."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from attnnn.models.classifier import Classifier, build
from attnnn.models.documents import EncodedQuestions
from attnnn.models.inputs import Inputs
from attnnn.models.objectives import Classes
from attnnn.models.prediction import predict
from attnnn.models.training import Recipe, optimizer_of
from attnnn.tables.ragged import Ragged

DOCUMENTS = Ragged.from_lists([[4, 9, 11, 5], [7], [8, 6, 6, 10, 12]])
QUESTIONS = EncodedQuestions(
    Ragged.from_lists([[5, 13], [9, 9, 4], [6]]), Ragged.from_lists([[0, 2], [1, 4], [2, 3, 4]]), 5
)


def pair_model(encoder: str, attention: str) -> Classifier:
    return build(
        encoder=encoder, attention=attention, vocabulary=20, dimension=6, hidden_size=4, seed=1,
        outputs=5, with_question=True,
    )  # fmt: skip


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def array(tensor: torch.Tensor) -> NDArray[np.float64]:
    return tensor.detach().double().numpy()


@pytest.mark.parametrize(
    ("encoder", "attention"),
    list(itertools.product(["bilstm", "average", "cnn"], ["additive", "dot"])),
)
def test_a_pair_by_hand(encoder: str, attention: str) -> None:
    model = pair_model(encoder, attention)
    output = model(Inputs(DOCUMENTS, questions=QUESTIONS).batch())
    for row in range(3):
        # Each document and question by itself, so that nothing can depend on the batch.
        alone = Inputs(DOCUMENTS.take([row])).batch()
        states = array(model.encoder(model.embedding(alone.token_ids), alone.lengths))[0, 1:-1]
        question = Inputs(QUESTIONS.tokens.take([row])).batch()
        read = model.question_encoder(
            model.question_embedding(question.token_ids), question.lengths
        )
        query = array(model.question_encoder.last(read, question.lengths))[0]
        if attention == "dot":
            scores = states @ query / np.sqrt(len(query))
        else:
            part = model.attention
            inner = states @ array(part.hidden.weight).T + array(part.hidden.bias)
            inner += array(part.query.weight) @ query + array(part.query.bias)
            scores = np.tanh(inner) @ array(part.score.weight)[0]
        weights = softmax(scores)
        np.testing.assert_allclose(
            array(output.attention)[row, 1 : len(scores) + 1], weights, rtol=1e-4
        )
        decoder = model.decoder
        inner = array(decoder.document.weight) @ (weights @ states) + array(decoder.document.bias)
        inner += array(decoder.question.weight) @ query + array(decoder.question.bias)
        logits = array(decoder.output.weight) @ np.tanh(inner) + array(decoder.output.bias)
        candidates = QUESTIONS.candidates[row]
        expected = np.zeros(5)
        expected[candidates] = softmax(logits[candidates])
        np.testing.assert_allclose(array(output.probabilities)[row], expected, atol=1e-6)


def test_document_and_question_share_no_parameter() -> None:
    model = pair_model("bilstm", "additive")
    counts = model.parameter_counts()
    assert counts["question_embedding"] == counts["embedding"] == 20 * 6
    assert counts["question_encoder"] == counts["encoder"]
    assert not torch.equal(model.embedding.weight, model.question_embedding.weight)
    # D = 8: W_p, b_p, W_q, b_q with inner width 4, v; the same and the output layer for five classes.
    assert counts["attention"] == 2 * (8 * 4 + 4) + 4
    assert counts["decoder"] == 2 * (8 * 4 + 4) + 4 * 5 + 5
    assert pair_model("bilstm", "dot").parameter_counts()["attention"] == 0


def test_both_tables_start_from_given_vectors() -> None:
    vectors = torch.arange(60.0).reshape(20, 3) + 1
    model = build(
        encoder="average", attention="dot", vocabulary=20, dimension=3, hidden_size=2, seed=0,
        outputs=3, with_question=True, vectors=vectors,
    )  # fmt: skip
    for table in (model.embedding, model.question_embedding):
        assert torch.equal(table.weight[1:], vectors[1:])
        assert not table.weight[0].any()


def test_pieces_and_offset_give_the_logits_without_the_encoder() -> None:
    model = pair_model("bilstm", "additive")
    found = predict(model, Inputs(DOCUMENTS, questions=QUESTIONS))
    assert found.projected is not None
    assert found.offset is not None
    last = model.decoder.output
    for row in range(3):
        inner = np.tanh(found.attention[row] @ found.projected[row] + found.offset[row])
        logits = array(last.weight) @ inner + array(last.bias)
        candidates = QUESTIONS.candidates[row]
        np.testing.assert_allclose(found.logits[row, candidates], logits[candidates], atol=1e-5)
        outside = np.setdiff1d(np.arange(5), candidates)
        assert not found.probabilities[row, outside].any()


def test_multiclass_logits_without_questions_are_linear_in_the_attention() -> None:
    model = build(
        encoder="cnn", attention="additive", vocabulary=20, dimension=6, hidden_size=8, seed=1, outputs=4
    )  # fmt: skip
    found = predict(model, Inputs(DOCUMENTS))
    assert found.offset is None
    for row in range(3):
        logits = found.attention[row] @ found.projected[row] + array(model.decoder.bias)
        np.testing.assert_allclose(found.logits[row], logits, atol=1e-5)
        np.testing.assert_allclose(found.probabilities[row], softmax(found.logits[row]), atol=1e-6)


def test_cross_entropy_by_hand() -> None:
    model = pair_model("average", "uniform")
    output = model(Inputs(DOCUMENTS, questions=QUESTIONS).batch())
    losses = Classes(np.array([9, 2, 4, 3])).losses(output, np.array([1, 2, 3]))
    expected = -np.log(
        [array(output.probabilities)[row, gold] for row, gold in enumerate([2, 4, 3])]
    )
    np.testing.assert_allclose(array(losses), expected, rtol=1e-5)


@pytest.mark.parametrize("decay_attention", [False, True])
def test_decay_reaches_the_attention_only_where_it_should(decay_attention: bool) -> None:
    model = pair_model("average", "additive")
    recipe = Recipe(
        epochs=1, batch_size=2, learning_rate=0.1, weight_decay=0.5, l2_mode="coupled",
        loss_reduction="mean", first_epoch_saveable=True, patience=None, seed=0,
        decay_attention=decay_attention,
    )  # fmt: skip
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer_of(model, recipe).step()
    moved = {name for name, p in model.named_parameters() if not torch.equal(p, before[name])}
    assert {"decoder.output.weight", "question_encoder.projection.weight"} <= moved
    assert ("attention.query.weight" in moved) is decay_attention
