"""Make the word vectors that a corpus's models start from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from attnnn import __version__
from attnnn.dag.stage import Artifact, Job, Output, Stage
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.study.config import Study
from attnnn.study.settings import Embedding
from attnnn.tables.ragged import Ragged, concatenate
from attnnn.tables.store import written_aside

if TYPE_CHECKING:
    from attnnn.dag.work import CorpusSize


def embed(job: Job[Embedding]) -> None:
    """Make the word vectors that a corpus's models start from.

    The file holds ``embedding``, shape (V, dimension), float32, and ``known``, shape (V,), bool: the
    rows that have a vector. The others start at zero, padding among them.
    """
    from safetensors.numpy import save_file

    from attnnn.corpora.texts import naming, say
    from attnnn.corpora.word_vectors import read_vectors, train_vectors

    settings, words = job.settings, job.read("vocabulary")["token"].to_pylist()
    with naming(f"corpus {job.corpus}"):
        if settings.path is None:
            vectors, known = train_vectors(
                _training_texts(job),
                words,
                dimension=settings.dimension,
                window=settings.window,
                epochs=settings.epochs,
            )
        else:
            path = job.machine.corpora_dir / settings.path
            vectors, known = read_vectors(path, words, dimension=settings.dimension)
    facts = {"version": __version__, "known": int(known.sum()), **job.made_by}
    with written_aside(job.path("embedding")) as aside:
        # One key: the order of several would vary from run to run.
        metadata = {"attnnn": json.dumps(facts, sort_keys=True)}
        save_file({"embedding": vectors, "known": known}, aside, metadata=metadata)
    say(
        job.corpus,
        f"vectors for {known.sum()} of {len(words)} vocabulary entries; the others start at zero",
    )


def _check(study: Study, corpus: str) -> None:
    """Refuse a missing file of vectors, and vectors of another width."""
    from attnnn.corpora.texts import naming
    from attnnn.corpora.word_vectors import require_width

    embedding = study.corpora[corpus].embedding
    if embedding.path is not None:
        with naming(f"corpus {corpus}"):
            require_width(study.source_path(embedding.path), dimension=embedding.dimension)


def _training_texts(job: Job[Embedding]) -> Ragged:
    """Token ids of the training split, those of questions after those of documents."""
    stored = job.read("documents")
    train = np.array(stored["split"].to_pylist()) == "train"
    read = [name for name in ("token_ids", "question_ids") if name in stored.column_names]
    return concatenate([Ragged.from_arrow(stored[name]).take(train) for name in read])


def _reads(study: Study, corpus: str) -> dict[str, Artifact]:
    return {name: PREPARE.made(name, corpus) for name in ("documents", "vocabulary")}


def _files(study: Study, corpus: str) -> list[Path]:
    path = study.corpora[corpus].embedding.path
    return [] if path is None else [study.source_path(path)]


def _refuses(study: Study, corpus: str) -> str | None:
    if study.corpora[corpus].embedding.kind == "random":
        return f"corpus {corpus}: embedding.kind is random: each model draws its own vectors"
    return None


def _work(study: Study, corpus: str, size: CorpusSize) -> dict[str, float]:
    settings = study.corpora[corpus].embedding
    if settings.path is not None:
        path = study.source_path(settings.path)
        return {"starts": 1.0, "vector_bytes": (path.stat().st_size if path.exists() else 0) / 1e9}
    # The context, the word itself, and five negative samples.
    touched = settings.epochs * settings.dimension * (settings.window + 6)
    return {"starts": 1.0, "word2vec": touched * float(size.lengths("train").sum()) / 1e9}


STAGE = Stage(
    verb="embed",
    about="corpus",
    does=embed,
    writes={"embedding": Output("corpora/{corpus}/embedding.safetensors")},
    settings=lambda study, corpus: study.corpora[corpus].embedding,
    reads=_reads,
    after=(PREPARE,),
    files=_files,
    check=_check,
    refuses=_refuses,
    memory=4000,
    minutes=60,
    work=_work,
    size=lambda study, corpus, size: (
        (4.0 * study.corpora[corpus].embedding.dimension + 1) * size.vocabulary
    ),
)
