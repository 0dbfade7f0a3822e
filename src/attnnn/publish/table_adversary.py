"""How far attention can move while the prediction stays (Jain & Wallace 2019, section 4.2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from attnnn import design
from attnnn.publish.classes import predicted_groups
from attnnn.publish.intervals import Resampling
from attnnn.publish.long_table import Fact, LongTable
from attnnn.publish.results import Results, Table, require_same_documents
from attnnn.publish.typeset import Sheet, measured, protocol_phrase

_UNSOLVED = [
    "–: the exact adversary is known for two classes and linear decoders alone. Of several classes ε bounds "
    "the total variation distance ½ Σ|Δp| between predictions.",
]


def per_instance_adversary(results: Results) -> LongTable:
    """Mean ε-max JSD of the searched and of the exact adversary, by ε and predicted class."""
    return LongTable(fact for corpus in results.study.corpora for fact in _corpus(results, corpus))


def _corpus(results: Results, corpus: str) -> Iterator[Fact]:
    base = results.predictions(design.base_run(results.study, corpus))
    for epsilon in results.study.epsilons:
        tables = {"searched": results.searched(corpus, epsilon)}
        if results.solved(corpus):
            tables["exact"] = results.exact(corpus, epsilon)
        require_same_documents(base, *tables.values())
        for group, chosen in predicted_groups(base.predicted).items():
            for method, table in tables.items():
                setting = f"{method} epsilon={epsilon:g} predicted={group}"
                yield from _facts(results, corpus, setting, table.take(chosen))


def _facts(results: Results, corpus: str, setting: str, table: Table) -> Iterator[Fact]:
    jsd, n = table.floats("jsd"), len(table)
    low, high = Resampling(results.study, corpus).mean(jsd)
    yield Fact(corpus, setting, "epsilon_max_jsd_mean", float(jsd.mean()), low, high, n)
    if setting.startswith("searched"):
        yield Fact(corpus, setting, "share_found", float(table.flags("found").mean()), n=n)


def per_instance_adversary_sheet(results: Results, table: LongTable) -> Sheet:
    """The table for people: a row for each corpus, ε and class, searched beside exact."""
    rows: list[list[str]] = []
    for corpus in results.study.corpora:
        rows.append([])
        for setting in table.settings(corpus):
            method, epsilon, predicted = setting.split()
            if method != "searched":
                continue
            exact = f"exact {epsilon} {predicted}"
            facts = [
                table.get(corpus, setting, "epsilon_max_jsd_mean"),
                table.get(corpus, exact, "epsilon_max_jsd_mean"),
            ]
            found = table.get(corpus, setting, "share_found")
            assert found is not None
            assert found.value is not None
            cells = [measured(fact) for fact in facts]
            values = [word.split("=")[1] for word in (epsilon, predicted)]
            rows.append([corpus, *values, *cells, f"{100 * found.value:.1f} %", str(found.n)])
    return Sheet(
        name="per_instance_adversary",
        caption="ε-max JSD (nats, at most ln 2 = .693): the largest divergence from the model's own "
        "attention among attention vectors that change the prediction by at most ε; mean over test "
        f"documents. {protocol_phrase(results.study)}",
        columns=["corpus", "ε", "predicted", "searched", "exact", "search found any", "n"],
        rows=rows[1:],
        text_columns=3,
        notes=[
            "The search gives a lower bound, 0 where it found nothing; the exact value is the maximum "
            "itself. In brackets: 95 % percentile bootstrap interval over documents.",
            *_UNSOLVED[: not all(map(results.solved, results.study.corpora))],
        ],
    )
