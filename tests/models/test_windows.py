"""Windows of an epoch: how it is cut, and that training in windows is training, to the bit."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from attnnn.models import windows as module
from attnnn.models.batches import make_batch
from attnnn.models.classifier import Classifier, build
from attnnn.models.documents import Questions
from attnnn.models.objectives import Classes, Labels, Objective, class_weights
from attnnn.models.training import Recipe, Training
from attnnn.models.windows import Numbered, held_with, windows
from attnnn.tables.ragged import Ragged

RECIPE = Recipe(
    epochs=3, batch_size=4, learning_rate=1e-2, weight_decay=1e-3, l2_mode="coupled",
    loss_reduction="sum", first_epoch_saveable=True, patience=None, seed=5,
)  # fmt: skip
VOCABULARY = 203  # times 5 numbers: not a multiple of what the kernel takes at once


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows in small tables too, and of two batches."""
    monkeypatch.setattr(module, "LEAST_NUMBERS", 0)
    monkeypatch.setattr(module, "LEAST_BATCHES", 2)
    monkeypatch.setattr(module, "SHARE", 0.3)


def model(vocabulary: int = VOCABULARY, **changes: Any) -> Classifier:
    parts = {"encoder": "bilstm", "attention": "additive", "dimension": 5, "hidden_size": 4}
    return build(**(parts | changes), vocabulary=vocabulary, seed=5)


def documents(count: int = 40, seed: int = 0) -> Ragged:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(2, 6, size=count)
    return Ragged.from_lists([rng.integers(4, VOCABULARY - 1, size=n) for n in lengths])


def of_words(*batches: list[int]) -> list[Numbered]:
    """A batch of one document for each list of words."""
    rows = np.zeros(1, dtype=np.int64)
    return [(rows, make_batch(Ragged.from_lists([np.array(words)]))) for words in batches]


def cut(classifier: Classifier, batches: list[Numbered]) -> list[int]:
    """Batches of each window."""
    return [len(window.batches) for window in windows(classifier, batches)]


@pytest.mark.usefixtures("always")
def test_a_window_ends_before_the_batch_that_would_touch_too_many_words() -> None:
    # 0.3 of 20 words is 6; start and end symbols are touched by each batch.
    batches = of_words([5, 6], [6, 7], [5, 8], [9, 5], [9], [4, 10, 11, 12, 13], [9, 4])
    assert cut(model(20), batches) == [3, 2, 1, 1]


@pytest.mark.usefixtures("always")
def test_windows_hold_every_batch_once_in_order() -> None:
    batches = of_words(*([number % 40 + 4] for number in range(150)))
    found = [batch for window in windows(model(), batches) for batch in window.batches]
    assert all(one is other for one, other in zip(found, batches, strict=True))
    assert list(windows(model(), [])) == []


def test_small_tables_stay_whole() -> None:
    assert cut(model(), of_words([5], [5], [5])) == [1, 1, 1]


@pytest.mark.usefixtures("always")
def test_questions_count_too() -> None:
    asked = model(20, asked=True, outputs=2)
    batches = [
        (rows, replace(batch, question=question))
        for (rows, batch), (_, question) in zip(
            of_words([5], [5], [5], [5]), of_words([6, 7], [8, 9], [10, 11], [12, 13]), strict=True
        )
    ]
    # 0.3 of 40 words is 12: 3 of the documents, and 2 symbols with 2 words a batch of the questions.
    assert cut(asked, batches) == [3, 1]


@given(touched=st.lists(st.booleans(), min_size=1, max_size=120))
def test_held_rows_are_those_touched_and_what_the_optimiser_asks_for(touched: list[bool]) -> None:
    held = held_with(np.array(touched))
    assert held.tolist() == sorted(set(held.tolist()))
    last = range(max(0, len(touched) - 16), len(touched))
    assert {0, *last, *np.flatnonzero(touched)} <= set(held.tolist())
    assert (len(touched) - len(held)) % 16 == 0
    assert len(held) < sum(touched) + 1 + 16 + 16


def epochs(training: Training) -> list[dict[str, Any]]:
    """A training's states after each epoch."""
    states: list[dict[str, Any]] = []
    training.run(after_epoch=lambda now: states.append(copied(now.state())), title="")
    return states


def copied(state: dict[str, Any]) -> dict[str, Any]:
    buffer = io.BytesIO()
    torch.save(state, buffer)
    buffer.seek(0)
    copy: dict[str, Any] = torch.load(buffer, weights_only=True)
    return copy


def assert_same(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> None:
    for one, other in zip(ours, theirs, strict=True):
        assert one["progress"] == other["progress"]  # losses, to the last digit
        for part in ("parameters", "best"):
            for name, tensor in one[part].items():
                assert torch.equal(tensor, other[part][name]), name
        for mine, plain in zip(one["optimizer"], other["optimizer"], strict=True):
            for name, tensors in mine.items():
                assert all(map(torch.equal, tensors, plain[name])), name


def new_training(classifier: Classifier, recipe: Recipe, tokens: Ragged, **more: Any) -> Training:
    label = np.random.default_rng(1).integers(0, 2, size=len(tokens))
    objective: Objective = Labels(label, class_weights(label, 0.7))
    if classifier.question_embedding is not None:
        objective = Classes(label)
    return Training(classifier, tokens, objective, recipe, lambda classifier, loss: -loss, **more)


CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "coupled": ({}, {}),
    "decoupled": ({"l2_mode": "decoupled"}, {}),
    "none": ({"l2_mode": "none"}, {}),
    "mean": ({"loss_reduction": "mean"}, {}),
    "average": ({}, {"encoder": "average", "dimension": 3}),
    "imposed": ({}, {"encoder": "average", "attention": "imposed"}),
    "pairs": ({"decay_attention": True}, {"asked": True, "outputs": 2}),
}


@pytest.mark.parametrize("case", CASES)
def test_training_in_windows_is_training_with_whole_tables(
    case: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    recipe, parts = CASES[case]
    tokens, more = documents(), {}
    if case == "imposed":
        more["imposed"] = tokens.with_values(np.repeat(1 / tokens.lengths, tokens.lengths))
    if case == "pairs":
        more["asked"] = Questions(documents(seed=2), None, 2)
    whole = new_training(model(**parts), replace(RECIPE, **recipe), tokens, **more)
    expected = epochs(whole)
    request.getfixturevalue("always")
    apart = new_training(model(**parts), replace(RECIPE, **recipe), tokens, **more)
    sizes = [len(window.batches) for window in windows(apart.classifier, apart._batches())]
    assert max(sizes) > 1
    apart.rng = np.random.default_rng(RECIPE.seed)
    assert_same(epochs(apart), expected)


@settings(
    deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_losses_do_not_depend_on_the_windows(data: st.DataObject) -> None:
    vocabulary = data.draw(st.integers(6, 150), label="vocabulary")
    word = st.integers(4, vocabulary - 1)
    rows = data.draw(
        st.lists(st.lists(word, min_size=1, max_size=4), min_size=2, max_size=12), label="documents"
    )
    share = data.draw(st.floats(0.05, 1.0), label="share")
    recipe = replace(RECIPE, epochs=2, batch_size=data.draw(st.integers(1, 3), label="batch size"))
    tokens = Ragged.from_lists([np.array(row) for row in rows])
    expected = epochs(new_training(model(vocabulary), recipe, tokens))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LEAST_NUMBERS", 0)
        patch.setattr(module, "LEAST_BATCHES", 1)
        patch.setattr(module, "SHARE", share)
        found = epochs(new_training(model(vocabulary), recipe, tokens))
    assert_same(found, expected)


@pytest.mark.usefixtures("always")
def test_a_training_in_windows_goes_on_from_any_epoch() -> None:
    tokens = documents()
    whole = epochs(new_training(model(), RECIPE, tokens))
    for done, state in enumerate(whole[:-1], start=1):
        resumed = new_training(model(), RECIPE, tokens)
        resumed.restore(copied(state))
        assert_same(epochs(resumed), whole[done:])


class Failing:
    """An objective that fails at the given batch."""

    def __init__(self, objective: Labels, batch: int) -> None:
        self.objective, self.left = objective, batch

    def losses(self, output: Any, rows: NDArray[np.int64]) -> torch.Tensor:
        if self.left == 0:
            raise InterruptedError
        self.left -= 1
        return self.objective.losses(output, rows)

    def batch_weight(self, rows: NDArray[np.int64]) -> float:
        return 1.0


def test_an_epoch_that_fails_leaves_the_table_of_the_steps_that_were_made(
    request: pytest.FixtureRequest,
) -> None:
    states = []
    for fixture in (None, "always"):
        if fixture:
            request.getfixturevalue(fixture)
        training = new_training(model(), RECIPE, documents())
        assert isinstance(training.objective, Labels)
        training.objective = Failing(training.objective, 6)  # type: ignore[assignment]
        with pytest.raises(InterruptedError):
            training.run(after_epoch=lambda _: None, title="")
        states.append([copied(training.state())])
    assert_same(*states)
