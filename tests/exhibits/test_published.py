"""Numbers read by eye in the papers."""

import csv
from importlib.resources import files
from typing import get_args

import pytest

from attnnn.study.config import GRID
from attnnn.study.papers.published import published, published_lambda, published_of_grid
from attnnn.study.settings import PublishedName

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


@pytest.mark.parametrize(
    ("expected", "dataset", "model", "metric"),
    [
        # sst+lstm+tanh, sst+cnn(1,3,5,7)+tanh, diab+average+dot and so on of their scores.
        (0.7835186396337476, "SST", "bilstm-additive", "f1"),
        (0.9081886689985025, "SST", "cnn-additive", "auc"),
        (0.4806378132118451, "Diabetes", "average-dot", "f1"),
        (0.927170868347339, "20News", "average-dot", "accuracy"),
        (0.778807003257329, "SNLI", "bilstm-additive", "accuracy"),
        (1.0, "bAbI 1", "bilstm-additive", "accuracy"),
        # Rows al, ag and gl of CorrStats.
        (0.3511545853457849, "SST", "bilstm-additive", "tau_attention_gradient"),
        (0.29134283404271316, "SST", "bilstm-additive", "tau_attention_leave_one_out"),
        (0.6558694976630044, "SST", "bilstm-additive", "tau_gradient_leave_one_out"),
        (-0.013644088157967194, "bAbI 2", "bilstm-additive", "tau_attention_leave_one_out"),
        (-0.016798615861351476, "bAbI 2", "bilstm-additive", "tau_attention_gradient"),
        (0.2215903265999446, "CNN", "cnn-dot", "tau_attention_gradient"),
    ],
)
def test_grid_of_jain_wallace(expected, dataset, model, metric):
    assert published_of_grid(dataset, model=model, metric=metric) == expected


def test_what_the_grid_of_jain_wallace_does_not_have():
    # Their mean is not a number; bAbI has no F1; models without attention are not in it.
    for dataset, model, metric in (
        ("20News", "cnn-dot", "tau_attention_gradient"),
        ("bAbI 1", "bilstm-additive", "f1"),
        ("SST", "bilstm-none", "accuracy"),
        (None, "bilstm-additive", "accuracy"),
    ):
        assert published_of_grid(dataset, model=model, metric=metric) is None


def test_the_grid_of_jain_wallace_is_whole():
    rows = _rows("published_grid.csv")
    assert list(rows[0]) == ["dataset", "model", "metric", "value"]
    assert {row["dataset"] for row in rows} == set(get_args(PublishedName))
    assert {row["model"] for row in rows} == set(GRID[:6])
    # Accuracy and three τ of all, F1 and AUC of seven corpora of two classes; nine τ are not numbers.
    assert len({tuple(row.values())[:3] for row in rows}) == len(rows) == 6 * (12 * 4 + 7 * 2) - 9


def _rows(name="published.csv"):
    text = files("attnnn.study.papers").joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def test_every_number_of_the_tables_is_there_once():
    rows = _rows()
    names = ["paper", "table", "dataset", "class", "lambda", "setting", "metric", "value"]
    assert list(rows[0]) == names
    assert len({tuple(row[name] for name in names[:-1]) for row in rows}) == len(rows) == 412
    assert sum(row["paper"] == JW and row["table"] == "2" for row in rows) == 189
    # Vocabularies, of Wiegreffe & Pinter's corpora alone.
    assert sum(row["table"] == "release" for row in rows) == 6


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
