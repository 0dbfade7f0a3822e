"""Prepared corpora: documents with vocabulary ids, the vocabulary and the description."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from attnnn.corpora import splits, vocabulary
from attnnn.corpora.description import describe
from attnnn.corpora.encoded import Encoded, document_columns, tokenize_documents
from attnnn.corpora.lengths import kept_documents
from attnnn.corpora.prepare_settings import PrepareSettings
from attnnn.corpora.readers import read_source
from attnnn.corpora.texts import SPLITS, say


@dataclass(frozen=True)
class Prepared:
    """A prepared corpus.

    Attributes:
        documents: columns of `schemas.DOCUMENTS`, or of `schemas.PAIRS`, block by block.
        vocabulary: columns of `schemas.VOCABULARY`.
        description: sizes, lengths, what was left out, the settings.
    """

    documents: Iterable[dict[str, Any]]
    vocabulary: dict[str, Any]
    description: dict[str, Any]


def prepare_corpus(settings: PrepareSettings, corpora_dir: Path, *, corpus: str) -> Prepared:
    """Read, tokenise, filter and split a corpus, and count its vocabulary.

    Documents are numbered in the order train, dev, test, and within a split in the order of the source.

    Args:
        settings: of the corpus.
        corpora_dir: the folder that relative paths are under.
        corpus: its name, for messages.

    Raises:
        UserError: a fault of the source, in one line with its file and row.
    """
    place = settings.source.place
    where = "source" if place is None else str(corpora_dir / place)
    documents = read_source(settings, corpora_dir)
    order = np.concatenate([np.flatnonzero(documents.splits == split) for split in SPLITS])
    documents = documents.take(order)
    splits.require_classes(documents, where=where)
    tokens = tokenize_documents(documents, corpus, settings.tokenizer)
    lengths, pairs = tokens.numbers.lengths, documents.questions is not None
    keep, dropped = kept_documents(
        documents,
        lengths[: len(documents)],
        lengths[len(documents) :] if pairs else None,
        min_length=settings.min_length,
        max_length=settings.max_length,
        strict=settings.strict_length_filter,
    )
    counted = (documents.splits == "train") | (settings.vocab_fit == "all")
    # Questions count as texts of their own.
    texts_counted = np.tile(counted, 2) if pairs else counted
    words = vocabulary.fit(tokens, texts_counted, min_df=settings.min_df)
    kept = np.flatnonzero(keep)
    encoded = Encoded.of(tokens, words, kept)
    questions = Encoded.of(tokens, words, kept + len(documents)) if pairs else None
    documents = documents.take(kept, dropped)
    splits.require_classes(documents, where=where)
    description = describe(
        settings,
        corpus,
        documents=documents,
        encoded=encoded,
        questions=questions,
        vocabulary=words,
        fitted_on=int(counted.sum()),
    )
    _report(corpus, description)
    return Prepared(
        document_columns(documents, encoded, questions),
        {
            "id": np.arange(len(words)),
            "token": words.tokens,
            "document_frequency": words.document_frequency,
        },
        description,
    )


def _report(corpus: str, description: dict[str, Any]) -> None:
    sizes = (f"{name} {split['documents']}" for name, split in description["splits"].items())
    size = description["vocabulary"]["size"]
    say(corpus, f"{', '.join(sizes)} documents, {size} vocabulary entries")
    if description["made_splits"]:
        say(corpus, f"splits {description['made_splits']}")
    for item in description["dropped"]:
        say(corpus, f"left out of {item['split']}: {item['count']} documents, {item['reason']}")
    for split, count in description["overlap_with_train"].items():
        if count:
            say(corpus, f"{count} {split} documents read like a training document")
