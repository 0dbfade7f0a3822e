import math

import pytest

from attnnn.exhibits.long_table import Fact, LongTable


def test_csv_has_the_agreed_columns_and_leaves_unknown_cells_empty():
    table = LongTable(
        [
            Fact("sst", "lambda=0.001", "f1", 0.75, 0.5, 1.0, 8, 0.815),
            Fact("sst", "lambda=0.001", "jsd", None),
            Fact("sst", "lambda=0.01", "tau", math.nan, n=25000),
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
        LongTable([Fact("sst", "a", "f1", 0.1), Fact("sst", "a", "f1", 0.2)])


def test_facts_are_found_again():
    fact = Fact("sst", "a", "f1", 0.1)
    table = LongTable([fact, Fact("sst", "b", "f1", 0.2), Fact("imdb", "c", "f1", 0.3)])
    assert table.get("sst", "a", "f1") is fact
    assert table.get("sst", "a", "jsd") is None
    assert table.settings("sst") == ["a", "b"]
