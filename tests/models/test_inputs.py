"""Inputs: what belongs to a document stays with it, in batches and back."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged


def numbered(lengths: list[int]) -> Inputs:
    """Documents whose tokens, weights, questions and candidates tell which document they are of."""
    documents = Ragged.from_lengths(np.zeros(sum(lengths)), lengths).documents
    tokens = Ragged.from_lengths(documents + 4, lengths)
    one_each = Ragged.from_lists([np.array([row]) for row in range(len(lengths))])
    return Inputs(
        tokens=tokens,
        imposed=tokens.with_values(documents / 2),
        question=one_each.with_values(one_each.values + 4),
        candidates=one_each,
        classes=len(lengths),
    )


@given(st.lists(st.integers(1, 9), min_size=1, max_size=30), st.integers(0, 9))
def test_batches_keep_together_what_belongs_together(lengths: list[int], seed: int) -> None:
    inputs = numbered(lengths)
    rng = np.random.default_rng(seed)
    for batches in (
        inputs.batches(max_tokens=40),
        inputs.training_batches(batch_size=4, rng=rng),
    ):
        seen = []
        for rows, batch in batches:
            seen += rows.tolist()
            assert batch.question is not None
            assert batch.imposed is not None
            assert batch.candidates is not None
            for place, row in enumerate(rows):
                real = batch.real[place]
                assert real.sum() == lengths[row]
                assert set(batch.token_ids[place, real].tolist()) == {row + 4}
                assert set(batch.imposed[place, real].tolist()) == {row / 2}
                assert batch.question.token_ids[place, 1] == row + 4
                assert batch.candidates[place].nonzero().flatten().tolist() == [row]
        assert sorted(seen) == list(range(len(lengths)))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=30), st.integers(13, 60))
def test_scattered_results_are_in_the_order_of_the_documents(
    lengths: list[int], max_tokens: int
) -> None:
    inputs = Inputs(Ragged.from_lengths(np.arange(sum(lengths)), lengths))
    parts = (
        (rows, {"ids": batch.token_ids[batch.real].numpy(), "n": batch.lengths.numpy()[:, None]})
        for rows, batch in inputs.batches(max_tokens=max_tokens)
    )
    whole = inputs.scatter(parts, per_token=("ids",))
    np.testing.assert_array_equal(whole["ids"], inputs.tokens.values)
    np.testing.assert_array_equal(whole["n"][:, 0] - 2, lengths)


def test_what_no_batch_has_is_zero_and_types_are_kept() -> None:
    inputs = Inputs(Ragged.from_lists([[4, 5], [6], [7]]))
    half = {"x": np.array([9, 8, 7], dtype=np.float16)}
    whole = inputs.scatter([(np.array([2, 0]), half)], per_token=("x",))
    assert whole["x"].tolist() == [8, 7, 0, 9]
    assert whole["x"].dtype == np.float16
    assert inputs.scatter([], per_token=()) == {}


@pytest.mark.parametrize(
    ("classes", "question", "outputs"), [(2, False, 1), (3, False, 3), (2, True, 2)]
)
def test_two_classes_of_single_texts_need_one_logit(
    classes: int, question: bool, outputs: int
) -> None:
    tokens = Ragged.from_lists([[4]])
    assert Inputs(tokens, question=tokens if question else None, classes=classes).outputs == outputs


def test_importing_them_loads_no_torch() -> None:
    code = "import sys, attnnn.models.documents, attnnn.models.inputs, attnnn.models.material"
    subprocess.run([sys.executable, "-c", f"{code}; assert 'torch' not in sys.modules"], check=True)
