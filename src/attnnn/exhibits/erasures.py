"""What erasing attention weights does, as the tables of Serrano & Smith's experiments read it (2019)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import reduce
from operator import and_

import numpy as np
from numpy.typing import NDArray

from attnnn.erasure.flips import Flips
from attnnn.erasure.reasons import Reason, Reasons
from attnnn.erasure.single import Erased
from attnnn.exhibits.facts import Fact, Facts, Setting
from attnnn.exhibits.finished import Results, Table
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
FULL_ERASURE_NOTE = (
    "Once the last weight is gone the bias decides, which counts as a changed decision where the protocol "
    "sets count_full_erasure, as in Serrano & Smith's code; so does the document whose weight is all on one "
    "token."
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
    common = reduce(and_, (changed[name] for name in PAPER_RANKINGS))
    return {name: flags & common for name, flags in changed.items()}


def subset_note(study: Study) -> str:
    """Which documents rankings are summarised over, for a note."""
    own = [name for name in study.corpora if study.protocol_of(name).per_ranking_subset]
    each = "each ranking over its own documents, those whose decision it changes, as published"
    common = (
        "all rankings over the documents whose decision each of random, attention, gradient and attention × "
        "gradient changes (fewer where another ranking fails in some of these: see n)"
    )
    if not own:
        return f"Summarised: {common}."
    if len(own) == len(study.corpora):
        return f"Summarised: {each} (switch per_ranking_subset)."
    return f"Summarised: {common}; in {', '.join(own)} {each} (switch per_ranking_subset)."


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
