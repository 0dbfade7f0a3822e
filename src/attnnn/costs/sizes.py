"""How large the corpora of a study are, known or estimated before anything has been prepared."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from attnnn.corpora.planted import words_of
from attnnn.corpora.prepare_settings import PrepareSettings
from attnnn.corpora.readers import read_source
from attnnn.corpora.texts import SPLITS, naming
from attnnn.dag.work import CorpusSize
from attnnn.errors import UserError
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.study.config import Study
from attnnn.study.papers.published import published
from attnnn.study.sources import MimicSource, PlantedSource, TableSource
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import read_table_of

Lengths = NDArray[np.int64]

# Entries of the vocabularies of Jain & Wallace's released preprocessing, which the papers do not print.
_PUBLISHED_VOCABULARY = {
    "SST": 13_826,
    "IMDb": 12_487,
    "20News": 6_515,
    "AgNews": 13_715,
    "Diabetes": 18_888,
    "Anemia": 16_274,
}
# Spread of the logarithm of document lengths, where only their mean is known: as in IMDb.
_SPREAD = 0.55
# Padding, unknown, start and end.
_SYMBOLS = 4
# Texts whose words are counted, at even distances.
_COUNTED = 5000
_WORDS = re.compile(r"[\w']+|[^\w\s]")


def sizes_of(study: Study) -> tuple[dict[str, CorpusSize], list[str]]:
    """The size of every corpus whose size can be known, and in words which are left out.

    A prepared corpus is measured, a planted one is as configured, and files of texts are read; where there
    is no file, the papers' Table 1 stands in for a corpus of theirs (key `published`).

    Raises:
        UserError: nothing is known of a corpus, and the study would refuse it too.
    """
    found: dict[str, CorpusSize] = {}
    left_out: list[str] = []
    for corpus in study.corpora:
        with naming(f"corpus {corpus}"):
            size = _prepared(study, corpus) or _source(study, corpus) or _published(study, corpus)
        reason = _unknown(study, corpus)
        if size is not None:
            found[corpus] = size
        elif study.missing_corpora == "leave_out":
            left_out.append(f"{corpus}: {reason}")
        else:
            raise UserError(
                f"corpus {corpus}: {reason}, so nothing is known of its size; set corpora_dir, or "
                "`published` to plan with the size that the papers print, or prepare it first"
            )
    if not found:
        raise UserError(f"no corpus was found: {'; '.join(left_out)}; set corpora_dir")
    return found, left_out


def _prepared(study: Study, corpus: str) -> CorpusSize | None:
    """Of prepared documents, unless they were prepared under other settings."""
    job = PREPARE.job(study, corpus)
    if not (job.path("description").is_file() and job.path("documents").is_file()):
        return None
    description = json.loads(job.path("description").read_text(encoding="utf-8"))
    if description.get("settings") != job.settings.model_dump(mode="json"):
        return None
    made = job.outputs["documents"]
    table = read_table_of(job.path("documents"), made.schemas, columns={"split", "token_ids"})
    lengths = Ragged.from_arrow(table["token_ids"]).lengths
    split = np.array(table["split"].to_pylist())
    dropped = sum(item["count"] for item in description["dropped"])
    return CorpusSize(
        {name: lengths[split == name] for name in SPLITS},
        description["vocabulary"]["size"],
        float(lengths.sum() * (1 + dropped / len(lengths))),
        "prepared",
    )


def _source(study: Study, corpus: str) -> CorpusSize | None:
    """Of planted documents, or of texts that are there; clinical notes are too many to read."""
    settings, folder = PREPARE.settings(study, corpus), Path(study.corpora_dir)
    source = settings.source
    if isinstance(source, PlantedSource):
        return _planted(source)
    place = folder / (source.place or "")
    if isinstance(source, MimicSource) or source.missing(folder) or not place.exists():
        return None
    return _counted(settings, folder)


def _planted(source: PlantedSource) -> CorpusSize:
    """Lengths are drawn evenly between the bounds."""
    sizes = {"train": source.train, "dev": source.dev, "test": source.test}
    span = source.max_tokens - source.min_tokens + 1
    splits = {
        split: source.min_tokens + np.arange(size, dtype=np.int64) * span // size
        for split, size in sizes.items()
    }
    read = float(sum(lengths.sum() for lengths in splits.values()))
    return CorpusSize(splits, _SYMBOLS + words_of(source.regime), read, "the configuration")


def _counted(settings: PrepareSettings, folder: Path) -> CorpusSize:
    """Texts read as they will be, their words counted roughly: no tokenizer is loaded."""
    documents = read_source(settings, folder)
    texts = list(documents.texts)
    chosen = np.arange(len(texts))[:: max(1, len(texts) // _COUNTED)]
    words = [_words(texts[row], settings.tokenizer) for row in chosen]
    lengths = np.array([len(text) for text in words], dtype=np.int64)
    # Every text is as long as those counted of its size in characters.
    characters = np.array([len(text) for text in texts])
    per_character = lengths.sum() / max(1, characters[chosen].sum())
    whole = np.rint(characters * per_character).astype(np.int64)
    whole[chosen] = lengths
    splits = {s: _kept(whole[documents.splits == s], settings) for s in SPLITS}
    training = documents.splits[chosen] == "train"
    share = training.sum() / max(1, (documents.splits == "train").sum())
    counted = [word for word, kept in zip(words, training, strict=True) if kept]
    if documents.questions is not None:
        asked = list(documents.questions.texts)
        rows = chosen[training]
        counted += [_words(asked[row], settings.tokenizer) for row in rows]
    counts = _document_frequencies(counted)
    vocabulary = _SYMBOLS + int((counts >= max(settings.min_df * share, 1)).sum())
    origin = f"{len(chosen)} of its {len(texts)} texts"
    return CorpusSize(splits, vocabulary, float(whole.sum()), origin)


def _words(text: str, tokenizer: str) -> list[str]:
    if tokenizer == "whitespace":
        return text.split()
    found = _WORDS.findall(text.lower())
    return found if tokenizer == "papers" else [word for word in found if word[0].isalnum()]


def _document_frequencies(documents: list[list[str]]) -> Lengths:
    """How many documents hold each distinct word."""
    words = pa.array([word for document in documents for word in set(document)], pa.string())
    counts = pc.value_counts(words)
    return np.array([entry["counts"] for entry in counts.to_pylist()], dtype=np.int64)


def _kept(lengths: Lengths, settings: PrepareSettings) -> Lengths:
    """The documents that the length filter keeps."""
    strict = settings.strict_length_filter
    low = settings.min_length or 0
    high = settings.max_length or int(lengths.max(initial=0)) + strict
    return lengths[(lengths >= low + strict) & (lengths <= high - strict)]


def _published(study: Study, corpus: str) -> CorpusSize | None:
    """The papers' Table 1, whose sizes are those after their length filter."""
    settings, dataset = study.corpora[corpus], study.corpora[corpus].published
    if dataset not in _PUBLISHED_VOCABULARY:
        return None
    documents = {
        split: round(
            sum(
                published(dataset, table="1", class_=class_, metric=f"{split}_size") or 0
                for class_ in ("0", "1")
            )
        )
        for split in ("train", "test")
    }
    mean = published(dataset, table="1", metric="avg_length_tokens") or 0
    if study.protocol_of(corpus).train_part == "minus_dev":
        share = settings.source.dev_share if isinstance(settings.source, TableSource) else 0.15
        documents["dev"] = round(share * documents["train"])
        documents["train"] -= documents["dev"]
    splits = {split: spread(mean, size) for split, size in documents.items()}
    read = float(sum(lengths.sum() for lengths in splits.values()))
    origin = f"the papers' Table 1, as {_unknown(study, corpus)}"
    return CorpusSize(splits, _PUBLISHED_VOCABULARY[dataset], read, origin)


def spread(mean: float, documents: int) -> Lengths:
    """Lengths of a corpus of which only the mean is known: evenly spaced log-normal quantiles."""
    normal = NormalDist(-(_SPREAD**2) / 2, _SPREAD)
    shares = np.array([normal.inv_cdf((rank + 0.5) / 200) for rank in range(200)])
    lengths = np.maximum(np.rint(mean * np.exp(shares)), 1).astype(np.int64)
    return np.asarray(lengths[np.arange(documents) * 200 // max(1, documents)])


def _unknown(study: Study, corpus: str) -> str:
    """Why a source tells nothing."""
    source, folder = study.corpora[corpus].source, Path(study.corpora_dir)
    missing = source.missing(folder)
    if missing is None and source.place is not None and not (folder / source.place).exists():
        missing = str(folder / source.place)
    if missing is not None:
        return f"{missing} does not exist"
    return f"its kind of source, {source.kind}, is not counted"
