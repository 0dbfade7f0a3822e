"""The corpora stage: every source becomes numbered documents, a vocabulary and a description."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from attnnn import __version__
from attnnn.corpora import splits, vocabulary
from attnnn.corpora.description import describe
from attnnn.corpora.embedding import read_vectors, require_width, train_vectors
from attnnn.corpora.encoded import Encoded, document_columns, tokenize_documents
from attnnn.corpora.lengths import kept_documents
from attnnn.corpora.log_odds import counted_words, fit_log_odds
from attnnn.corpora.readers import name_of_source, read_source, require_source
from attnnn.corpora.texts import SPLITS, naming
from attnnn.dag.layout import Layout
from attnnn.errors import UserError
from attnnn.study import identity
from attnnn.study.config import Study
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged, concatenate
from attnnn.tables.store import (
    Schema,
    read_table,
    read_table_of,
    write_blocks,
    write_json,
    write_table,
    written_aside,
)


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
    splits.require_classes(documents, where=where)
    tokens = tokenize_documents(documents, corpus, settings.tokenizer)
    lengths, pairs = tokens.numbers.lengths, documents.questions is not None
    keep, dropped = kept_documents(
        documents,
        lengths[: len(documents)],
        lengths[len(documents) :] if pairs else None,
        min_length=settings.min_length,
        max_length=settings.max_length,
        strict=protocol.strict_length_filter,
    )
    counted = (documents.splits == "train") | (protocol.vocab_fit == "all")
    # Questions are counted as texts of their own.
    texts_counted = np.tile(counted, 2) if pairs else counted
    words = vocabulary.fit(tokens, texts_counted, min_df=settings.min_df)
    kept = np.flatnonzero(keep)
    encoded = Encoded.of(tokens, words, kept)
    questions = Encoded.of(tokens, words, kept + len(documents)) if pairs else None
    documents = documents.take(kept, dropped)
    splits.require_classes(documents, where=where)
    splits.require_dev(protocol, "dev" in documents.splits)
    description = describe(
        study,
        corpus,
        documents=documents,
        encoded=encoded,
        questions=questions,
        vocabulary=words,
        fitted_on=int(counted.sum()),
    )
    _write(study, corpus, columns=document_columns(documents, encoded, questions), words=words)
    write_json(Layout(study.results_dir).corpus(corpus, "description.json"), description)
    _tell(corpus, description)


def _schema(study: Study, corpus: str) -> Schema:
    return schemas.PAIRS if study.corpora[corpus].source.pairs else schemas.DOCUMENTS


def _write(
    study: Study,
    corpus: str,
    *,
    columns: Iterable[dict[str, Any]],
    words: vocabulary.Vocabulary,
) -> None:
    layout, made_by = Layout(study.results_dir), identity.of_corpus(study, corpus)
    path = layout.corpus(corpus, "documents.parquet")
    write_blocks(path, _schema(study, corpus), columns, made_by=made_by)
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
        schema = _schema(study, corpus)
        stored = read_table(layout.corpus(corpus, "documents.parquet"), schema)
        train = np.array(stored["split"].to_pylist()) == "train"
        read = [name for name in ("token_ids", "question_ids") if name in schema.columns]
        vectors, known = train_vectors(
            concatenate([Ragged.from_arrow(stored[name]).take(train) for name in read]),
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


def weigh(study: Study, corpus: str) -> None:
    """Write the log-odds of every word of a corpus, fitted on its training split.

    Raises:
        UserError: a corpus of pairs or of several classes, or a file that it needs is missing.
    """
    with naming(f"corpus {corpus}"):
        if not study.corpora[corpus].source.two_classes:
            raise UserError(
                "log-odds of words are of single texts and two classes; this corpus is not"
            )
        _weigh(study, corpus)


def _weigh(study: Study, corpus: str) -> None:
    layout = Layout(study.results_dir)
    listed = read_table(layout.corpus(corpus, "vocabulary.parquet"), schemas.VOCABULARY)
    words = listed["token"].to_pylist()
    path = layout.corpus(corpus, "documents.parquet")
    stored = read_table_of(
        path, [schemas.DOCUMENTS], columns=("label", "token_ids"), where=("split", "train")
    )
    found = fit_log_odds(
        Ragged.from_arrow(stored["token_ids"]),
        stored["label"].to_numpy(),
        counted_words(words),
        inverse_strength=study.log_odds.inverse_strength,
    )
    counted, weighted = np.isfinite(found.weight), np.abs(found.weight) > 0
    facts = {
        "corpus": corpus,
        "identity": identity.of_log_odds(study),
        "intercept": found.intercept,
        "converged": found.converged,
        "empty": found.empty,
    }
    weight = [w if c else None for w, c in zip(found.weight.tolist(), counted, strict=True)]
    columns = {"id": listed["id"].to_numpy(), "token": words, "weight": weight}
    write_table(layout.corpus(corpus, "log_odds.parquet"), schemas.LOG_ODDS, columns, made_by=facts)
    _say(corpus, f"{weighted.sum()} of {counted.sum()} words of the bag have a weight")
    if found.empty:
        _say(corpus, f"{found.empty} training documents are of stop and unknown words alone")
    if not found.converged:
        _say(corpus, "the logistic regression did not converge; lower log_odds.inverse_strength")


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
