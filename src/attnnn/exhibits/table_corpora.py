"""Table 1 of Wiegreffe & Pinter 2019: the corpora."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.exhibits.long_table import Fact, LongTable
from attnnn.exhibits.published import published
from attnnn.exhibits.results import Results, Table
from attnnn.exhibits.typeset import Sheet, measured, protocol_phrase

SPLITS = ("train", "dev", "test")


def dataset_statistics(results: Results) -> LongTable:
    """Documents by split and class, tokens a document, and the size of the vocabulary."""
    return LongTable(fact for corpus in results.study.corpora for fact in _corpus(results, corpus))


def _corpus(results: Results, corpus: str) -> Iterator[Fact]:
    description = results.description(corpus)
    dataset = results.study.corpora[corpus].published
    for split in SPLITS:
        documents = results.documents(corpus, split)
        for class_ in range(len(description["classes"])):
            printed = published(dataset, table="1", metric=f"{split}_size", class_=str(class_))
            size = int((documents.ints("label") == class_).sum())
            setting = f"split={split} class={class_}"
            yield Fact(corpus, setting, "documents", size, n=len(documents), published=printed)
        if len(documents):
            yield from _lengths(corpus, split, documents, dataset)
    vocabulary = int(description["vocabulary"]["size"])
    yield Fact(corpus, "all", "vocabulary_size", vocabulary)


def _lengths(corpus: str, split: str, documents: Table, dataset: str | None) -> Iterator[Fact]:
    lengths = documents.ragged("token_ids").lengths
    printed = None
    if split == "train":
        printed = published(dataset, table="1", metric="avg_length_tokens")
    setting, n = f"split={split}", len(documents)
    yield Fact(corpus, setting, "mean_tokens", float(np.mean(lengths)), n=n, published=printed)
    yield Fact(corpus, setting, "min_tokens", int(lengths.min()), n=n)
    yield Fact(corpus, setting, "max_tokens", int(lengths.max()), n=n)


def dataset_statistics_sheet(results: Results, table: LongTable) -> Sheet:
    """Table 1 for people."""
    rows = []
    for corpus in results.study.corpora:
        classes = results.description(corpus)["classes"]
        sizes = [
            " / ".join(
                measured(table.get(corpus, f"split={split} class={k}", "documents"), 0)
                for k in range(len(classes))
            )
            for split in SPLITS
        ]
        mean = table.get(corpus, "split=train", "mean_tokens")
        length = measured(mean, 1, published=False)
        if mean is not None and mean.published is not None:
            length += f" ({mean.published:.0f})"
        vocabulary = measured(table.get(corpus, "all", "vocabulary_size"), 0)
        rows.append([corpus, " / ".join(classes), length, *sizes, vocabulary])
    return Sheet(
        name="table1",
        caption="The corpora: mean tokens a training document, documents by class (class 0 / class 1) "
        f"and words of the vocabulary. {protocol_phrase(results.study)}",
        columns=["corpus", "classes", "tokens", *SPLITS, "vocabulary"],
        rows=rows,
        text_columns=2,
        notes=["In parentheses: Wiegreffe & Pinter 2019, table 1."],
    )
