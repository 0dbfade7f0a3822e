"""Scores of a run's predictions on the test split."""

from __future__ import annotations

from collections.abc import Iterator

from attnnn.exhibits.facts import Fact, Setting
from attnnn.exhibits.intervals import Resampling
from attnnn.exhibits.results import Results
from attnnn.measures import accuracy, f1_score, macro_f1
from attnnn.study.model import Run


def run_f1(results: Results, run: Run, setting: Setting, printed: float | None) -> Fact:
    """F1 of one run on the test split, with its bootstrap interval over documents."""
    test = results.predictions(run)
    label, predicted = test.ints("label"), test.predicted
    low, high = Resampling(results.study, run.corpus).f1(label, predicted)
    value = float(f1_score(label, predicted))
    return Fact(run.corpus, setting, "f1", value, low, high, len(test), printed)


def scores(results: Results, run: Run, setting: Setting, reported: float | None) -> Iterator[Fact]:
    """F1 of class 1 (for more than two classes macro-F1) and accuracy of a run on the test split."""
    test, resampling = results.predictions(run), Resampling(results.study, run.corpus)
    label, predicted = test.ints("label"), test.predicted
    if results.multiclass(run.corpus):
        interval = resampling.macro_f1(label, predicted)
        value = float(macro_f1(label, predicted))
        yield Fact(run.corpus, setting, "macro_f1", value, *interval, len(test))
    else:
        yield run_f1(results, run, setting, reported)
    share = float(accuracy(label, predicted))
    interval = resampling.accuracy(label, predicted)
    yield Fact(run.corpus, setting, "accuracy", share, *interval, len(test))
