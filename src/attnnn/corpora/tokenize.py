"""Tokenizers, and the compact form of a tokenised corpus.

The papers' cleaners (Jain & Wallace 2019, released preprocessing) join their tokens by single spaces
and split there again, so that a tokenizer here is what their cleaner and that split do together.
"""

from __future__ import annotations

import re
import string
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from attnnn.tables.ragged import Ragged

Tokenizer = Callable[[Iterable[str]], Iterator[list[str]]]

DIGITS = "qqq"  # what the papers write for every token that holds a digit
DEIDENTIFIED = "<DE>"  # and for a name, place or date that MIMIC-III leaves out

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_RUN_OF_NON_WORD = re.compile(r"\W*(\W)")
_NON_WORD = re.compile(r"\W")
_DEIDENTIFIED = re.compile(r"\[ ?\* ?\*.*?\* ?\* ?\]")
_REPEATED = re.compile(r"([^A-Za-z0-9])(?: *\1)+")
# The Keras preprocessing that made the IMDb dump: all ASCII punctuation but the apostrophe.
_KERAS_FILTER = str.maketrans(dict.fromkeys(string.punctuation.replace("'", ""), " "))


@dataclass(frozen=True, eq=False)
class Tokens:
    """All tokens of many documents, every distinct one kept once.

    Attributes:
        inventory: the distinct tokens in order of their first occurrence.
        numbers: for every token of every document its index in `inventory`, int32.
    """

    inventory: list[str]
    numbers: Ragged

    def words(self, documents: Ragged | None = None) -> Ragged:
        """The tokens themselves, as Python strings shared between their occurrences."""
        numbers = self.numbers if documents is None else documents
        return numbers.with_values(np.array(self.inventory, dtype=object)[numbers.values])


def tokenize(texts: Iterable[str], name: str) -> Tokens:
    """Tokenise texts by the tokenizer of that name (see `TOKENIZERS`), one pass, in order.

    Raises:
        KeyError: no tokenizer has that name.
    """
    inventory = _Numbering()
    numbers, lengths = array("i"), array("q")
    for tokens in TOKENIZERS[name](texts):
        numbers.extend(map(inventory.__getitem__, tokens))
        lengths.append(len(tokens))
    flat = np.frombuffer(numbers, dtype=np.int32) if numbers else np.empty(0, np.int32)
    return Tokens(list(inventory), Ragged.from_lengths(flat, np.array(lengths, dtype=np.int64)))


class _Numbering(dict[str, int]):
    """Numbers every key by the order of its first look-up."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


def whitespace(texts: Iterable[str]) -> Iterator[list[str]]:
    """Split at white space and keep everything else as it is."""
    return (text.split() for text in texts)


def papers(texts: Iterable[str]) -> Iterator[list[str]]:
    """The English tokenizer of spaCy, lower case, ``qqq`` for every token that holds a digit.

    Source: Jain & Wallace 2019, released code, `cleaner`: used for 20 Newsgroups, AG News and SNLI.
    """
    masked = cache(_mask_digits)
    return ([masked(token) for token in tokens] for tokens in _spacy(texts))


def sst(texts: Iterable[str]) -> Iterator[list[str]]:
    """The papers' cleaning of SST: brackets and punctuation go, digits stay, lower case.

    ``-LRB-`` is deleted and ``-RRB-`` becomes a space before every non-word character does, or their
    letters would remain as words.

    Source: Jain & Wallace 2019, released preprocessing of SST.
    """
    return _spacy(
        _NON_WORD.sub(" ", text.replace("-LRB-", "").replace("-RRB-", " ")) for text in texts
    )


def newsgroups(texts: Iterable[str]) -> Iterator[list[str]]:
    """`papers`, then each run of non-word characters becomes its last one, with spaces around it.

    Spaces are non-word characters too, so that a punctuation mark followed by a space goes: what
    stays is punctuation inside or directly before a word, and at the end of the document.

    Source: Jain & Wallace 2019, released preprocessing of 20 Newsgroups.
    """
    return (_RUN_OF_NON_WORD.sub(r" \1 ", " ".join(tokens)).split() for tokens in papers(texts))


def mimic(texts: Iterable[str]) -> Iterator[list[str]]:
    """SpaCy and lower case, then the marks of clinical notes are thinned and digits masked.

    What was taken out for anonymity, ``[** … **]``, becomes ``<DE>``. A run of one character that is no
    ASCII letter or digit, spaces between or not, becomes one. Last, tokens with a digit become ``qqq``.

    Source: Jain & Wallace 2019, released preprocessing of MIMIC-III.
    """
    masked = cache(_mask_digits)
    for tokens in _spacy(texts):
        text = _DEIDENTIFIED.sub(f" {DEIDENTIFIED} ", " ".join(tokens))
        yield [masked(token) for token in _REPEATED.sub(r"\1 ", text).split()]


def keras(texts: Iterable[str]) -> Iterator[list[str]]:
    """Lower case, every ASCII punctuation mark but the apostrophe a space.

    This is what made the dump of IMDb that Jain & Wallace use, with one difference: there the line
    breaks ``<br />`` of the raw reviews became a word ``br``, here they are white space.
    """
    return (_BREAK.sub(" ", text).lower().translate(_KERAS_FILTER).split() for text in texts)


TOKENIZERS: dict[str, Tokenizer] = {
    "whitespace": whitespace,
    "papers": papers,
    "sst": sst,
    "20news": newsgroups,
    "mimic": mimic,
    "keras": keras,
}


def _spacy(texts: Iterable[str]) -> Iterator[list[str]]:
    import spacy  # here, because it takes a second that the command line need not wait for

    tokenizer = spacy.blank("en").tokenizer
    # White space is collapsed first: spaCy makes tokens of surplus spaces.
    for document in tokenizer.pipe(" ".join(text.split()) for text in texts):
        yield [token.lower_ for token in document]


def _mask_digits(token: str) -> str:
    return DIGITS if any(map(str.isdigit, token)) else token
