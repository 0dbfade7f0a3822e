"""How far attention can move while the prediction stays (Jain & Wallace 2019, section 4.2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from attnnn.dag.exhibit import TableExhibit
from attnnn.exhibits import needs
from attnnn.exhibits.estimates import estimate, mean
from attnnn.exhibits.facts import NAME, Fact, Facts, Setting, of_each_corpus
from attnnn.exhibits.finished import Results, Table, require_same_documents
from attnnn.exhibits.groups import predicted_groups
from attnnn.exhibits.sheet import Sheet, measured, protocol_phrase
from attnnn.study.runs import base_run

_MULTICLASS = [
    "For more than two classes, ε bounds the total variation distance ½ Σ|Δp| between predictions. The "
    "exact value lies between the best known attention's and the bound, which no attention exceeds; exact "
    "for: the share of documents for which the best known one is exact.",
]


@of_each_corpus
def per_instance_adversary(results: Results, corpus: str) -> Iterator[Fact]:
    """Mean ε-max JSD of the searched and of the exact adversary, by ε and predicted class.

    For more than two classes the best known adversary and a bound stand for the exact one.
    """
    base = results.predictions(base_run(results.study, corpus))
    for epsilon in results.study.epsilons:
        known = "best_known" if results.multiclass(corpus) else "exact"
        tables = {
            "searched": results.searched(corpus, epsilon),
            known: results.exact(corpus, epsilon),
        }
        require_same_documents(base, *tables.values())
        for group, chosen in predicted_groups(base.predicted).items():
            for method, table in tables.items():
                setting = Setting(method, epsilon=epsilon, predicted=group)
                yield from _facts(results, corpus, setting, table.take(chosen))


def _facts(results: Results, corpus: str, setting: Setting, table: Table) -> Iterator[Fact]:
    study, n, jsd = results.study, len(table), table.floats("jsd")
    yield estimate(study, corpus, setting, "epsilon_max_jsd_mean", mean, jsd)
    if setting[NAME] == "searched":
        yield Fact(corpus, setting, "share_found", float(table.flags("found").mean()), n=n)
    if setting[NAME] == "best_known":
        yield estimate(study, corpus, setting, "bound_mean", mean, table.floats("bound"))
        yield Fact(corpus, setting, "share_exact", float(table.flags("exact").mean()), n=n)


def per_instance_adversary_sheet(results: Results, table: Facts) -> Sheet:
    """The table for people: a row for each corpus, ε and class, searched beside exact."""
    several = any(map(results.multiclass, results.study.corpora))
    rows: list[list[str]] = []
    for corpus in results.study.corpora:
        rows.append([])
        for setting in table.settings(corpus):
            if setting[NAME] != "searched":
                continue
            exact, known = (setting.but(name=kind) for kind in ("exact", "best_known"))
            facts = [
                table.get(corpus, setting, "epsilon_max_jsd_mean"),
                table.get(corpus, exact, "epsilon_max_jsd_mean"),
            ]
            if several:
                facts[1] = facts[1] or table.get(corpus, known, "epsilon_max_jsd_mean")
            cells = [measured(fact) for fact in facts]
            if several:
                cells.append(measured(table.get(corpus, known, "bound_mean")))
                cells.append(_percent(table.get(corpus, known, "share_exact"), "100 %"))
            found = table.get(corpus, setting, "share_found")
            assert found is not None
            values = [f"{setting['epsilon']:g}", setting["predicted"]]
            rows.append([corpus, *values, *cells, _percent(found), str(found.n)])
    exact_columns = ["exact or best known", "bound", "exact for"] if several else ["exact"]
    return Sheet(
        caption="ε-max JSD (nats, at most ln 2 = .693): the largest divergence from the model's own "
        "attention among attention vectors that change the prediction by at most ε; mean over test "
        f"documents. {protocol_phrase(results.study)}",
        columns=["corpus", "ε", "predicted", "searched", *exact_columns, "search found any", "n"],
        rows=rows[1:],
        text_columns=3,
        notes=[
            "The search gives a lower bound, 0 where it found nothing; the exact value is the maximum "
            "itself. In brackets: 95 % percentile bootstrap interval over documents.",
            *_MULTICLASS[:several],
        ],
    )


def _percent(fact: Fact | None, missing: str = "–") -> str:
    return missing if fact is None or fact.value is None else f"{100 * fact.value:.1f} %"


EXHIBIT = TableExhibit(
    papers=("jain-wallace", "wiegreffe-pinter"),
    question="How different can attention be while the prediction stays? What a search finds, and the "
    "exact answer, or between which values it lies.",
    caption="ε-max JSD (nats, at most ln 2): the largest divergence from the model's own attention among "
    "attention vectors that change the prediction by at most ε, as a search finds it and as it "
    "is; mean over test documents by predicted class. Intervals are 95 % percentile bootstrap "
    "intervals over test documents.",
    needs=needs.adversaries,
    settings=frozenset({"base_seed", "epsilons", "bootstrap"}),
    facts=per_instance_adversary,
    sheet=per_instance_adversary_sheet,
)
