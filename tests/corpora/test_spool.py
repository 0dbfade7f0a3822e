"""Texts that wait in a file."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnnn.corpora.spool import Spool

# Lone surrogates too: json files may hold them.
TEXTS = st.lists(st.text(st.characters(codec=None, categories=None), max_size=20), max_size=8)


@given(TEXTS, st.data())
def test_texts_come_back_as_they_were_in_any_order(texts: list[str], data: st.DataObject) -> None:
    spool = Spool()
    for text in texts:
        spool.append(text)
    kept = spool.texts()
    assert list(kept) == texts
    order = data.draw(st.lists(st.integers(0, len(texts) - 1))) if texts else []
    taken = kept.take(np.array(order, dtype=np.int64))
    assert [taken[place] for place in range(len(taken))] == [texts[place] for place in order]
    assert list(taken[1:]) == [texts[place] for place in order][1:]


def test_reading_and_writing_may_take_turns() -> None:
    spool = Spool()
    for size in (1, 3_000_000, 0, 10):
        spool.append("é" * size)
        assert len(spool.text(len(spool) - 1)) == size
    assert [len(text) for text in spool.texts()] == [1, 3_000_000, 0, 10]


def test_the_file_closes_with_its_last_reader() -> None:
    spool = Spool()
    spool.append("text")
    texts, descriptor = spool.texts(), spool._file
    del spool
    os.fstat(descriptor)
    assert texts[0] == "text"
    del texts
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
