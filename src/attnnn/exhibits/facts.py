"""The one long shape of every published table: facts, each about a corpus, a setting and a metric."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any

from attnnn.exhibits.finished import Results
from attnnn.study.model import format_lambda

# What a setting is called, beside what was varied.
NAME = "name"


class Setting(Mapping[str, Any]):
    """What was varied: a name, factors with their values, or both. Text in the csv file only.

    >>> str(Setting("searched", epsilon=0.05, predicted="all"))
    'searched epsilon=0.05 predicted=all'

    Args:
        name: of a setting that has one.
        factors: by name, without a trailing underscore (``lambda_``); those that are None are left out.
    """

    def __init__(self, name: str | None = None, /, **factors: Any) -> None:
        items = {NAME: name, **{key.removesuffix("_"): value for key, value in factors.items()}}
        self._items = {key: value for key, value in items.items() if value is not None}

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Setting) and self._items == other._items

    def __str__(self) -> str:
        words = [_text(v) if k == NAME else f"{k}={_text(v)}" for k, v in self._items.items()]
        return " ".join(words)

    def but(self, **factors: Any) -> Setting:
        """The same with other factors."""
        items = {**self._items, **factors}
        return Setting(items.pop(NAME, None), **items)


def _text(value: Any) -> str:
    return format_lambda(value) if isinstance(value, float) else str(value)


ALL = Setting("all")


@dataclass(frozen=True)
class Fact:
    """One number of the study.

    Attributes:
        corpus: name of the corpus.
        setting: what was varied.
        metric: what was measured.
        value: the number; None where there is none, and the metric or n says why.
        low: lower end of its 95 % interval; None where it has none.
        high: upper end.
        n: how many documents (or seeds) it rests on.
        published: the papers' number; None where they print none.
    """

    corpus: str
    setting: Setting
    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    published: float | None = None


COLUMNS = tuple(field.name for field in fields(Fact))


class Facts:
    """Facts in order, found again by corpus, setting and metric."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        """Keep the facts.

        Raises:
            ValueError: two facts are about the same thing.
        """
        self._facts: dict[tuple[str, Setting, str], Fact] = {}
        for fact in facts:
            key = (fact.corpus, fact.setting, fact.metric)
            if key in self._facts:
                raise ValueError(f"two facts about {fact.corpus} {fact.setting} {fact.metric}")
            self._facts[key] = fact

    def __iter__(self) -> Iterator[Fact]:
        return iter(self._facts.values())

    def __len__(self) -> int:
        return len(self._facts)

    def get(self, corpus: str, setting: Setting, metric: str) -> Fact | None:
        """One fact, or None."""
        return self._facts.get((corpus, setting, metric))

    def settings(self, corpus: str) -> list[Setting]:
        """The settings of a corpus, in order, without repetition."""
        return list(dict.fromkeys(fact.setting for fact in self if fact.corpus == corpus))

    def csv(self) -> str:
        """The table as comma-separated values; an empty cell where there is no number."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for fact in self:
            writer.writerow([_cell(getattr(fact, name)) for name in COLUMNS])
        return text.getvalue()


def of_each_corpus(
    of_one: Callable[[Results, str], Iterable[Fact]],
) -> Callable[[Results], Facts]:
    """Make a table's facts of all corpora that it shows, one after the other, out of those of one."""

    @wraps(of_one)
    def of_all(results: Results) -> Facts:
        return Facts(fact for corpus in results.study.corpora for fact in of_one(results, corpus))

    return of_all


def _cell(value: Setting | str | float | None) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, (str, Setting)) else f"{value:.8g}"
