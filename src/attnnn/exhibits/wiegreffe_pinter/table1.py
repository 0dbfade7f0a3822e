"""Table 1 of Wiegreffe & Pinter 2019: the corpora."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.dag.exhibit import TableExhibit
from attnnn.exhibits import needs
from attnnn.exhibits.facts import ALL, Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Results, Table
from attnnn.exhibits.sheet import Sheet, measured, protocol_phrase
from attnnn.study.papers.published import published

SPLITS = ("train", "dev", "test")


@of_each_corpus
def dataset_statistics(results: Results, corpus: str) -> Iterator[Fact]:
    """Documents by split and class, tokens per document, and the size of the vocabulary."""
    description = results.description(corpus)
    dataset = results.study.corpora[corpus].published
    for split in SPLITS:
        documents = results.documents(corpus, split)
        for class_ in range(len(description["classes"])):
            printed = published(dataset, table="1", metric=f"{split}_size", class_=str(class_))
            size = int((documents.ints("label") == class_).sum())
            setting = Setting(split=split, class_=class_)
            yield Fact(corpus, setting, "documents", size, n=len(documents), published=printed)
        if len(documents):
            yield from _lengths(corpus, split, documents, dataset)
    vocabulary = int(description["vocabulary"]["size"])
    yield Fact(corpus, ALL, "vocabulary_size", vocabulary)


def _lengths(corpus: str, split: str, documents: Table, dataset: str | None) -> Iterator[Fact]:
    lengths = documents.ragged("token_ids").lengths
    printed = None
    if split == "train":
        printed = published(dataset, table="1", metric="avg_length_tokens")
    setting, n = Setting(split=split), len(documents)
    yield Fact(corpus, setting, "mean_tokens", float(np.mean(lengths)), n=n, published=printed)
    yield Fact(corpus, setting, "min_tokens", int(lengths.min()), n=n)
    yield Fact(corpus, setting, "max_tokens", int(lengths.max()), n=n)


def dataset_statistics_sheet(results: Results, table: Facts) -> Sheet:
    """Table 1 for people."""
    rows = []
    for corpus in results.study.corpora:
        classes = results.description(corpus)["classes"]
        sizes = [
            " / ".join(
                measured(table.get(corpus, Setting(split=split, class_=k), "documents"), 0)
                for k in range(len(classes))
            )
            for split in SPLITS
        ]
        mean = table.get(corpus, Setting(split="train"), "mean_tokens")
        length = measured(mean, 1, published=False)
        if mean is not None and mean.published is not None:
            length += f" ({mean.published:.0f})"
        vocabulary = measured(table.get(corpus, ALL, "vocabulary_size"), 0)
        rows.append([corpus, " / ".join(classes), length, *sizes, vocabulary])
    return Sheet(
        caption="The corpora: mean tokens per training document, documents by class (class 0 / class 1) "
        f"and words of the vocabulary. {protocol_phrase(results.study)}",
        columns=["corpus", "classes", "tokens", *SPLITS, "vocabulary"],
        rows=rows,
        text_columns=2,
        notes=["In parentheses: Wiegreffe & Pinter 2019, table 1."],
    )


EXHIBIT = TableExhibit(
    papers=("wiegreffe-pinter",),
    question="What are the corpora?",
    caption="The corpora: mean tokens per training document, documents by split and class, and words of "
    "the vocabulary. The papers' sizes are in parentheses.",
    needs=needs.described_documents,
    facts=dataset_statistics,
    sheet=dataset_statistics_sheet,
)
