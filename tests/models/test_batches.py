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


def test_a_batch_of_sentences_by_hand() -> None:
    tokens = Ragged.from_lists([[7, 8, 9, 10], [5], [6, 11, 12]])
    sentences = Ragged.from_lists([[1, 3], [1], [1, 2]])
    batch = Inputs(tokens, sentences=sentences).batch()
    # The shorter ones first, in the order of their documents: 7, 5, 6; 11 12; 8 9 10.
    assert [part.token_ids[:, 1:-1].tolist() for part in batch.sentences] == [
        [[7], [5], [6]],
        [[11, 12]],
        [[8, 9, 10]],
    ]
    assert batch.token_ids.tolist() == [[0, 1, 5, 0], [0, 2, 0, 0], [0, 3, 4, 0]]
    assert batch.lengths.tolist() == [4, 3, 4]
    assert batch.real.int().tolist() == [[0, 1, 1, 0], [0, 1, 0, 0], [0, 1, 1, 0]]


@given(st.lists(st.integers(1, 90), min_size=1, max_size=40))
def test_sentences_are_padded_little(lengths: list[int]) -> None:
    tokens = Ragged.from_lengths(np.arange(sum(lengths)) + 4, [sum(lengths)])
    batch = Inputs(tokens, sentences=Ragged.from_lists([lengths])).batch()
    parts = batch.sentences
    assert sum(len(part.lengths) for part in parts) == len(lengths)
    for part in parts:
        assert (part.lengths - 2).max() <= 1.5 * (part.lengths - 2).min()
    read = {
        tuple(row[1 : length - 1].tolist())
        for part in parts
        for row, length in zip(part.token_ids, part.lengths, strict=True)
    }
    assert read == {tuple(part) for part in np.split(tokens[0], np.cumsum(lengths)[:-1])}


@given(lengths_of_documents, st.integers(1, 9), st.integers(1, 200), st.integers(0, 5))
def test_no_batch_is_larger_than_asked(lengths: list[int], size: int, most: int, seed: int) -> None:
    of_each = np.array(lengths)
    batches = noisy_length_batches(of_each, size, np.random.default_rng(seed), most=most)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) <= size
        assert len(batch) == 1 or len(batch) * of_each[batch].max() <= most


def test_batches_are_cut_only_where_they_must_be() -> None:
    lengths = np.array([10, 10, 10, 20, 20, 100])
    batches = noisy_length_batches(lengths, 6, np.random.default_rng(0), most=40)
    assert sorted(sorted(lengths[batch].tolist()) for batch in batches) == [
        [10, 10, 10],
        [20, 20],
        [100],
    ]


def test_several_lengths_sort_one_after_the_other() -> None:
    lengths = np.array([[1, 9, 1, 9, 1, 9], [30, 30, 5, 5, 100, 100]])
    rng = np.random.default_rng(0)
    batches = [noisy_length_batches(lengths * 100, 1, rng) for _ in range(5)]
    assert all(len(found) == 6 for found in batches)
    # Without noise to speak of, those of few sentences come first, by the longest sentence.
    halves = noisy_length_batches(lengths * 100, 3, np.random.default_rng(0))
    assert sorted(sorted(half.tolist()) for half in halves) == [[0, 2, 4], [1, 3, 5]]
