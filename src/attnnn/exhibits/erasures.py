"""What erasing attention weights does, as the tables of Serrano & Smith's experiments read it (2019)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import reduce
from operator import and_

import numpy as np
from numpy.typing import NDArray

from attnnn.erasure.flips import Flips
from attnnn.erasure.rankings import SMALLEST
from attnnn.erasure.reasons import Reason, Reasons
from attnnn.erasure.single_weight import Erased
from attnnn.exhibits.facts import Fact, Facts, Setting
from attnnn.exhibits.finished import Results, Table
from attnnn.measures import proportion_interval
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import base_run, erased_runs, network_runs

Flags = NDArray[np.bool_]

# The keys that say which runs' weights are erased, and that of the intervals.
SETTINGS = frozenset(
    {"papers", "grid", "base_seed", "seeds", "adversary_seed", "guide_lambda", "serrano_smith"}
    | {"bootstrap"}
)
# The rankings of the paper's figures.
PAPER_RANKINGS = ("random", "attention", "gradient", "attention_gradient")
INTERVALS_NOTE = "In brackets: 95 % percentile bootstrap interval over documents."
# As sheets show rankings; others follow, and the smallest set is last.
_ORDER = (
    *PAPER_RANKINGS,
    *("contribution", "leave_one_out", "truth", "ascending_attention"),
)
# With more runs, a sheet of many rows per run leaves those of other papers to the csv file.
_MOST_SHOWN = 8
_CODES = {reason.words or None: reason for reason in Reason}


def setting_of(run: Run, **factors: str | int | None) -> Setting:
    """The setting of a fact about a run: model, seed and λ, and what else was varied."""
    return Setting(model=run.model.name, seed=run.seed, lambda_=run.model.lambda_, **factors)


def shown_runs(study: Study, corpus: str) -> list[Run]:
    """The runs in a sheet of many rows per run: of many, Serrano & Smith's networks and the base model."""
    runs = erased_runs(study, corpus)
    if len(runs) <= _MOST_SHOWN:
        return runs
    chosen = {*network_runs(study, corpus), base_run(study, corpus)}
    return [run for run in runs if run in chosen] or runs


def shown_runs_note(study: Study) -> list[str]:
    """What such a sheet says where it leaves runs to the csv file."""
    if all(shown_runs(study, name) == erased_runs(study, name) for name in study.corpora):
        return []
    return [
        "Shown: Serrano & Smith's networks and the base model. The csv file has the other runs."
    ]


def words(name: str) -> str:
    """A rule or a ranking for people."""
    return {"attention_gradient": "attention × gradient"}.get(name, name.replace("_", " "))


def p_words(value: float | None) -> str:
    """A p-value for people."""
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def scaled(fact: Fact | None, factor: float) -> Fact | None:
    """A fact in another unit, as a share in per cent."""
    if fact is None:
        return None
    value, low, high = (
        None if number is None else factor * number for number in (fact.value, fact.low, fact.high)
    )
    return replace(fact, value=value, low=low, high=high)


def share(corpus: str, setting: Setting, metric: str, count: int, n: int) -> Fact:
    """A share of documents with its exact interval (Clopper-Pearson), which has a width at 0 and at 1 too."""
    if not n:
        return Fact(corpus, setting, metric, None, n=0)
    low, high = map(float, proportion_interval(count, n))
    return Fact(corpus, setting, metric, count / n, low, high, n)


def rules(table: Table) -> dict[str, Erased]:
    """The single weights that are erased, by name of the rule; the random ones one column per draw.

    Args:
        table: of `Results.erased`.
    """
    return {name: _erased(table.where("rule", name)) for name in _names(table, "rule")}


def _erased(table: Table) -> Erased:
    draws = [table.where("draw", draw) for draw in range(int(table.ints("draw").max()) + 1)]
    return Erased(
        position=np.stack([draw.ints("position") for draw in draws], axis=1),
        weight=np.stack([draw.floats("weight") for draw in draws], axis=1),
        js=np.stack([draw.floats("js") for draw in draws], axis=1),
        flips=np.stack([draw.flags("flips") for draw in draws], axis=1),
        reason=_reasons(draws[0]),
    )


def rankings(table: Table) -> dict[str, Flips]:
    """The first flips of every document, by name of the ranking, in the order of the stage.

    Args:
        table: of `Results.ranked`.
    """
    found = {}
    for name in _names(table, "ranking"):
        rows = table.where("ranking", name)
        found[name] = Flips(
            rows.ints("count"), rows.floats("fraction"), rows.floats("mass"), _reasons(rows)
        )
    return found


def predicted(table: Table) -> NDArray[np.int64]:
    """The predicted class of every document of a table of `Results.ranked`."""
    return table.where("ranking", "attention").ints("predicted")


def _names(table: Table, column: str) -> list[str]:
    return [str(name) for name in table.arrow[column].unique().to_pylist()]


def _reasons(table: Table) -> Reasons:
    return np.array([_CODES[text] for text in table.texts("reason")], dtype=np.int8)


def summarised(results: Results, corpus: str, flips: dict[str, Flips]) -> dict[str, Flags]:
    """The documents over which each ranking is summarised, by its name.

    Those whose decision it changes: all of them where switch per_ranking_subset is set, as published, or
    only those whose decision every ranking of the paper changes.
    """
    changed = {name: one.reason == Reason.NONE for name, one in flips.items()}
    if results.study.protocol_of(corpus).per_ranking_subset:
        return changed
    common = reduce(and_, (changed[name] for name in PAPER_RANKINGS if name in changed))
    return {name: flags & common for name, flags in changed.items()}


def in_order(names: Iterable[str]) -> list[str]:
    """Rankings as sheets show them, each once."""
    found = dict.fromkeys(names)
    known = [name for name in _ORDER if name in found]
    others = [name for name in found if name not in (*_ORDER, SMALLEST)]
    return [*known, *others, *([SMALLEST] if SMALLEST in found else [])]


def subset_note(study: Study) -> str:
    """Which documents rankings are summarised over, for a note."""
    return _by_switch(
        study,
        *("per_ranking_subset", True),
        "Each ranking is summarised over its own documents, those whose decision it changes, as published "
        "(switch per_ranking_subset).",
        "All rankings are summarised over the same documents, those whose decision each of random, "
        "attention, gradient and attention × gradient changes (switch per_ranking_subset = False; the paper "
        "gives each ranking its own); a ranking that fails in some of these has a smaller n.",
    )


def full_erasure_note(study: Study) -> str:
    """Whether all weights may go, for a note."""
    return _by_switch(
        study,
        *("count_full_erasure", True),
        "The last weight may go too, which leaves the bias to decide (switch count_full_erasure, as in "
        "Serrano & Smith's code).",
        "One weight always stays (switch count_full_erasure = False; in Serrano & Smith's code the last "
        "one may go too, which leaves the bias to decide).",
    )


def random_note(study: Study) -> str:
    """What the random token is drawn from, for a note."""
    return _by_switch(
        study,
        *("random_r", "positions"),
        "Random tokens are drawn from all but the first of the document, the highest weight's included "
        "(switch random_r = positions, as in Serrano & Smith's code).",
        "Random tokens are drawn from all but that of the highest weight (switch random_r = others).",
    )


def _by_switch(study: Study, switch: str, value: object, text: str, otherwise: str) -> str:
    """One text for the corpora whose protocol has a value, another for the others."""
    some = [name for name in study.corpora if getattr(study.protocol_of(name), switch) == value]
    if len(some) == len(study.corpora):
        return text
    return f"{otherwise} In {', '.join(some)}: {text}" if some else otherwise


def untested(reason: Reasons) -> Flags:
    """Documents whose weights cannot be erased, or not in this order; a decision that never changes can."""
    return ~np.isin(reason, (Reason.NONE, Reason.NEVER))


def untested_facts(corpus: str, setting: Setting, reason: Reasons) -> Iterator[Fact]:
    """How many documents are not tested, in all and by reason; n counts all documents."""
    n, left_out = len(reason), reason[untested(reason)]
    yield Fact(corpus, setting, "untested", len(left_out), n=n)
    for code, count in sorted(Counter(left_out.tolist()).items()):
        yield Fact(corpus, setting, f"untested: {Reason(code).words}", count, n=n)


def untested_words(
    table: Facts, corpus: str, setting: Setting, *, but: Reason | None = None
) -> str:
    """Documents left out, for people: how many for which reason but one; facts as of `untested_facts`."""
    found = []
    for reason in Reason:
        fact = table.get(corpus, setting, f"untested: {reason.words}")
        if fact is not None and fact.value and reason != but:
            found.append(f"{fact.value:.0f} {reason.words}")
    return ", ".join(found) or "0"
