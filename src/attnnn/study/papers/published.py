"""The papers' printed numbers, to stand beside ours.

``published.csv`` holds every number of the tables of Wiegreffe & Pinter 2019 (tables 1-5) and of
Jain & Wallace 2019 (table 2), one per row, and the entries of the vocabularies that Jain & Wallace's released
preprocessing makes (table release), which no paper prints. Datasets carry one spelling,
Wiegreffe & Pinter's, or for those that they do not use Jain & Wallace's; classes are 0, 1, … or ``all`` where
the paper says so.

``published_grid.csv`` holds what Jain & Wallace put online of every encoder with every attention: unrounded,
of later runs than their paper's, selected on dev. Models carry our names (for lstm, average and cnn(1,3,5,7),
tanh and dot). Of their 102 runs, 30 are on corpora that neither paper prints (hip and knee surgery,
mortality, readmission, phenotyping) and have no counterpart here. Of the other 72, nine mean τ are not
numbers, and so are not in the file.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Literal

Paper = Literal["wiegreffe_pinter_2019", "jain_wallace_2019"]
# Corpora whose classes the paper numbers in an order that is not known, so that its numbers by class cannot
# stand beside ours: SNLI's were numbered in the order of a Python set.
UNMAPPED_CLASSES = frozenset({"SNLI"})
_Key = tuple[str, str, str, str, float | None, str, str]


def published(
    dataset: str | None,
    *,
    paper: Paper = "wiegreffe_pinter_2019",
    table: str,
    metric: str,
    setting: str = "",
    class_: str = "",
    lambda_: float | None = None,
) -> float | None:
    """One printed number, or None where the paper prints none.

    Args:
        dataset: the papers' name of the corpus; None where ours is not among theirs.
        paper: which paper.
        table: its table, as numbered there; or release.
        metric: for instance f1_pos, tvd_mean, jsd_mean, kendall_tau_mean.
        setting: row or column of the table, for instance uniform_lstm; empty where there is one.
        class_: 0, 1, … or all; empty where the number is not by class.
        lambda_: λ of the row; None where the number belongs to none.
    """
    if dataset is None:
        return None
    return _facts().get((paper, table, dataset, class_, lambda_, setting, metric))


def published_of_grid(dataset: str | None, *, model: str, metric: str) -> float | None:
    """One number of the grid that Jain & Wallace put online, or None where it has none.

    Args:
        dataset: as for `published`.
        model: our name of the encoder with the attention, for instance cnn-dot.
        metric: accuracy; of two classes f1 (of class 1) and auc; or the mean τ over all test documents as
            tau_attention_gradient, tau_attention_leave_one_out, tau_gradient_leave_one_out. In the
            authors' table CorrStats these are rows al, ag and gl: its a is attention, but its g is
            leave-one-out in ag, and its l the gradient in al.
    """
    return None if dataset is None else _grid().get((dataset, model, metric))


def published_lambda(dataset: str | None) -> float | None:
    """The λ of Wiegreffe & Pinter's table 4: highest F1 at a mean JSD of at least .4."""
    found = [key[4] for key in _facts() if key[1] == "4" and key[2] == dataset]
    return found[0] if found else None


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = files("attnnn.study.papers").joinpath(name).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines())


@cache
def _grid() -> dict[tuple[str, str, str], float]:
    return {
        (row["dataset"], row["model"], row["metric"]): float(row["value"])
        for row in _rows("published_grid.csv")
    }


@cache
def _facts() -> dict[_Key, float]:
    return {
        (
            row["paper"],
            row["table"],
            row["dataset"],
            row["class"],
            float(row["lambda"]) if row["lambda"] else None,
            row["setting"],
            row["metric"],
        ): float(row["value"])
        for row in _rows("published.csv")
    }
