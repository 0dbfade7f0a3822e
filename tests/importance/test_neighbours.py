"""Leave-one-out of the CNN against naive deletion, on random models and documents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnnn.importance import neighbours
from attnnn.importance.leave_one_out import by_deletion, leave_one_out
from attnnn.models.classifier import build
from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged


@given(
    lengths=st.lists(st.integers(1, 24), min_size=1, max_size=6),
    attention=st.sampled_from(["additive", "dot", "uniform"]),
    seed=st.integers(0, 1000),
    sharpness=st.sampled_from([1.0, 20.0]),
)
@settings(max_examples=40, deadline=None)
def test_equals_naive_deletion_at_any_length(
    lengths: list[int], attention: str, seed: int, sharpness: float
) -> None:
    classifier = build(
        encoder="cnn", attention=attention, vocabulary=12, dimension=5, hidden_size=8, seed=seed
    ).double().eval()  # fmt: skip
    for parameter in classifier.attention.parameters():
        parameter.data *= sharpness
    rng = np.random.default_rng(seed)
    tokens = Ragged.from_lengths(rng.integers(1, 12, sum(lengths)), lengths)
    found, naive = (
        leave_one_out(classifier, Inputs(tokens)).signed,
        by_deletion(classifier, Inputs(tokens)).signed,
    )
    np.testing.assert_allclose(found.values, naive.values, rtol=0, atol=1e-12)
    assert (np.isnan(found.values) == (tokens.lengths[tokens.documents] == 1)).all()


def test_single_precision_at_the_papers_width() -> None:
    classifier = build(
        encoder="cnn", attention="additive", vocabulary=400, dimension=50, hidden_size=128, seed=2
    ).eval()
    rng = np.random.default_rng(5)
    lengths = [19, 180, 400]
    tokens = Ragged.from_lengths(rng.integers(4, 400, sum(lengths)), lengths)
    found, naive = (
        leave_one_out(classifier, Inputs(tokens)).signed,
        by_deletion(classifier, Inputs(tokens)).signed,
    )
    np.testing.assert_allclose(found.values, naive.values, rtol=0, atol=1e-6)
    assert np.abs(found.values).max() > 1e-4


@pytest.mark.parametrize("at_once", [1, 5, 1000])
def test_deletions_at_once_do_not_matter(
    monkeypatch: pytest.MonkeyPatch, make_classifier, tokens, at_once: int
) -> None:
    classifier = make_classifier("cnn", "dot")
    expected = leave_one_out(classifier, Inputs(tokens)).signed.values
    monkeypatch.setattr(neighbours, "_AT_ONCE", at_once)
    found = leave_one_out(classifier, Inputs(tokens)).signed.values
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)
