"""The tables of erased weights, on three tokens by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attnnn.erasure.columns import erased_columns, ranked_columns
from attnnn.readout.predictions import Predictions
from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged

# Logits of class 1 are Σ α s: .5·2 + .3·(-3) + .2·(-1) = -.1, so class 0 is predicted.
ATTENTION = Ragged.from_lists([[0.5, 0.3, 0.2], [1.0]], np.float64)
READOUT = Readout(
    Ragged.from_lists([[2.0, -3.0, -1.0], [1.0]], np.float64).with_values(
        np.array([[2.0], [-3.0], [-1.0], [1.0]])
    ),
    np.zeros(1),
)
PREDICTIONS = Predictions(
    np.array([7, 9]), np.array([0, 1]), ATTENTION, np.array([0.475, 0.731], np.float32)
)


def rows(columns: dict, **wanted: object) -> list[dict]:
    count = len(columns["document"])
    every = [{name: columns[name][row] for name in columns} for row in range(count)]
    return [row for row in every if all(row[name] == value for name, value in wanted.items())]


def js(p: float, q: float) -> float:
    def kl(a: float, b: float) -> float:
        return a * math.log(a / b) + (1 - a) * math.log((1 - a) / (1 - b))

    middle = (p + q) / 2
    return (kl(p, middle) + kl(q, middle)) / 2


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


@pytest.fixture
def erased() -> dict:
    return erased_columns(
        PREDICTIONS, READOUT, generator=np.random.default_rng(0), draws=2, among="others",
        erase_all=False,
    )  # fmt: skip


def test_the_highest_weight_erased(erased: dict):
    [row] = rows(erased, rule="highest", document=7)
    # What is left: (.3·(-3) + .2·(-1)) / .5 = -2.2, still class 0.
    assert row["position"] == 0
    assert row["weight"] == pytest.approx(0.5)
    assert row["js"] == pytest.approx(js(sigmoid(-0.1), sigmoid(-2.2)))
    assert not row["flips"]
    assert (row["items"], row["predicted"], row["reason"]) == (3, 0, None)


def test_the_token_that_decides_flips(erased: dict):
    # Class 0 owes most to token 1: the gradient of p_0 in α is -s p(1 - p). Without it (1 - .2) / .7 > 0.
    [row] = rows(erased, rule="gradient", document=7)
    assert (row["position"], bool(row["flips"])) == (1, True)


def test_random_items_are_others_than_the_highest(erased: dict):
    drawn = rows(erased, rule="random", document=7)
    assert [row["draw"] for row in drawn] == [0, 1]
    assert all(row["position"] in (1, 2) for row in drawn)


def test_a_document_of_one_token_is_counted_with_its_reason(erased: dict):
    for row in rows(erased, document=9):
        assert (row["reason"], row["js"], bool(row["flips"])) == ("one token", None, False)


def test_rankings_and_the_smallest_set():
    truth = Ragged.from_lists([[0, 1, 0], [1]], np.int8)
    ranked = ranked_columns(
        PREDICTIONS, READOUT, generator=np.random.default_rng(0), given={"truth": truth},
        erase_all=False,
    )  # fmt: skip
    counts = {row["ranking"]: row["count"] for row in rows(ranked, document=7)}
    # Attention: tokens 0, 1 go, and -1 is left: never. The others begin with token 1.
    assert counts["attention"] == -1
    assert counts["attention_gradient"] == counts["smallest"] == counts["truth"] == 1
    [smallest] = rows(ranked, document=7, ranking="smallest")
    assert smallest["fraction"] == pytest.approx(1 / 3)
    assert smallest["mass"] == pytest.approx(0.3)
    assert {row["reason"] for row in rows(ranked, document=9)} == {"one token"}
    [never] = rows(ranked, document=7, ranking="attention")
    assert (never["reason"], never["fraction"], never["mass"]) == ("never", None, None)
