"""Batches keep every document, once, at its own length."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attnnn.models.batches import length_sorted_batches, noisy_length_batches
from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged

lengths_of_documents = st.lists(st.integers(1, 60), min_size=1, max_size=40)


def test_a_batch_by_hand() -> None:
    batch = Inputs(Ragged.from_lists([[7, 8, 9], [5]])).batch()
    assert batch.token_ids.tolist() == [[2, 7, 8, 9, 3], [2, 5, 3, 0, 0]]
    assert batch.lengths.tolist() == [5, 3]
    assert batch.real.int().tolist() == [[0, 1, 1, 1, 0], [0, 1, 0, 0, 0]]


@given(lengths_of_documents, st.integers(1, 9), st.integers(0, 5))
def test_noisy_batches_hold_every_document_once(lengths: list[int], size: int, seed: int) -> None:
    batches = noisy_length_batches(np.array(lengths) + 2, size, np.random.default_rng(seed))
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    assert sorted(len(batch) for batch in batches)[1:] == [size] * (len(batches) - 1)


def test_noise_stays_within_a_tenth_of_the_length() -> None:
    lengths = np.repeat([10, 20, 40], 50)
    for batch in noisy_length_batches(lengths, 50, np.random.default_rng(0)):
        assert len(set(lengths[batch])) == 1  # ±1, ±2 and ±4 never mix these


def test_order_of_batches_changes_from_epoch_to_epoch_and_repeats_with_the_seed() -> None:
    lengths = np.arange(3, 203)
    rng, again = np.random.default_rng(1), np.random.default_rng(1)
    first, second = (noisy_length_batches(lengths, 8, rng) for _ in range(2))
    repeated = noisy_length_batches(lengths, 8, again)
    assert [b.tolist() for b in first] == [b.tolist() for b in repeated]
    assert [b.tolist() for b in first] != [b.tolist() for b in second]


@given(lengths_of_documents, st.integers(3, 200))
def test_sorted_batches_hold_every_document_once_within_the_bound(
    lengths: list[int], bound: int
) -> None:
    documents = Ragged.from_lengths(np.zeros(sum(lengths)), lengths)
    batches = length_sorted_batches(documents, max_tokens=bound)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    for batch in batches:
        padded = len(batch) * (max(lengths[row] for row in batch) + 2)
        assert padded <= bound or len(batch) == 1
