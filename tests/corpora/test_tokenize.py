"""Tokenizers against lines worked out by hand from the papers' description of their cleaning."""

import pytest

from attnnn.corpora.tokenize import TOKENIZERS, tokenize


def tokens(text: str, name: str) -> list[str]:
    (words,) = TOKENIZERS[name]([text])
    return words


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("whitespace", "  Not\tbad ,\n isn't it?", "Not bad , isn't it?"),
        ("spacy", "I don't  own 3 B-52s.<br />No!", "i do n't own 3 b-52s . no !"),
        # spaCy splits contractions and final punctuation; digits make a whole token qqq
        ("papers", "I don't  own 3 B-52s.\nNo!", "i do n't own qqq qqq . no !"),
        ("papers", "The 2nd²", "the qqq"),
        # brackets vanish with their codes; every other non-word character is a space; digits stay
        (
            "sst",
            "A -LRB-B-RRB-C 's 21st co-writer\\/director ...",
            "a b c s 21st co writer director",
        ),
        ("sst", "It does n't -- ca n't", "it does n t ca n t"),
        # runs of non-word characters, spaces among them, shrink to their last character
        ("20news", "Well, (he) said: go!", "well he said go !"),
        ("20news", "isn't don't", "is n ' t do n ' t"),
        ("20news", "it's a .300 hitter", "it ' s a qqq hitter"),
        # what was taken out is one token, over lines too; runs of one mark become one mark
        ("mimic", "Dr. [**Last Name (un) 12**] saw", "dr. <DE> saw"),
        ("mimic", "Seen [**2101-5-\n3**] and\t[**Hospital1 **].", "seen <DE> and <DE> ."),
        ("mimic", "_____ X --- y ... 25mg b.i.d.", "_ x - y . qqq mg b.i.d ."),
        ("keras", "It's GREAT!!<br /><br />Really-good.", "it's great really good"),
        ("keras", "a<BR>b <br/>c 10/10", "a b c 10 10"),
    ],
)
def test_examples(name: str, text: str, expected: str) -> None:
    assert tokens(text, name) == expected.split()


@pytest.mark.parametrize("name", sorted(TOKENIZERS))
@pytest.mark.parametrize("text", ["", " \n\t  "])
def test_nothing_makes_no_tokens(name: str, text: str) -> None:
    assert tokens(text, name) == []


@pytest.mark.parametrize("name", sorted(TOKENIZERS))
def test_compact_form_spells_what_the_tokenizer_gave(name: str) -> None:
    texts = ["A fine film, a FINE 2nd film.", "", "fine\xa0print", "film"]
    compact = tokenize(texts, name)
    assert len(compact.inventory) == len(set(compact.inventory))
    assert [list(words) for words in compact.words(compact.numbers)] == list(
        TOKENIZERS[name](texts)
    )


def test_no_documents() -> None:
    assert len(tokenize([], "whitespace").numbers) == 0
