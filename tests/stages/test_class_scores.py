"""Scores about a class: by hand, against a loop, and which classes get rows."""

import numpy as np
import pytest

from attnnn.exhibits.correlations import CLASS_PAIRS
from attnnn.readout.predictions import Predictions
from attnnn.stages import correlate
from attnnn.stages.correlate import MOST_CLASSES, class_scores, kept_classes, predicted_scores
from attnnn.stages.measure import METHODS
from attnnn.study.runs import base_run
from attnnn.tables import analyses, schemas, store
from attnnn.tables.ragged import Ragged
from tests.erasure.naive import KINDS, documents
from tests.exhibits import synthetic
from tests.support import Layout, binary, do, multiclass

each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def predictions(attention, predicted):
    count = len(attention)
    return Predictions(
        document=np.arange(count),
        predicted=np.asarray(predicted),
        attention=attention,
        probability=np.ones(count, np.float32),
    )


def predicted_by(attention, readout):
    return predictions(attention, readout.predicted(readout.probabilities(attention)))


def whole(found, classes):
    """The parts put together, by name, and their rows."""
    parts = list(found)
    rows = np.concatenate([rows for rows, _ in parts])
    scores = {
        name: np.concatenate([part[name].values for _, part in parts]).reshape(-1, classes)
        for name in correlate.CLASS_SCORES
    }
    return rows.tolist(), scores


def test_three_tokens_of_two_classes_by_hand():
    """Logit .5·2 − .3·1 + .2·1 + .1 = 1, so p(1 − p) = .19661."""
    attention = Ragged.from_lists([[0.5, 0.3, 0.2]])
    readout = binary(attention.with_values(np.array([2.0, -1.0, 1.0])), 0.1)
    _, found = whole(class_scores(predictions(attention, [1]), readout), 2)
    of_one = np.array([1.0, -0.3, 0.2])
    expected = np.stack([-of_one, of_one], axis=1)
    np.testing.assert_allclose(found["contribution"], expected, rtol=1e-12)
    slope = 0.19661193324148185
    np.testing.assert_allclose(found["attention_gradient"], slope * expected, rtol=1e-12)
    of_predicted = predicted_scores(predictions(attention, [0]), readout)
    np.testing.assert_allclose(of_predicted["contribution"].values, -of_one, rtol=1e-12)


def test_three_tokens_of_three_classes_by_hand():
    """Even logits: p = 1/3 each, so the slope of p_c is (s_t^c − mean of all three) / 3."""
    attention = Ragged.from_lists([[0.5, 0.25, 0.25]])
    states = np.array([[3.0, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 0.0, 6.0]])
    readout = multiclass(attention.with_values(states), np.zeros(3))
    _, found = whole(class_scores(predictions(attention, [0]), readout), 3)
    # Against the mean of the two others; all three tokens add 1.5 to their class and so take .75.
    expected = 1.5 * np.eye(3) - 0.75 * (1 - np.eye(3))
    np.testing.assert_allclose(found["contribution"], expected, rtol=1e-12)
    np.testing.assert_allclose(found["attention_gradient"], (1.5 * np.eye(3) - 0.5) / 3, rtol=1e-12)


def decide(weights, readout, row):
    """Probabilities of every class of one document under any numbers in the place of its weights."""
    here = readout.take(np.array([row]))
    logits = weights @ np.asarray(here.projected[0], np.float64)
    if here.layer is not None:
        logits = here.layer.weight @ np.tanh(logits + here.layer.offset[0])
    logits = logits + here.bias
    logits = np.array([0.0, logits[0]]) if readout.outputs == 1 else logits
    powers = np.exp(logits) * (1 if here.allowed is None else here.allowed[0])
    return powers / powers.sum()


@each_kind
@pytest.mark.parametrize("held", [1, 40, 1 << 21])
def test_scores_are_those_of_a_loop_whatever_is_held_at_a_time(kind, held, monkeypatch):
    monkeypatch.setattr(correlate, "_HELD", held)
    attention, readout = documents(4, **kind)
    rows, found = whole(class_scores(predicted_by(attention, readout), readout), readout.classes)
    assert rows == list(range(len(attention)))
    place, step = 0, 1e-6
    for row in range(len(attention)):
        allowed = (
            np.ones(readout.classes, bool) if readout.allowed is None else readout.allowed[row]
        )
        for token, weight in enumerate(attention[row].astype(np.float64)):
            moved = np.zeros(len(attention[row]))
            moved[token] = step
            ends = [decide(attention[row] + sign * moved, readout, row) for sign in (1, -1)]
            slope = (ends[0] - ends[1]) / (2 * step)
            gradients = found["attention_gradient"][place]
            np.testing.assert_allclose(gradients, weight * slope, atol=1e-8)
            state = readout.projected[row][token].astype(np.float64)
            state = np.array([0.0, state[0]]) if readout.outputs == 1 else state
            for about in range(readout.classes):
                others = [c for c in range(readout.classes) if allowed[c] and c != about]
                known = readout.linear and allowed[about]
                expected = weight * (state[about] - state[others].mean()) if known else np.nan
                assert found["contribution"][place, about] == pytest.approx(expected, nan_ok=True)
            place += 1


@each_kind
def test_scores_of_the_predicted_class_are_its_column(kind):
    attention, readout = documents(5, **kind)
    made = predicted_by(attention, readout)
    _, every = whole(class_scores(made, readout), readout.classes)
    found = predicted_scores(made, readout)
    assert (found["contribution"] is None) == (not readout.linear)
    columns = made.predicted[attention.documents]
    for name, score in found.items():
        if score is not None:
            expected = every[name][np.arange(len(columns)), columns]
            np.testing.assert_array_equal(score.values, expected)


def test_two_classes_rank_alike_by_both_scores():
    attention, readout = documents(6, lengths=[30] * 20)
    found = predicted_scores(predicted_by(attention, readout), readout)
    for gradient, contribution in zip(*found.values(), strict=True):
        assert (np.argsort(gradient) == np.argsort(contribution)).all()


def test_without_a_readout_nothing_is_known():
    attention = Ragged.from_lists([[0.5, 0.5], [1.0]])
    alone = predictions(attention, [2, 0])
    rows, found = whole(class_scores(alone, None), 3)
    assert rows == [0, 1]
    assert all(np.isnan(values).all() for values in found.values())
    assert predicted_scores(alone, None) == dict.fromkeys(correlate.CLASS_SCORES)
    assert kept_classes(alone, None).tolist() == [[False, False, True], [True, False, False]]


def many(classes, allowed=None):
    attention = Ragged.from_lists([[0.5, 0.5], [1.0]])
    return predictions(attention, [1, 0]), multiclass(
        attention.with_values(np.zeros((3, classes))), np.zeros(classes), allowed=allowed
    )


def test_every_class_is_kept_where_these_are_few():
    assert kept_classes(*many(MOST_CLASSES)).all()
    assert kept_classes(*many(MOST_CLASSES)).shape == (2, MOST_CLASSES)


def test_of_many_classes_the_predicted_one_is_kept():
    kept = kept_classes(*many(MOST_CLASSES + 1))
    assert [np.flatnonzero(row).tolist() for row in kept] == [[1], [0]]


def test_of_many_classes_those_that_may_be_the_answer_are_kept_where_these_are_few():
    allowed = np.zeros((2, 300), bool)
    allowed[0, [1, 5]] = allowed[1, :MOST_CLASSES] = True
    np.testing.assert_array_equal(kept_classes(*many(300, allowed)), allowed)
    allowed[1, :200] = True
    assert kept_classes(*many(300, allowed)).sum() == 2


@pytest.mark.parametrize("known", [True, False])
def test_the_stage_on_pairs_of_many_answers(tmp_path, known):
    """Of 300 answers three may be the answer of each question, or nothing is known of which may."""
    study = synthetic.study(tmp_path / "results", ["babi"], papers=["jain-wallace"])
    run, rng = base_run(study, "babi"), np.random.default_rng(8)
    lengths, document = np.array([5, 1, 8]), np.array([4, 7, 9])
    attention = Ragged.from_lists([rng.dirichlet(np.ones(n)) for n in lengths], np.float32)
    columns = {
        "document": document,
        "split": ["test"] * 3,
        "label": [0] * 3,
        "predicted": [2, 5, 9],
        "probabilities": [[1 / 300] * 300] * 3,
        "attention": attention,
        "projected": Ragged.from_lengths(rng.normal(size=4 * 14).astype(np.float32), 4 * lengths),
        "candidates": [[1, 2, 3], [5, 7, 8], [0, 9, 299]] if known else [None] * 3,
        "offset": list(rng.normal(size=(3, 4)).astype(np.float32)),
    }
    arrays = {"weight": rng.normal(size=(300, 4)), "bias": np.zeros(300)}
    paths = Layout(study.results_dir)
    path, schema = paths.predictions_of(run), schemas.MULTICLASS_PREDICTIONS
    store.write_blocks(path, schema, [columns], made_by={}, arrays=arrays)
    scores = {"document": document, "importance": attention, "signed": attention}
    for method in METHODS:
        store.write_table(paths.importance_of(run, method), analyses.IMPORTANCE, scores, made_by={})
    do(study, "correlate", run)
    found = store.read_table(
        paths.analysis_of("correlation", run), analyses.CORRELATION
    ).to_pylist()
    for pair in CLASS_PAIRS:
        rows = [row for row in found if row["pair"] == pair]
        classes = [(row["document"], row["class"]) for row in rows]
        expected = columns["candidates"] if known else [[2], [5], [9]]
        assert classes == [(d, c) for d, some in zip(document, expected, strict=True) for c in some]
        reasons = {row["excluded"] for row in rows if row["tokens"] > 1}
        assert reasons == {"undefined contribution" if "contribution" in pair else None}
        assert {row["excluded"] for row in rows if row["tokens"] == 1} == {"one token"}
