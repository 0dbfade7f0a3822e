"""The one long shape of every published table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Fact:
    """One number of the study.

    Attributes:
        corpus: name of the corpus.
        setting: what was varied, as ``key=value`` words or a plain name.
        metric: what was measured.
        value: the number; None where there is none, and the metric or n says why.
        low: lower end of its 95 % interval; None where it has none.
        high: upper end.
        n: how many documents (or seeds) it rests on.
        published: the papers' number; None where they print none.
    """

    corpus: str
    setting: str
    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    published: float | None = None


COLUMNS = tuple(field.name for field in fields(Fact))


class LongTable:
    """Facts in order, found again by corpus, setting and metric."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        """Keep the facts.

        Raises:
            ValueError: two facts are about the same thing.
        """
        self._facts: dict[tuple[str, str, str], Fact] = {}
        for fact in facts:
            key = (fact.corpus, fact.setting, fact.metric)
            if key in self._facts:
                raise ValueError(f"two facts about {key}")
            self._facts[key] = fact

    def __iter__(self) -> Iterator[Fact]:
        return iter(self._facts.values())

    def __len__(self) -> int:
        return len(self._facts)

    def get(self, corpus: str, setting: str, metric: str) -> Fact | None:
        """One fact, or None."""
        return self._facts.get((corpus, setting, metric))

    def settings(self, corpus: str) -> list[str]:
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


def _cell(value: str | float | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.8g}"
