"""Serrano & Smith's tables, worked out by hand: a flat network with and one without an encoder."""

import math

import numpy as np
import pytest

from attnnn.exhibits.erasures import in_order, shown_runs, subset_note
from attnnn.exhibits.facts import Setting
from attnnn.exhibits.serrano_smith.ss_context import context, context_sheet, median_of_finite
from attnnn.exhibits.serrano_smith.ss_flips import decision_flips, decision_flips_sheet
from attnnn.exhibits.serrano_smith.ss_never import never_flipping, never_flipping_sheet
from attnnn.exhibits.serrano_smith.ss_rankings import first_flips, first_flips_sheet
from attnnn.exhibits.serrano_smith.ss_single import single_weights, single_weights_sheet
from attnnn.study.config import validate
from attnnn.study.runs import erased_runs
from attnnn.tables import store
from tests.exhibits import handmade
from tests.support import Layout

RNN, NONE = "flan-rnn-additive", "flan-none-additive"

# Four documents, and one of a single token.
ERASED = {
    ("highest", 0): ([0, 1, 2, 0], [0.6, 0.5, 0.4, 0.7], [0.10, 0.02, 0.00, 0.30], "TFFT"),
    ("random", 0): ([1, 0, 0, 2], [0.1, 0.3, 0.4, 0.1], [0.04, 0.05, 0.01, 0.10], "FTFT"),
    ("random", 1): ([2, 2, 1, 1], [0.3, 0.2, 0.2, 0.2], [0.00, 0.01, 0.02, 0.00], "FFFF"),
    ("second_highest", 0): ([2, 0, 0, 1], [0.3, 0.3, 0.4, 0.2], [0.0, 0.05, 0.01, 0.0], "FFFF"),
    ("lowest", 0): ([1, 2, 1, 2], [0.1, 0.2, 0.2, 0.1], [0.04, 0.01, 0.02, 0.10], "FFFF"),
    ("second_lowest", 0): ([2, 0, 0, 1], [0.3, 0.3, 0.4, 0.2], [0.0, 0.05, 0.01, 0.0], "FFFF"),
    # The highest weight itself in the first and the last document; one that nothing rests on in the third.
    ("gradient", 0): ([0, 0, 3, 0], [0.6, 0.3, 0.0, 0.7], [0.10, 0.05, 0.00, 0.30], "TTTT"),
    ("attention_gradient", 0): ([0, 1, 2, 0], [0.6, 0.5, 0.4, 0.7], [0.1, 0.02, 0, 0.3], "TFFT"),
}

# Erased of ten tokens until the decision changes; the fifth document has a single token.
NEVER = -1
RANKED = {
    "random": [8, 4, NEVER, 6, 2],
    "attention": [2, 4, 5, NEVER, 2],
    "gradient": [4, 2, 1, 3, 2],
    "attention_gradient": [1, 2, 1, 3, 1],
    "contribution": [1, NEVER, 1, 3, 1],
    "ascending_attention": [8, 8, 8, 8, 8],
    "smallest": [1, 2, 1, 2, 1],
}
LIKE_RANDOM = {**RANKED, "attention": RANKED["random"]}


def _study(folder, classes=2, **switches):
    return validate(
        {
            "results_dir": str(folder / "results"),
            "papers": ["serrano-smith"],
            "corpora": {
                "stars": {"source": {"kind": "table", "path": "a.csv", "classes": classes}}
            },
            "serrano_smith": {"models": [RNN, NONE], "draws": 2},
            "switches": switches,
            "bootstrap": 50,
        },
        where="test",
    )


def _erased(tmp_path):
    study = _study(tmp_path)
    parts = [
        {
            "rule": rule,
            "draw": draw,
            "items": [4, 4, 4, 4, 1],
            "position": [*position, 0],
            "weight": [*weight, None],
            "js": [*js, None],
            "flips": [letter == "T" for letter in flips] + [False],
            "reason": [None] * 4 + ["one token"],
        }
        for (rule, draw), (position, weight, js, flips) in ERASED.items()
    ]
    unranked = {
        "rule": "contribution",
        "draw": 0,
        "items": [4, 4, 4, 4, 1],
        "position": -1,
        "weight": [None] * 5,
        "js": [None] * 5,
        "flips": False,
        "reason": ["invalid score"] * 4 + ["one token"],
    }
    for run in erased_runs(study, "stars"):
        handmade.write_erased(study, run, [0, 1, 1, 0, 1], [*parts, unranked])
    return handmade.results(study)


def _ranked(tmp_path, predicted=(0, 0, 1, 1, 1, 1), classes=2, **switches):
    study = _study(tmp_path, classes, **switches)
    for run in erased_runs(study, "stars"):
        table = RANKED if run.model.name == RNN else LIKE_RANDOM
        parts = [
            {
                "ranking": name,
                "items": [10] * 5 + [1],
                "count": [*counts, -1],
                "fraction": [None if k < 0 else k / 10 for k in counts] + [None],
                # The first token has half of the weight, the others the rest.
                "mass": [None if k < 0 else 0.5 + (k - 1) / 18 for k in counts] + [None],
                "reason": ["never" if k < 0 else None for k in counts] + ["one token"],
            }
            for name, counts in table.items()
        ]
        handmade.write_ranked(study, run, predicted, parts)
    path = Layout(study.results_dir).corpus("stars", "description.json")
    store.write_json(path, {"classes": ["bad", "fair", "good"][:classes]})
    return handmade.results(study)


def _setting(model=RNN, **factors):
    return Setting(model=model, seed=10, **factors)


def _value(table, metric, setting):
    fact = table.get("stars", setting, metric)
    return fact.value, fact.n


def test_the_highest_weight_against_the_first_random_one(tmp_path):
    table = single_weights(_erased(tmp_path))
    setting = _setting(against="random", draws="first")
    # ΔJS = .06, -.03, -.01, .20; Δα = .5, .2, 0, .6.
    assert _value(table, "delta_js_mean", setting) == (pytest.approx(0.055), 4)
    assert _value(table, "delta_attention_mean", setting) == (pytest.approx(0.325), 4)
    assert _value(table, "delta_js_negative_share", setting) == (0.5, 4)
    assert _value(table, "delta_attention_mean_where_negative", setting) == (pytest.approx(0.1), 2)
    assert _value(table, "same_item_share", setting) == (0, 4)
    assert _value(table, "untested", setting) == (1, 5)
    assert _value(table, "untested: one token", setting) == (1, 5)
    share = table.get("stars", setting, "delta_js_negative_share")
    assert share.low < 0.5 < share.high


def test_the_highest_weight_against_all_draws(tmp_path):
    table = single_weights(_erased(tmp_path))
    setting = _setting(against="random", draws="all")
    # The second draw: ΔJS = .10, .01, -.02, .30; Δα = .3, .3, .2, .5.
    assert _value(table, "delta_js_mean", setting) == (pytest.approx(0.07625), 4)
    assert _value(table, "delta_js_negative_share", setting) == (0.375, 4)
    mean = pytest.approx((0.2 + 0.0 + 0.2) / 3)
    assert _value(table, "delta_attention_mean_where_negative", setting) == (mean, 2)


def test_weights_chosen_otherwise_move_predictions_more_or_are_the_same(tmp_path):
    results = _erased(tmp_path)
    table = single_weights(results)
    gradient, contribution = _setting(against="gradient"), _setting(against="contribution")
    assert _value(table, "delta_js_negative_share", gradient) == (0.25, 4)
    assert _value(table, "same_item_share", gradient) == (0.5, 4)
    same = _setting(against="attention_gradient")
    assert _value(table, "same_item_share", same) == (1, 4)
    assert _value(table, "delta_attention_mean_where_negative", same) == (None, 0)
    assert _value(table, "delta_js_mean", contribution) == (None, 0)
    assert _value(table, "untested: invalid score", contribution) == (4, 5)
    assert _value(table, "untested: one token", contribution) == (1, 5)
    row = single_weights_sheet(results, table).rows[0]
    assert row[:5] == ["stars", RNN, "10", "4", "1 one token"]
    assert row[5].startswith("55.00 [")
    assert row[-5:] == ["0.500", "0.250", "0.250", "0.000", "–"]


def test_the_two_by_two_table_of_flips(tmp_path):
    results = _erased(tmp_path)
    table = decision_flips(results)
    cells = ("both_flip", "only_chosen_flips", "only_random_flips", "neither_flips")
    highest, gradient = _setting(chosen="highest"), _setting(chosen="gradient")
    assert [_value(table, cell, highest) for cell in cells] == [(0.25, 4)] * 4
    assert _value(table, "mcnemar_p", highest) == (1, 4)
    assert [_value(table, cell, gradient)[0] for cell in cells] == [0.5, 0.5, 0, 0]
    # Two documents differ, both on one side: 2 · ½².
    assert _value(table, "mcnemar_p", gradient) == (0.5, 4)
    assert _value(table, "flips_difference", gradient) == (0.5, 4)
    # The random token of the second document is the one that gradient chooses.
    assert _value(table, "same_item", gradient) == (1, 4)
    assert _value(table, "untested: one token", gradient) == (1, 5)
    row = decision_flips_sheet(results, table).rows[1]
    assert row[:10] == [
        "stars",
        RNN,
        "10",
        "gradient",
        "4",
        "1 one token",
        "50.0",
        "50.0",
        "0.0",
        "0.0",
    ]
    assert row[-1] == "0.500"


def test_rankings_over_the_documents_that_all_of_the_papers_change(tmp_path):
    table = first_flips(_ranked(tmp_path))
    attention, gradient = _setting(ranking="attention"), _setting(ranking="gradient")
    # The first, second and fifth document: 2, 4, 2 tokens of ten, of 1, 2, 1 needed.
    assert _value(table, "fraction_median", attention) == (pytest.approx(0.2), 3)
    assert _value(table, "fraction_mean", attention) == (pytest.approx(0.8 / 3), 3)
    assert _value(table, "mass_mean", attention) == (pytest.approx(0.5 + 5 / 54), 3)
    assert _value(table, "times_smallest_mean", attention) == (2, 3)
    assert _value(table, "optimal_share", attention) == (0, 3)
    assert _value(table, "times_smallest_mean", gradient) == (pytest.approx(7 / 3), 3)
    assert _value(table, "times_smallest_median", gradient) == (2, 3)
    assert _value(table, "optimal_share", gradient) == (pytest.approx(1 / 3), 3)
    # Contribution, which is not the paper's, fails in one of the three.
    assert _value(table, "fraction_median", _setting(ranking="contribution")) == (0.1, 2)
    assert _value(table, "never_flipping_share", attention) == (0.2, 5)
    # .2, .4, .5, never, .2
    assert _value(table, "fraction_median_of_tested", attention) == (0.4, 5)
    assert _value(table, "untested: one token", attention) == (1, 6)


def test_each_ranking_over_its_own_documents(tmp_path):
    results = _ranked(tmp_path, per_ranking_subset=True)
    table = first_flips(results)
    attention = _setting(ranking="attention")
    assert _value(table, "fraction_median", attention) == (pytest.approx(0.3), 4)
    assert _value(table, "times_smallest_mean", attention) == (pytest.approx(11 / 4), 4)
    assert _value(table, "fraction_median", _setting(ranking="gradient"))[1] == 5
    assert "its own documents" in first_flips_sheet(results, table).markdown()


def test_sign_tests_count_a_ranking_that_never_changes_the_decision_as_later(tmp_path):
    results = _ranked(tmp_path)
    table = first_flips(results)
    pair = _setting(first="attention_gradient", second="attention")
    assert _value(table, "fewer", pair) == (5, 5)
    assert _value(table, "sign_test_p", pair) == (2 / 32, 5)
    assert _value(table, "fewer_share", pair) == (1, 5)
    assert _value(table, "untested", pair) == (1, 6)
    pair = _setting(first="attention", second="random")
    counts = [_value(table, name, pair)[0] for name in ("fewer", "more", "equal", "neither")]
    assert counts == [2, 1, 2, 0]
    assert _value(table, "fewer_share", pair) == (pytest.approx(2 / 3), 3)
    assert _value(table, "sign_test_p", pair) == (1, 5)
    pair = _setting(first="attention_gradient", second="gradient")
    assert _value(table, "sign_test_p", pair) == (0.5, 5)
    sheet = first_flips_sheet(results, table)
    rows = {row[3]: row for row in sheet.rows if row and row[1] == RNN}
    place = sheet.columns.index("attention")
    assert rows["n"][place] == "3"
    assert rows["never changes"][place] == "0.20"
    assert rows["attention × gradient sooner"][place] == "1.00 (p = 0.062)"
    assert "the same documents" in sheet.markdown()


@pytest.mark.parametrize(("classes", "last"), [(2, 1), (3, 2)])
def test_never_flipping_documents_by_class(tmp_path, classes, last):
    results = _ranked(tmp_path, [0, 0, last, last, last, last], classes)
    table = never_flipping(results)
    none = _setting(predicted="0", ranking="attention")
    some = _setting(predicted=str(last), ranking="attention")
    everyone = _setting(predicted="all", ranking="attention")
    assert _value(table, "documents", none) == (2, 2)
    assert _value(table, "never_flipping", none) == (0, 2)
    assert _value(table, "documents", some) == (4, 4)
    assert _value(table, "untested: one token", some) == (1, 4)
    assert _value(table, "never_flipping", some) == (1, 3)
    share = table.get("stars", some, "never_flipping_share")
    assert share.value == pytest.approx(1 / 3)
    assert 0 < share.low < share.value < share.high < 1
    assert _value(table, "never_flipping", everyone) == (1, 5)
    assert _value(table, "never_flipping", everyone.but(ranking="smallest")) == (0, 5)


def test_a_class_that_is_never_predicted_is_a_row_of_zeros(tmp_path):
    results = _ranked(tmp_path, [0, 0, 2, 2, 2, 2], 3)
    table = never_flipping(results)
    fair = _setting(predicted="1", ranking="attention")
    for metric in ("documents", "untested", "untested: one token", "never_flipping"):
        assert _value(table, metric, fair) == (0, 0)
    assert table.get("stars", fair, "never_flipping_share").value is None
    rows = never_flipping_sheet(results, table).rows
    assert rows[1] == ["stars", RNN, "10", "1: fair", *["0"] * 10]
    assert rows[2][:7] == ["stars", RNN, "10", "2: good", "4", "1", "0"]
    assert rows[2][7:9] == ["1 (0.33)", "1 (0.33)"]


def test_attention_against_random_order_by_encoder(tmp_path):
    results = _ranked(tmp_path)
    table = context(results)
    gain, attention = "fraction_median_minus_random", _setting(ranking="attention")
    # .2, .4, .2 against .8, .4, .2: medians .2 and .4.
    assert _value(table, gain, attention) == (pytest.approx(-0.2), 3)
    assert _value(table, "random_fraction_median", attention) == (pytest.approx(0.4), 3)
    # In all tested documents: 2 < 8, 4 = 4, 5 < never, never > 6, 2 = 2.
    assert _value(table, "sooner_than_random_share", attention) == (pytest.approx(0.6), 5)
    # Without an encoder, attention is as good as random order, which changes four decisions here.
    assert _value(table, gain, _setting(NONE, ranking="attention")) == (0, 4)
    difference = _setting(NONE, minus=RNN, ranking="attention")
    assert _value(table, gain, difference) == (pytest.approx(0.2), 4)
    assert _value(table, "sooner_than_random_share", difference) == (pytest.approx(-0.1), 5)
    rows = [row for row in context_sheet(results, table).rows if row]
    assert [row[1] for row in rows] == [RNN, NONE, "flan-none − flan-rnn"]
    assert rows[0][2:4] == ["3", "0.40"]


def test_medians_leave_out_what_is_infinite():
    values = np.array([[3.0, 1.0, np.inf], [np.inf, np.inf, 2.0], [np.inf] * 3, [3, 1, 2]])
    found = median_of_finite(values)
    assert found[[0, 1, 3]].tolist() == [2, 2, 2]
    assert math.isnan(found[2])


def test_of_many_runs_the_networks_and_the_base_model_are_shown(finished):
    shown = [run.model.name for run in shown_runs(finished, "sst")]
    assert shown[-1] == "bilstm-additive"
    assert len(shown) == 7
    assert len(erased_runs(finished, "sst")) > len(shown)


def test_rankings_are_in_one_order_with_new_ones_before_the_smallest():
    names = ["smallest", "new", "leave_one_out", "attention", "random"]
    assert in_order(names) == ["random", "attention", "leave_one_out", "new", "smallest"]


def test_corpora_of_both_protocols_are_named_in_the_note(tmp_path):
    study = _study(tmp_path)
    content = study.model_dump(mode="json")
    content["corpora"]["moons"] = {**content["corpora"]["stars"], "protocol": "serrano-smith"}
    both = validate(content, where="test")
    assert "In moons: Each ranking" in subset_note(both)
    assert "moons" not in subset_note(study)
