import math

import pytest

from attnnn.exhibits.facts import Fact, Facts, Setting


def test_csv_has_the_agreed_columns_and_leaves_unknown_cells_empty():
    table = Facts(
        [
            Fact("sst", Setting(lambda_=0.001), "f1", 0.75, 0.5, 1.0, 8, 0.815),
            Fact("sst", Setting(lambda_=0.001), "jsd", None),
            Fact("sst", Setting(lambda_=0.01), "tau", math.nan, n=25000),
        ]
    )
    assert table.csv().splitlines() == [
        "corpus,setting,metric,value,low,high,n,published",
        "sst,lambda=0.001,f1,0.75,0.5,1,8,0.815",
        "sst,lambda=0.001,jsd,,,,,",
        "sst,lambda=0.01,tau,nan,,,25000,",
    ]


def test_the_same_fact_twice_is_refused():
    with pytest.raises(ValueError, match="two facts"):
        Facts([Fact("sst", Setting("a"), "f1", 0.1), Fact("sst", Setting("a"), "f1", 0.2)])


def test_facts_are_found_again():
    fact = Fact("sst", Setting("a"), "f1", 0.1)
    table = Facts(
        [fact, Fact("sst", Setting("b"), "f1", 0.2), Fact("imdb", Setting("c"), "f1", 0.3)]
    )
    assert table.get("sst", Setting("a"), "f1") is fact
    assert table.get("sst", Setting("a"), "jsd") is None
    assert table.settings("sst") == [Setting("a"), Setting("b")]
