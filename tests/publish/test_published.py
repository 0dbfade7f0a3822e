"""Numbers read by eye in the papers."""

import csv
from importlib.resources import files

import pytest

from attnnn.publish.published import published, published_lambda

JW = "jain_wallace_2019"


@pytest.mark.parametrize(
    ("expected", "dataset", "keys"),
    [
        (3034, "SST", {"table": "1", "metric": "train_size", "class_": "0"}),
        (862, "SST", {"table": "1", "metric": "test_size", "class_": "1"}),
        (179, "IMDb", {"table": "1", "metric": "avg_length_tokens"}),
        (0.706, "Diabetes", {"table": "2", "metric": "f1_pos", "setting": "uniform_lstm"}),
        (0.942, "20News", {"table": "2", "metric": "f1_pos", "setting": "wp_base_lstm_reproduced"}),
        (0.96, "AgNews", {"table": "2", "metric": "f1_pos", "setting": "jw_reported"}),
        (0.931, "Anemia", {"table": "3", "metric": "f1_pos", "setting": "guide_mlp:base_lstm"}),
        (0.514, "SST", {"table": "5", "metric": "jsd_mean", "lambda_": 0.000525}),
        (0.008, "Anemia", {"table": "5", "metric": "tvd_mean", "lambda_": 0}),
        (0.405, "IMDb", {"table": "4", "metric": "jsd_mean", "lambda_": 0.0008}),
    ],
)
def test_wiegreffe_pinter(expected, dataset, keys):
    assert published(dataset, **keys) == expected


@pytest.mark.parametrize(
    ("expected", "dataset", "setting", "metric", "class_"),
    [
        (0.40, "SST", "gradient_bilstm", "kendall_tau_mean", "0"),
        (0.21, "SST", "gradient_bilstm", "kendall_tau_std", "0"),
        (0.93, "SST", "gradient_average", "sig_frac_p05", "0"),
        (0.33, "SST", "loo_bilstm", "kendall_tau_mean", "1"),
        (0.20, "CNN", "gradient_bilstm", "kendall_tau_mean", "all"),
        (0.44, "SNLI", "loo_bilstm", "kendall_tau_mean", "2"),
    ],
)
def test_jain_wallace(expected, dataset, setting, metric, class_):
    found = published(dataset, paper=JW, table="2", setting=setting, metric=metric, class_=class_)
    assert found == expected


def test_adversary_guide_is_printed_for_one_lambda_only():
    keys = {"table": "3", "setting": "guide_mlp:adversary", "metric": "f1_pos"}
    assert published("SST", **keys, lambda_=0.001) == 0.592
    assert published("SST", **keys, lambda_=0.01) is None


def test_lambdas_of_table_4():
    names = ("Diabetes", "Anemia", "SST", "IMDb")
    assert [published_lambda(name) for name in names] == [2e-4, 5e-4, 5.25e-4, 8e-4]


def test_a_corpus_that_is_not_the_papers_has_no_printed_numbers():
    assert published(None, table="2", setting="uniform_lstm", metric="f1_pos") is None
    assert published_lambda(None) is None


def _rows():
    text = files("attnnn.publish").joinpath("published.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def test_every_number_of_the_tables_is_there_once():
    rows = _rows()
    names = ["paper", "table", "dataset", "class", "lambda", "setting", "metric", "value"]
    assert list(rows[0]) == names
    assert len({tuple(row[name] for name in names[:-1]) for row in rows}) == len(rows) == 406
    assert sum(row["paper"] == JW and row["table"] == "2" for row in rows) == 189


def test_table_4_is_the_best_row_of_table_5_with_jsd_of_at_least_04():
    rows = [row for row in _rows() if row["paper"] != JW and row["table"] == "5"]
    for name in ("Diabetes", "Anemia", "SST", "IMDb"):
        grid = {
            (row["lambda"], row["metric"]): float(row["value"])
            for row in rows
            if row["dataset"] == name
        }
        lambdas = {lambda_ for lambda_, _ in grid}
        diverging = [grid[value, "f1_pos"] for value in lambdas if grid[value, "jsd_mean"] >= 0.4]
        keys = {"table": "4", "lambda_": published_lambda(name)}
        assert published(name, metric="f1_pos", **keys) == max(diverging)
