"""The corpora stage: every source becomes numbered documents, a vocabulary and a description."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from attnnn import __version__, identity, schemas
from attnnn.config import Study
from attnnn.corpora import splits, vocabulary
from attnnn.corpora.description import describe
from attnnn.corpora.embedding import read_vectors, require_width, train_vectors
from attnnn.corpora.readers import name_of_source, read_source, require_source
from attnnn.corpora.texts import SPLITS, Texts, naming
from attnnn.corpora.tokenize import tokenize
from attnnn.errors import UserError
from attnnn.layout import Layout
from attnnn.ragged import Ragged
from attnnn.store import read_table, write_json, write_table, written_aside


def prepare(study: Study, corpus: str) -> None:
    """Write the documents, the vocabulary and the description of a corpus.

    Documents are numbered in the order train, dev, test, within a split as the source has them.

    Raises:
        UserError: a fault of the source, in one line with its file and row.
    """
    with naming(f"corpus {corpus}"):
        _prepare(study, corpus)


def _prepare(study: Study, corpus: str) -> None:
    settings, protocol = study.corpora[corpus], study.protocol_of(corpus)
    where = name_of_source(study, corpus)
    documents = read_source(study, corpus)
    order = np.concatenate([np.flatnonzero(documents.splits == split) for split in SPLITS])
    documents = documents.take(order)
    splits.require_classes(documents.labels, documents.splits, documents.classes, where=where)
    tokens = tokenize(
        tqdm(documents.texts, desc=f"tokenise {corpus}", unit=" documents", disable=None),
        settings.tokenizer,
    )
    lengths = tokens.numbers.lengths
    keep, dropped = splits.length_filter(
        lengths,
        documents.splits,
        min_length=settings.min_length,
        max_length=settings.max_length,
        strict=protocol.strict_length_filter,
    )
    splits.require_tokens(lengths, keep, documents.places)
    counted = (documents.splits == "train") | (protocol.vocab_fit == "all")
    words = vocabulary.fit(tokens, counted, min_df=settings.min_df)
    kept = np.flatnonzero(keep)
    documents, numbers = documents.take(kept, dropped), tokens.numbers.take(kept)
    splits.require_classes(documents.labels, documents.splits, documents.classes, where=where)
    splits.require_dev(protocol, "dev" in documents.splits)
    ids = numbers.with_values(words.ids_of(tokens.inventory)[numbers.values])
    description = describe(
        study, corpus, documents=documents, ids=ids, vocabulary=words, fitted_on=int(counted.sum())
    )
    spelled = tokens.words(numbers)
    _write(study, corpus, documents=documents, tokens=spelled, ids=ids, words=words)
    write_json(Layout(study.results_dir).corpus(corpus, "description.json"), description)
    _tell(corpus, description)


def embed(study: Study, corpus: str) -> None:
    """Write the word vectors that the models of a corpus start from.

    The file holds ``embedding``, shape (V, dimension), float32, and ``known``, shape (V,), bool: the
    rows that have a vector. The others start at zero, padding among them.

    Raises:
        UserError: a fault of the file of vectors, or nothing to write because vectors are random.
    """
    with naming(f"corpus {corpus}"):
        _embed(study, corpus)


def _embed(study: Study, corpus: str) -> None:
    from safetensors.numpy import save_file

    layout, settings = Layout(study.results_dir), study.corpora[corpus].embedding
    listed = read_table(layout.corpus(corpus, "vocabulary.parquet"), schemas.VOCABULARY)
    words = listed["token"].to_pylist()
    if settings.kind == "random":
        raise UserError(
            "embedding.kind is random: each model draws its own vectors, so there is no file to make"
        )
    if settings.path is not None:
        path = study.source_path(settings.path)
        vectors, known = read_vectors(path, words, dimension=settings.dimension)
    else:
        stored = read_table(layout.corpus(corpus, "documents.parquet"), schemas.DOCUMENTS)
        train = np.array(stored["split"].to_pylist()) == "train"
        vectors, known = train_vectors(
            Ragged.from_arrow(stored["token_ids"]).take(train),
            words,
            dimension=settings.dimension,
            window=settings.window,
            epochs=settings.epochs,
        )
    facts = {
        "version": __version__,
        "known": int(known.sum()),
        **identity.of_embedding(study, corpus),
    }
    with written_aside(layout.corpus(corpus, "embedding.safetensors")) as aside:
        # One key: the order of several would vary from run to run.
        metadata = {"attnnn": json.dumps(facts, sort_keys=True)}
        save_file({"embedding": vectors, "known": known}, aside, metadata=metadata)
    _say(
        corpus,
        f"vectors for {known.sum()} of {len(words)} vocabulary entries; the others start at zero",
    )


def check(study: Study) -> None:
    """Write the list of corpora once all of them are found sound.

    Raises:
        UserError: a corpus was not prepared, or under other settings, or lacks a split it needs.
    """
    layout = Layout(study.results_dir)
    sound: dict[str, Any] = {}
    for corpus in study.corpora:
        with naming(f"corpus {corpus}"):
            path = layout.corpus(corpus, "description.json")
            description = _description(path)
            if description.get("identity") != identity.of_corpus(study, corpus):
                raise UserError(
                    f"{path}: prepared under other settings; run `attnnn prepare` again"
                )
            splits.require_dev(study.protocol_of(corpus), "dev" in description["splits"])
            sound[corpus] = {
                "classes": description["classes"],
                "documents": {
                    name: split["documents"] for name, split in description["splits"].items()
                },
                "vocabulary": description["vocabulary"]["size"],
            }
    write_json(layout.checked(), sound)


def check_sources(study: Study) -> None:
    """Look at every source and file of vectors without reading them whole.

    Raises:
        UserError: a missing file or column, vectors of the wrong width, or settings that cannot be met.
    """
    for corpus, settings in study.corpora.items():
        with naming(f"corpus {corpus}"):
            require_source(study, corpus)
            if settings.embedding.path is not None:
                path = study.source_path(settings.embedding.path)
                require_width(path, dimension=settings.embedding.dimension)


def _write(
    study: Study,
    corpus: str,
    *,
    documents: Texts,
    tokens: Ragged,
    ids: Ragged,
    words: vocabulary.Vocabulary,
) -> None:
    layout, made_by = Layout(study.results_dir), identity.of_corpus(study, corpus)
    write_table(
        layout.corpus(corpus, "documents.parquet"),
        schemas.DOCUMENTS,
        {
            "document": np.arange(len(documents)),
            "split": documents.splits,
            "label": documents.labels,
            "tokens": tokens,
            "token_ids": ids,
            "truth": [None] * len(documents) if documents.truth is None else documents.truth,
        },
        made_by=made_by,
    )
    write_table(
        layout.corpus(corpus, "vocabulary.parquet"),
        schemas.VOCABULARY,
        {
            "id": np.arange(len(words)),
            "token": words.tokens,
            "document_frequency": words.document_frequency,
        },
        made_by=made_by,
    )


def _description(path: str) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; run `attnnn prepare` first") from None
    except json.JSONDecodeError:
        raise UserError(f"{path}: not readable; delete it and run `attnnn prepare`") from None
    return content


def _tell(corpus: str, description: dict[str, Any]) -> None:
    sizes = (f"{name} {split['documents']}" for name, split in description["splits"].items())
    _say(
        corpus,
        f"{', '.join(sizes)} documents, {description['vocabulary']['size']} vocabulary entries",
    )
    if description["made_splits"]:
        _say(corpus, f"splits {description['made_splits']}")
    for item in description["dropped"]:
        _say(corpus, f"left out of {item['split']}: {item['count']} documents, {item['reason']}")
    for split, count in description["overlap_with_train"].items():
        if count:
            _say(corpus, f"{count} {split} documents read like a training document")


def _say(corpus: str, message: str) -> None:
    print(f"{corpus}: {message}", file=sys.stderr)
