"""How well a run predicts the test split, and whether a score finds the tokens that are known to matter."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnnn.exhibits.estimates import estimate
from attnnn.exhibits.facts import Fact, Setting
from attnnn.exhibits.finished import Floats, Results
from attnnn.measures import accuracy, f1_score, macro_f1
from attnnn.study.model import Run
from attnnn.tables.ragged import Ragged


def run_f1(results: Results, run: Run, setting: Setting, printed: float | None = None) -> Fact:
    """F1 of class 1 of one run on the test split."""
    test = results.predictions(run)
    columns = test.ints("label"), test.predicted
    return estimate(results.study, run.corpus, setting, "f1", f1_score, *columns, published=printed)


def f1_and_accuracy(
    results: Results, run: Run, setting: Setting, printed: float | None = None
) -> Iterator[Fact]:
    """F1 of class 1 (for more than two classes macro-F1) and accuracy of a run on the test split."""
    study, test = results.study, results.predictions(run)
    columns = test.ints("label"), test.predicted
    if results.multiclass(run.corpus):
        # The mean over the classes that a resample holds.
        yield estimate(study, run.corpus, setting, "macro_f1", macro_f1, *columns)
    else:
        yield run_f1(results, run, setting, printed)
    yield estimate(study, run.corpus, setting, "accuracy", accuracy, *columns)


def hits(scores: Ragged, truth: Ragged) -> Floats:
    """Whether the highest-scoring token of each document decides its label, shape (documents,).

    Where several tokens share the highest score: the share of deciding ones among them, which is the
    chance of a hit when the tie is broken at random.
    """
    highest = scores.values >= np.repeat(scores.maxima(), scores.lengths)
    deciding = scores.with_values(highest & (truth.values == 1))
    return deciding.sums() / scores.with_values(highest).sums()
