"""Read, tokenise, filter and split a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from attnnn.corpora.prepare_settings import PrepareSettings
from attnnn.dag import work
from attnnn.dag.stage import Job, Output, Stage
from attnnn.study.config import Study
from attnnn.tables import schemas
from attnnn.tables.store import write_json

if TYPE_CHECKING:
    from attnnn.dag.work import CorpusSize


def prepare(job: Job[PrepareSettings]) -> None:
    """Read, tokenise, filter and split a corpus."""
    from attnnn.corpora.prepared import prepare_corpus
    from attnnn.corpora.texts import naming

    with naming(f"corpus {job.corpus}"):
        found = prepare_corpus(job.settings, job.machine.corpora_dir, corpus=job.corpus)
    schema = schemas.PAIRS if job.settings.source.pairs else schemas.DOCUMENTS
    job.write_blocks("documents", schema, found.documents)
    job.write("vocabulary", found.vocabulary)
    write_json(job.path("description"), found.description)


def _settings(study: Study, corpus: str) -> PrepareSettings:
    """What the prepared corpus depends on."""
    chosen, switches = study.corpora[corpus], study.protocol_of(corpus)
    return PrepareSettings(
        source=chosen.source,
        tokenizer=chosen.tokenizer,
        min_df=chosen.min_df,
        min_length=chosen.min_length,
        max_length=chosen.max_length,
        vocab_fit=switches.vocab_fit,
        train_part=switches.train_part,
        strict_length_filter=switches.strict_length_filter,
    )


def _check(study: Study, corpus: str) -> None:
    """Refuse a missing file or column, and settings that cannot be met."""
    from attnnn.corpora.readers import require_source
    from attnnn.corpora.texts import naming

    with naming(f"corpus {corpus}"):
        require_source(
            _settings(study, corpus),
            Path(study.corpora_dir),
            selecting_on_dev=study.protocol_of(corpus).selecting_on_dev,
        )


def _files(study: Study, corpus: str) -> list[Path]:
    """None of planted corpora and of those that may be fetched."""
    source = study.corpora[corpus].source
    return [] if source.may_fetch else [study.source_path(file) for file in source.files()]


def _work(study: Study, corpus: str, size: CorpusSize) -> dict[str, float]:
    spacy = study.corpora[corpus].tokenizer in ("spacy", "papers", "sst", "20news")
    kind, starts = ("spacy_tokens", {"spacy_starts": 1.0}) if spacy else ("tokens", {})
    return {"starts": 1.0, **starts, kind: size.read / 1e6}


def _size(study: Study, corpus: str, size: CorpusSize) -> float:
    # A token is its word and its id.
    return work.FOOTER + 3.4 * float(size.all_lengths.sum()) + 11 * size.vocabulary


STAGE = Stage(
    verb="prepare",
    about="corpus",
    does=prepare,
    writes={
        "documents": Output(
            "corpora/{corpus}/documents.parquet", (schemas.DOCUMENTS, schemas.PAIRS)
        ),
        "vocabulary": Output("corpora/{corpus}/vocabulary.parquet", (schemas.VOCABULARY,)),
        "description": Output("corpora/{corpus}/description.json"),
    },
    settings=_settings,
    files=_files,
    check=_check,
    memory=4000,
    minutes=60,
    # A faulty corpus is known before anything of another one trains.
    priority=lambda study, corpus: 10,
    work=_work,
    size=_size,
)
