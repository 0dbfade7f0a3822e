"""What is said of one pair of scores, from tables of a few documents."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import false_discovery_control

from attnnn.exhibits.correlations import (
    GRADIENT,
    LEAVE_ONE_OUT,
    PAIRS,
    correlations,
    discoveries,
    named_pair,
)
from attnnn.study.runs import base_run
from attnnn.tables import analyses, store
from tests.exhibits import handmade, synthetic
from tests.support import Layout

# The example of Benjamini & Hochberg 1995, section 3.3, whose procedure at .05 rejects the first four.
EXAMPLE = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
    *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000),
]


def test_discoveries_of_the_published_example():
    found = discoveries(np.array(EXAMPLE))
    assert found.tolist() == [True] * 4 + [False] * 11
    assert (found == (false_discovery_control(EXAMPLE) <= 0.05)).all()


def test_undefined_tests_are_no_tests_and_no_discoveries():
    # As one of two, p = .03 would not be significant at .025; alone, it is.
    assert discoveries(np.array([np.nan, 0.03])).tolist() == [False, True]
    assert discoveries(np.array([0.03, 0.9])).tolist() == [False, False]
    assert discoveries(np.array([np.nan, np.nan])).tolist() == [False, False]
    assert discoveries(np.array([])).tolist() == []


def test_groups_are_the_predicted_classes_and_all(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"])
    run = base_run(study, "sst")
    handmade.write_correlation(
        study, run, [1, 0, 1], [0.5, None, 0.2], [0.01, None, 0.3], [None, "one token", None]
    )
    found = correlations(handmade.results(study), run, GRADIENT)
    assert {name: rows.tolist() for name, rows in found.groups.items()} == {
        "0": [False, True, False],
        "1": [True, False, True],
        "all": [True] * 3,
    }
    assert found.significant.tolist() == [True, False, False]
    ones = found.of(found.groups["1"])
    assert ones.tau.tolist() == [0.5, 0.2]
    assert ones.excluded.tolist() == [None, None]
    assert found.of(found.groups["0"]).excluded.tolist() == ["one token"]


def test_scores_about_a_class_are_about_the_predicted_one(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"])
    run = base_run(study, "sst")
    handmade.write_correlation(study, run, [1, 0, 1], [0.5, 0.1, 0.2], [0.01] * 3, [None] * 3)
    path = Layout(study.results_dir).analysis_of("correlation", run)
    rows = store.read_table(path, analyses.CORRELATION).to_pylist()
    others = [
        row | {"class": 1 - row["class"], "tau": -row["tau"]}
        for row in rows
        if row["class"] is not None
    ]
    both = pa.Table.from_pylist(others + rows, schema=analyses.CORRELATION.arrow).to_pydict()
    store.write_table(path, analyses.CORRELATION, both, made_by={})
    for pair in PAIRS:
        found = correlations(handmade.results(study), run, pair)
        assert found.predicted.tolist() == [1, 0, 1]
        assert found.tau.tolist() == [0.5, 0.1, 0.2]


def test_pairs_are_named_for_people():
    assert named_pair("attention~leave_one_out") == "attention – leave-one-out"
    assert named_pair("gradient~attention_gradient") == "gradient – attention × gradient"


def test_k_follows_the_length_of_the_documents(tmp_path):
    study = synthetic.study(tmp_path / "results", ["imdb"])
    synthetic.write_study(study)
    results = handmade.results(study)
    run = base_run(study, "imdb")
    lengths = results.predictions(run).ragged("attention").lengths
    assert correlations(results, run, LEAVE_ONE_OUT).k == round(0.1 * np.mean(lengths))
    assert np.mean(lengths) > 150
    assert correlations(results, run, LEAVE_ONE_OUT).tau == pytest.approx(
        results.correlation(run).where("pair", LEAVE_ONE_OUT).floats("tau"), nan_ok=True
    )
