"""Substituted words: by hand, and against a loop over documents."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attnnn.counterfactual.substitution import substitute
from attnnn.tables.ragged import Ragged

STRONGEST = [np.array([90, 91, 92]), np.array([70, 71])]


def test_the_most_attended_tokens_become_the_strongest_words_of_the_other_class() -> None:
    tokens = Ragged.from_lists([[10, 11, 12, 13], [20, 21, 22, 23], [30]])
    attention = Ragged.from_lists([[0.1, 0.5, 0.15, 0.25], [0.2, 0.2, 0.4, 0.2], [1.0]])
    found, count = substitute(tokens, attention, np.array([0, 1, 0]), STRONGEST)
    # Predicted 0: words of class 1 on positions 1 and 3.
    assert found[0].tolist() == [10, 70, 12, 71]
    # Predicted 1: words of class 0 on position 2, and of three equal ones on the first two.
    assert found[1].tolist() == [91, 92, 90, 23]
    assert found[2].tolist() == [70]
    assert count.tolist() == [2, 3, 1]


def test_without_a_word_of_the_other_class_nothing_is_substituted() -> None:
    tokens = Ragged.from_lists([[10, 11]])
    none = np.empty(0, np.int64)
    found, count = substitute(
        tokens, tokens.with_values(np.array([0.5, 0.5])), np.array([1]), [none, np.array([70])]
    )
    assert found[0].tolist() == [10, 11]
    assert count.tolist() == [0]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 1)), max_size=6), st.integers(0, 2**31))
def test_against_a_loop_over_documents(documents: list[tuple[int, int]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    lengths = [length for length, _ in documents]
    predicted = np.array([class_ for _, class_ in documents], dtype=np.int64)
    tokens = Ragged.from_lengths(rng.integers(4, 60, sum(lengths)), lengths)
    attention = tokens.with_values(rng.integers(0, 4, sum(lengths)) / 4)
    found, count = substitute(tokens, attention, predicted, STRONGEST)
    for row, class_ in enumerate(predicted):
        expected = list(tokens[row])
        by_weight = sorted(range(len(expected)), key=lambda t: (-attention[row][t], t))
        for position, word in zip(by_weight, STRONGEST[1 - class_], strict=False):
            expected[position] = word
        assert found[row].tolist() == expected
        assert count[row] == min(len(expected), len(STRONGEST[1 - class_]))
