"""The vocabulary against a naive count."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attnnn.corpora.tokenize import tokenize
from attnnn.corpora.vocabulary import fit

WORDS = st.sampled_from(["film", "plot", "Plot", "<UNK>", "<0>", "é", "a", "z"])


def test_symbols_then_words_in_order_with_the_documents_that_hold_them() -> None:
    tokens = tokenize(["b a b", "a c", "c c", "d"], "whitespace")
    vocabulary = fit(tokens, np.array([True, True, True, False]), min_df=1)
    assert vocabulary.tokens == ["<0>", "<UNK>", "<SOS>", "<EOS>", "a", "b", "c"]
    assert vocabulary.document_frequency.tolist() == [0, 0, 0, 0, 2, 1, 2]
    assert vocabulary.ids_of(["c", "a", "d"]).tolist() == [6, 4, 1]


def test_a_text_that_spells_a_symbol_is_unknown_and_never_padding() -> None:
    tokens = tokenize(["<0> <SOS> <UNK> word"], "whitespace")
    vocabulary = fit(tokens, np.array([True]), min_df=1)
    assert vocabulary.tokens[4:] == ["word"]
    assert vocabulary.ids_of(tokens.inventory).tolist() == [1, 1, 1, 4]


@given(
    texts=st.lists(st.lists(WORDS, max_size=6), max_size=8),
    min_df=st.integers(1, 3),
    data=st.data(),
)
def test_equals_a_naive_count(texts: list[list[str]], min_df: int, data: st.DataObject) -> None:
    counted = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    tokens = tokenize([" ".join(words) for words in texts], "whitespace")
    vocabulary = fit(tokens, np.array(counted, dtype=bool), min_df=min_df)
    naive: Counter[str] = Counter()
    for words, counts in zip(texts, counted, strict=True):
        naive.update(set(words) if counts else ())
    expected = {w: n for w, n in naive.items() if n >= min_df and w not in ("<UNK>", "<0>")}
    found = zip(vocabulary.tokens[4:], vocabulary.document_frequency[4:].tolist(), strict=True)
    assert dict(found) == expected
    assert vocabulary.tokens[4:] == sorted(expected)
