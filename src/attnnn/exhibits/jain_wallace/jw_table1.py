"""Table 1 of Jain & Wallace 2019: the corpora, and how well the base model does on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attnnn.dag.exhibit import TableExhibit
from attnnn.dag.stage import Artifact
from attnnn.exhibits import needs
from attnnn.exhibits.facts import ALL, Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Results
from attnnn.exhibits.performance import f1_and_accuracy
from attnnn.exhibits.sheet import Sheet, measured, number, protocol_phrase
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.study.config import Study
from attnnn.study.model import BASE
from attnnn.study.papers.published import published
from attnnn.study.runs import base_run

_SPLITS = ("train", "test")
# More classes are counted, not listed.
_MOST_NAMED = 4
_NOTES = [
    "Corpora with more than two classes have no F1 of class 1; the csv file has their macro-F1 and the "
    "documents of every class. Answers: words or entities that a question may be answered with. For more "
    "than four classes or answers, in parentheses after the number of documents: how many of them any "
    "document has.",
]


@of_each_corpus
def characteristics(results: Results, corpus: str) -> Iterator[Fact]:
    """Vocabulary, mean length, documents of each class in train and test, and test scores."""
    study = results.study
    description, dataset = results.description(corpus), study.corpora[corpus].published
    yield Fact(corpus, ALL, "vocabulary_size", int(description["vocabulary"]["size"]))
    for split in _SPLITS:
        facts = description["splits"][split]
        printed = None
        if split == "train":
            printed = published(dataset, table="1", metric="avg_length_tokens")
        length, n = float(facts["tokens"]["mean"]), int(facts["documents"])
        yield Fact(corpus, Setting(split=split), "mean_tokens", length, n=n, published=printed)
        for number_, class_ in enumerate(description["classes"]):
            printed = published(dataset, table="1", metric=f"{split}_size", class_=str(number_))
            size = int(facts["per_class"][class_])
            setting = Setting(split=split, class_=number_)
            yield Fact(corpus, setting, "documents", size, n=n, published=printed)
    base = base_run(study, corpus)
    reported = published(dataset, table="2", setting="jw_reported", metric="f1_pos")
    yield from f1_and_accuracy(results, base, Setting(model=base.model.name), reported)


def characteristics_sheet(results: Results, table: Facts) -> Sheet:
    """Jain & Wallace's table 1 for people."""
    model = Setting(model=BASE.name)
    rows = []
    for corpus in results.study.corpora:
        classes, word = results.description(corpus)["classes"], _word(results, corpus)
        mean = table.get(corpus, Setting(split="train"), "mean_tokens")
        length = measured(mean, 1, published=False)
        if mean is not None and mean.published is not None:
            length += f" ({mean.published:.0f})"
        rows.append(
            [
                corpus,
                _class_names(classes, word),
                measured(table.get(corpus, ALL, "vocabulary_size"), 0),
                length,
                *(_sizes(table, corpus, split, len(classes), word) for split in _SPLITS),
                measured(table.get(corpus, model, "f1")),
                measured(table.get(corpus, model, "accuracy")),
            ]
        )
    return Sheet(
        caption="The corpora: words of the vocabulary, mean tokens per training document, documents by class "
        "(class 0 / class 1 …), and F1 of class 1 and accuracy of the BiLSTM with additive attention on the "
        f"test split. {protocol_phrase(results.study)}",
        columns=["corpus", "classes", "vocabulary", "tokens", *_SPLITS, "F1", "accuracy"],
        rows=rows,
        text_columns=2,
        notes=[
            *_NOTES[: any(map(results.multiclass, results.study.corpora))],
            "In brackets: 95 % percentile bootstrap interval over test documents. In parentheses: sizes "
            "and lengths of Wiegreffe & Pinter 2019, table 1, who use the same corpora, and Jain & "
            "Wallace's F1 as they quote it in table 2.",
        ],
    )


def _word(results: Results, corpus: str) -> str:
    """What the classes of a corpus are called where they are too many to name."""
    return "answers" if results.study.corpora[corpus].source.pairs else "classes"


def _class_names(classes: Sequence[str], word: str) -> str:
    return " / ".join(classes) if len(classes) <= _MOST_NAMED else f"{len(classes)} {word}"


def _sizes(table: Facts, corpus: str, split: str, classes: int, word: str) -> str:
    facts = [
        table.get(corpus, Setting(split=split, class_=class_), "documents")
        for class_ in range(classes)
    ]
    if classes > _MOST_NAMED:
        whole = table.get(corpus, Setting(split=split), "mean_tokens")
        given = sum(fact is not None and bool(fact.value) for fact in facts)
        assert whole is not None
        return f"{whole.n} ({given} {word})"
    shown = " / ".join(measured(fact, 0, published=False) for fact in facts)
    printed = [fact.published for fact in facts if fact is not None]
    if None in printed:
        return shown
    return f"{shown} ({' / '.join(number(value, 0) for value in printed)})"


def _needs(study: Study, corpus: str) -> list[Artifact]:
    description = PREPARE.made("description", corpus)
    return [description, *needs.predictions([base_run(study, corpus)])]


EXHIBIT = TableExhibit(
    papers=("jain-wallace",),
    question="What are the corpora, and how well does the base model do on them?",
    caption="The corpora: words of the vocabulary, mean tokens per training document, documents by class,"
    " and F1 of class 1 and accuracy of the BiLSTM with additive attention on the test split. "
    "Intervals are 95 % percentile bootstrap intervals over test documents.",
    needs=_needs,
    settings=frozenset({"base_seed", "bootstrap"}),
    facts=characteristics,
    sheet=characteristics_sheet,
)
