"""Where sentences end, by hand."""

from __future__ import annotations

from attnnn.corpora.sentences import sentence_lengths


def lengths(*texts: str) -> list[list[int]]:
    found = sentence_lengths([text.split() for text in texts])
    return [found[row].tolist() for row in range(len(texts))]


def test_a_sentence_ends_after_its_punctuation():
    assert lengths("it rained . we waited ! ! doors opened") == [[3, 4, 2]]


def test_closing_quotes_belong_to_the_sentence_before():
    assert lengths('she said " go . " then he went .') == [[6, 4]]


def test_without_punctuation_a_document_is_one_sentence():
    assert lengths("no end in sight", "word", ". . .") == [[4], [1], [3]]


def test_an_empty_document_has_none_and_lengths_add_up():
    assert lengths("", "a . b") == [[], [2, 1]]


def test_an_empty_token_is_a_token():
    found = sentence_lengths([["a", "", ".", "b"]])
    assert found[0].tolist() == [3, 1]
