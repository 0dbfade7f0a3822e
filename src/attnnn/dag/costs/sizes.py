"""How large the corpora of a study are, known or estimated before anything has been prepared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from attnnn.corpora.planted import words_of
from attnnn.dag.costs import pairs, sources
from attnnn.dag.layout import Layout
from attnnn.errors import UserError
from attnnn.exhibits.published import published
from attnnn.study import identity
from attnnn.study.config import Study
from attnnn.study.sources import (
    BabiSource,
    CnnSource,
    PlantedSource,
    SnliSource,
    SstSource,
    TableSource,
)
from attnnn.tables import schemas
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


@dataclass(frozen=True)
class CorpusSize:
    """What there is to read, train on and explain.

    Attributes:
        splits: by split the number of tokens n of every document, shape (documents,).
        vocabulary: ids of words and symbols, V.
        read: tokens of the source, those of documents that are left out later too.
        origin: in words, where these numbers are from.
    """

    splits: Mapping[str, Lengths]
    vocabulary: int
    read: float
    origin: str

    def lengths(self, split: str) -> Lengths:
        """Lengths of the documents of a split; none where there is no such split."""
        return self.splits.get(split, np.zeros(0, np.int64))

    @property
    def all_lengths(self) -> Lengths:
        """Lengths of all documents."""
        return np.concatenate([np.zeros(0, np.int64), *self.splits.values()])


def sizes_of(study: Study) -> tuple[dict[str, CorpusSize], list[str]]:
    """The size of every corpus whose size can be known, and in words which are left out.

    A corpus that was prepared is measured; a planted one is as configured; files of texts are looked
    at; where there is no file, the papers' Table 1 stands in for a corpus of theirs (key `published`).

    Raises:
        UserError: nothing is known of a corpus, and the study would refuse it too.
    """
    found: dict[str, CorpusSize] = {}
    left_out: list[str] = []
    for corpus in study.corpora:
        size = _prepared(study, corpus) or _of_source(study, corpus) or _published(study, corpus)
        if size is not None:
            found[corpus] = size
        elif study.missing_corpora == "leave_out":
            left_out.append(f"{corpus}: {_unknown(study, corpus)}")
        else:
            raise UserError(
                f"corpus {corpus}: {_unknown(study, corpus)}, so nothing is known of its size; set "
                "corpora_dir, or `published` to plan with the size that the papers print, or prepare it first"
            )
    if not found:
        raise UserError(f"no corpus was found: {'; '.join(left_out)}; set corpora_dir")
    return found, left_out


def _prepared(study: Study, corpus: str) -> CorpusSize | None:
    """Of prepared documents, unless they were prepared under other settings."""
    layout = Layout(study.results_dir)
    described = Path(layout.corpus(corpus, "description.json"))
    path = layout.corpus(corpus, "documents.parquet")
    if not (described.is_file() and Path(path).is_file()):
        return None
    description = json.loads(described.read_text(encoding="utf-8"))
    if description.get("identity") != json.loads(json.dumps(identity.of_corpus(study, corpus))):
        return None
    kinds = [schemas.DOCUMENTS, schemas.PAIRS]
    table = read_table_of(path, kinds, columns={"split", "token_ids"})
    lengths = Ragged.from_arrow(table["token_ids"]).lengths
    split = np.array(table["split"].to_pylist())
    dropped = sum(item["count"] for item in description["dropped"])
    return CorpusSize(
        {name: lengths[split == name] for name in ("train", "dev", "test")},
        description["vocabulary"]["size"],
        float(lengths.sum() * (1 + dropped / len(lengths))),
        "prepared",
    )


def _of_source(study: Study, corpus: str) -> CorpusSize | None:
    settings = study.corpora[corpus]
    source = settings.source
    if isinstance(source, PlantedSource):
        return _planted(source)
    if not isinstance(source, SstSource | TableSource | BabiSource | SnliSource | CnnSource):
        return None
    path = study.source_path(source.path)
    if not path.exists():
        return None
    undivided = study.protocol_of(corpus).train_part == "undivided"
    if isinstance(source, SstSource):
        counted = sources.count_trees(path)
    elif isinstance(source, BabiSource):
        counted = pairs.count_stories(path, source, undivided=undivided)
    elif isinstance(source, SnliSource | CnnSource):
        counted = pairs.count_lines(study.source_path(""), source, tokenizer=settings.tokenizer)
    else:
        counted = sources.count_table(
            path, source, tokenizer=settings.tokenizer, protocol=study.protocol_of(corpus)
        )
    strict = study.protocol_of(corpus).strict_length_filter
    kept = {
        split: sources.kept(lengths, settings.min_length, settings.max_length, strict=strict)
        for split, lengths in counted.splits.items()
    }
    vocabulary = _SYMBOLS + counted.words(settings.min_df)
    return CorpusSize(kept, vocabulary, counted.read, counted.origin)


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


def _published(study: Study, corpus: str) -> CorpusSize | None:
    """The papers' Table 1, whose sizes are those after their length filter."""
    settings, dataset = study.corpora[corpus], study.corpora[corpus].published
    if dataset not in _PUBLISHED_VOCABULARY:
        return None  # Table 1 is Wiegreffe & Pinter's, who use no pairs and no tweets
    documents = {
        split: sum(
            published(dataset, table="1", class_=class_, metric=f"{split}_size") or 0
            for class_ in ("0", "1")
        )
        for split in ("train", "test")
    }
    mean = published(dataset, table="1", metric="avg_length_tokens") or 0
    if study.protocol_of(corpus).train_part == "minus_dev":
        share = settings.source.dev_share if isinstance(settings.source, TableSource) else 0.15
        documents["dev"] = round(share * documents["train"])
        documents["train"] -= documents["dev"]
    splits = {split: spread(mean, round(size)) for split, size in documents.items()}
    read = float(sum(lengths.sum() for lengths in splits.values()))
    vocabulary = _PUBLISHED_VOCABULARY[dataset]
    origin = f"the papers' Table 1, as {_unknown(study, corpus)}"
    return CorpusSize(splits, vocabulary, read, origin)


def spread(mean: float, documents: int) -> Lengths:
    """Lengths of a corpus of which only the mean is known: evenly spaced log-normal quantiles."""
    normal = NormalDist(-(_SPREAD**2) / 2, _SPREAD)
    shares = [normal.inv_cdf((rank + 0.5) / 200) for rank in range(200)]
    lengths = np.maximum(np.rint(mean * np.exp(shares)), 1).astype(np.int64)
    return sources.stretched(lengths, documents)


def _unknown(study: Study, corpus: str) -> str:
    """Why a source tells nothing."""
    source = study.corpora[corpus].source
    path = getattr(source, "path", None)
    if path is not None and not study.source_path(path).exists():
        return f"{study.source_path(path)} does not exist"
    return f"sources of kind {source.kind} are not counted before they are prepared"
