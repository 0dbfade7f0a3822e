"""The sources of a study's corpora: which reader, with what arguments, and what can be told beforehand."""

from __future__ import annotations

from dataclasses import replace

from attnnn.config import Study
from attnnn.corpora import planted, splits, sst, table
from attnnn.corpora.download import fetch_folder
from attnnn.corpora.texts import SPLITS, Texts
from attnnn.errors import UserError
from attnnn.sources import PlantedSource, SstSource, TableSource


def without_missing(study: Study) -> tuple[Study, list[str]]:
    """The study of the corpora that exist, and where the others were looked for.

    Raises:
        UserError: none exists.
    """
    missing = {name: where for name in study.corpora if (where := _missing(study, name))}
    found = {name: corpus for name, corpus in study.corpora.items() if name not in missing}
    told = [f"{name}: {where} does not exist" for name, where in missing.items()]
    if not found:
        raise UserError(f"no corpus was found: {'; '.join(told)}; set corpora_dir")
    return study.model_copy(update={"corpora": found}), told


def _missing(study: Study, corpus: str) -> str | None:
    source = study.corpora[corpus].source
    if source.place is None or source.may_fetch:
        return None
    path = study.source_path(source.place)
    return None if path.exists() else str(path)


def require_source(study: Study, corpus: str) -> None:
    """Look at a source without reading it whole.

    Raises:
        UserError: a missing file or column, or settings that cannot be met.
    """
    settings, protocol = study.corpora[corpus], study.protocol_of(corpus)
    source = settings.source
    low, high = settings.min_length, settings.max_length
    if low is not None and high is not None and low + 2 * protocol.strict_length_filter > high:
        raise UserError(
            f"min_length {low} and max_length {high} leave no document"
            + (" between them (strict_length_filter)" if protocol.strict_length_filter else "")
        )
    if isinstance(source, PlantedSource):
        if settings.tokenizer != "whitespace":
            raise UserError(
                f"tokenizer {settings.tokenizer}: planted documents carry their truth token by token; "
                "set tokenizer: whitespace"
            )
        planted.require_planted(source)
    elif isinstance(source, SstSource):
        folder = study.source_path(source.path)
        if folder.exists() or not source.download:
            sst.require_sst(folder)
    else:
        path = study.source_path(source.path)
        table.require_table_source(path, source)
        if protocol.train_part == "undivided":
            splits.require_dev(protocol, table.gives_dev(path, source))


def read_source(study: Study, corpus: str) -> Texts:
    """The documents of a corpus with their splits; fetched first where that is asked for.

    Raises:
        UserError: a fault of the source, with its file and row.
    """
    require_source(study, corpus)
    source = study.corpora[corpus].source
    if isinstance(source, PlantedSource):
        return planted.generate(source)
    path = study.source_path(source.path)
    if isinstance(source, TableSource):
        undivided = study.protocol_of(corpus).train_part == "undivided"
        return table.read_table_source(path, source, undivided=undivided)
    if source.download and not path.exists():
        files = [f"{split}.txt" for split in SPLITS]
        fetch_folder(source.url, path, sha256=source.sha256, files=files)
    documents = sst.read_sst(path)
    return replace(documents, facts={**documents.facts, "folder": source.path})


def name_of_source(study: Study, corpus: str) -> str:
    """The source's file or folder, as errors name it."""
    source = study.corpora[corpus].source
    return "source" if source.place is None else str(study.source_path(source.place))
