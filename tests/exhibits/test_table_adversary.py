"""The per-instance adversaries' table: searched beside exact."""

import numpy as np
import pytest

from attnnn.exhibits.both.per_instance_adversary import (
    per_instance_adversary,
    per_instance_adversary_sheet,
)
from attnnn.exhibits.facts import NAME, Setting
from tests.exhibits import handmade

from .synthetic import study, write_study


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    made = study(tmp_path_factory.mktemp("adversary"), ["sst", "needle"], bootstrap=50)
    write_study(made)
    return handmade.results(made)


def test_every_value_is_the_mean_over_the_documents_it_names(results):
    table = per_instance_adversary(results)
    for method, read in (("searched", results.searched), ("exact", results.exact)):
        for epsilon in (0.01, 0.05):
            jsd = read("sst", epsilon).floats("jsd")
            fact = table.get(
                "sst", Setting(method, epsilon=epsilon, predicted="all"), "epsilon_max_jsd_mean"
            )
            assert fact.value == pytest.approx(np.sum(jsd) / len(jsd))
            assert fact.low < fact.value < fact.high
            assert fact.n == len(jsd)


def test_classes_divide_the_documents(results):
    table = per_instance_adversary(results)
    numbers = [
        table.get(
            "needle", Setting("exact", epsilon=0.01, predicted=f"{shown}"), "epsilon_max_jsd_mean"
        ).n
        for shown in ("0", "1", "all")
    ]
    assert numbers[0] + numbers[1] == numbers[2]


def test_only_the_search_may_find_nothing(results):
    facts = [fact for fact in per_instance_adversary(results) if fact.metric == "share_found"]
    assert {fact.setting[NAME] for fact in facts} == {"searched"}
    overall = next(
        f for f in facts if f.corpus == "sst" and str(f.setting).endswith("0.05 predicted=all")
    )
    assert overall.value == pytest.approx(results.searched("sst", 0.05).flags("found").mean())


def test_the_sheet_sets_searched_beside_exact(results):
    sheet = per_instance_adversary_sheet(results, per_instance_adversary(results))
    rows = [row for row in sheet.rows if row]
    assert len(rows) == 2 * 2 * 3  # corpora, ε, two classes and all
    assert rows[0][:3] == ["sst", "0.01", "0"]
    assert all(len(row) == len(sheet.columns) for row in rows)
