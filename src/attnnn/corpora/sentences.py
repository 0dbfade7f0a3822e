"""Where sentences end, by spaCy's rules for punctuation, on the tokens as they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from attnnn.tables.ragged import Ragged


def sentence_lengths(documents: Iterable[Sequence[str]]) -> Ragged:
    """Lengths of the sentences of each document, in tokens, one after the other.

    A blank English pipeline with the sentencizer: a sentence ends after a token such as ``.``, ``!`` or
    ``?`` and the punctuation that follows it. Where a tokenizer drops punctuation, a
    document is one sentence.

    Args:
        documents: the tokens of each.
    """
    import spacy
    from spacy.tokens import Doc

    pipeline = spacy.blank("en")
    sentencizer = pipeline.add_pipe("sentencizer")
    lengths = []
    for words in documents:
        # spaCy has no empty tokens; whatever stands for one ends no sentence.
        found = sentencizer(Doc(pipeline.vocab, words=[word or "_" for word in words]))
        lengths.append([len(sentence) for sentence in found.sents])
    return Ragged.from_lists(lengths, np.int32)
