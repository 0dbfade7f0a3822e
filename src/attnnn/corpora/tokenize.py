"""Tokenizers, and the compact form of a tokenised corpus.

The papers' cleaners (Jain & Wallace 2019, released preprocessing) join their tokens by single spaces,
and the result is split at white space later. A tokenizer here does both.
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
DEIDENTIFIED = "<DE>"  # and for a name, place or date that MIMIC-III removed

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_RUN_OF_NON_WORD = re.compile(r"\W*(\W)")
_NON_WORD = re.compile(r"\W")
_DEIDENTIFIED = re.compile(r"\[ ?\* ?\*.*?\* ?\* ?\]")
_REPEATED = re.compile(r"([^A-Za-z0-9])(?: *\1)+")
# The Keras preprocessing that made the IMDb dump: all ASCII punctuation but the apostrophe.
_KERAS_FILTER = str.maketrans(dict.fromkeys(string.punctuation.replace("'", ""), " "))


@dataclass(frozen=True, eq=False)
class Tokens:
    """All tokens of many documents; each distinct token is kept once.

    Attributes:
        inventory: the distinct tokens in order of their first occurrence.
        numbers: the index in `inventory` of every token of every document, int32.
    """

    inventory: list[str]
    numbers: Ragged

    def words(self, documents: Ragged | None = None) -> Ragged:
        """The tokens themselves, as Python strings that their occurrences share."""
        numbers = self.numbers if documents is None else documents
        return numbers.with_values(np.array(self.inventory, dtype=object)[numbers.values])


def tokenize(texts: Iterable[str], name: str) -> Tokens:
    """Tokenise texts by the tokenizer of that name (see `TOKENIZERS`), in order and in one pass.

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
    """Numbers keys in the order of their first look-up."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


def whitespace(texts: Iterable[str]) -> Iterator[list[str]]:
    """Split at white space and keep everything else as it is."""
    return (text.split() for text in texts)


def lower_case(texts: Iterable[str]) -> Iterator[list[str]]:
    """SpaCy's English tokenizer, lower case; line breaks of HTML are white space."""
    for tokens in _spacy(_BREAK.sub(" ", text) for text in texts):
        yield [token.lower() for token in tokens]


def papers(texts: Iterable[str]) -> Iterator[list[str]]:
    """The English tokenizer of spaCy, lower case, ``qqq`` for every token that holds a digit.

    Source: Jain & Wallace 2019, released code, `cleaner`: used for 20 Newsgroups, AG News and SNLI.
    """
    masked = cache(_mask_digits)
    return ([masked(token) for token in tokens] for tokens in _spacy(texts))


def sst(texts: Iterable[str]) -> Iterator[list[str]]:
    """The papers' cleaning of SST: lower case, without brackets and punctuation; digits are kept.

    ``-LRB-`` is deleted and ``-RRB-`` becomes a space first, and then every non-word character becomes
    one; otherwise their letters would remain as words.

    Source: Jain & Wallace 2019, released preprocessing of SST.
    """
    return _spacy(
        _NON_WORD.sub(" ", text.replace("-LRB-", "").replace("-RRB-", " ")) for text in texts
    )


def newsgroups(texts: Iterable[str]) -> Iterator[list[str]]:
    """`papers`, then each run of non-word characters becomes its last one, with spaces around it.

    Spaces are non-word characters too, so a punctuation mark before a space is removed. What remains is
    punctuation inside or directly before a word, and at the end of the document.

    Source: Jain & Wallace 2019, released preprocessing of 20 Newsgroups.
    """
    return (_RUN_OF_NON_WORD.sub(r" \1 ", " ".join(tokens)).split() for tokens in papers(texts))


def mimic(texts: Iterable[str]) -> Iterator[list[str]]:
    """The tokens of spaCy in lower case; the marks of clinical notes are thinned out and digits masked.

    What was removed for anonymity, ``[** … **]``, becomes ``<DE>``. A repeated character other than an
    ASCII letter or digit, with or without spaces between, is kept once. Tokens with a digit become ``qqq``.

    Source: Jain & Wallace 2019, released preprocessing of MIMIC-III.
    """
    masked = cache(_mask_digits)
    for tokens in _spacy(texts):
        text = _DEIDENTIFIED.sub(f" {DEIDENTIFIED} ", " ".join(tokens))
        yield [masked(token) for token in _REPEATED.sub(r"\1 ", text).split()]


def keras(texts: Iterable[str]) -> Iterator[list[str]]:
    """Lower case, with a space for every ASCII punctuation mark but the apostrophe.

    The dump of IMDb that Jain & Wallace use was made in this way, with one difference: there, the line
    breaks ``<br />`` of the raw reviews became a word ``br``; here they are white space.
    """
    return (_BREAK.sub(" ", text).lower().translate(_KERAS_FILTER).split() for text in texts)


TOKENIZERS: dict[str, Tokenizer] = {
    "whitespace": whitespace,
    "spacy": lower_case,
    "papers": papers,
    "sst": sst,
    "20news": newsgroups,
    "mimic": mimic,
    "keras": keras,
}


def _spacy(texts: Iterable[str]) -> Iterator[list[str]]:
    import spacy  # slow to import

    tokenizer = spacy.blank("en").tokenizer
    # White space is collapsed first: spaCy makes tokens of surplus spaces.
    for document in tokenizer.pipe(" ".join(text.split()) for text in texts):
        yield [token.lower_ for token in document]


def _mask_digits(token: str) -> str:
    return DIGITS if any(map(str.isdigit, token)) else token
