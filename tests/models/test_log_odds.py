"""Attention by the log-odds of words, by hand."""

import numpy as np
import pytest

from attnnn.models.log_odds import WordLogOdds
from attnnn.tables.ragged import Ragged

# Ids 0 to 3 are symbols, 4 is a stop word.
NOT_COUNTED = [np.nan] * 5
WORDS = WordLogOdds(np.array([*NOT_COUNTED, 0.0, 2.0, -3.0, 0.5]))


def test_attention_is_the_softmax_of_magnitudes_over_counted_tokens() -> None:
    tokens = Ragged.from_lists([[5, 7, 4, 6, 1], [8], [4, 4, 1, 4], [6, 6]])
    attention = WORDS.attention(tokens)
    powers = np.array([1.0, np.exp(3), 0.0, np.exp(2), 0.0])
    np.testing.assert_allclose(attention[0], powers / powers.sum(), rtol=1e-12)
    np.testing.assert_allclose(attention[1], [1.0])
    # Stop words and unknown ones alone: uniform, not 0/0.
    np.testing.assert_allclose(attention[2], [0.25] * 4)
    np.testing.assert_allclose(attention[3], [0.5, 0.5])
    assert WORDS.counted(tokens).tolist() == [3, 1, 0, 2]


def test_weights_of_any_size_make_attention_that_sums_to_one() -> None:
    words = WordLogOdds(np.array([*NOT_COUNTED, 1e4, -1e4, 0.0]))
    attention = words.attention(Ragged.from_lists([[5, 6, 7], [7, 7, 4]]))
    np.testing.assert_allclose(attention[0], [0.5, 0.5, 0.0])
    np.testing.assert_allclose(attention[1], [0.5, 0.5, 0.0])


@pytest.mark.parametrize(
    ("class_", "count", "ids"), [(1, 1, [6]), (1, 5, [6, 8]), (0, 5, [7]), (0, 0, [])]
)
def test_strongest_words_speak_for_their_class_and_are_no_more_than_do(
    class_: int, count: int, ids: list[int]
) -> None:
    assert WORDS.strongest(class_, count).tolist() == ids
