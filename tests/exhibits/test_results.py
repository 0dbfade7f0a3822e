import numpy as np
import pyarrow as pa
import pytest

from attnnn.errors import UserError
from attnnn.exhibits.facts import Setting
from attnnn.exhibits.finished import Table, divergence, require_same_documents
from attnnn.exhibits.groups import bin_of
from attnnn.exhibits.wiegreffe_pinter.table1 import dataset_statistics
from attnnn.study.runs import base_run, grid_runs
from tests.exhibits import handmade, synthetic


def test_missing_table_is_told_in_one_line(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"])
    results = handmade.results(study)
    with pytest.raises(UserError, match=r"predictions\.parquet: no such file"):
        results.predictions(base_run(study, "sst"))
    with pytest.raises(UserError, match=r"description\.json: no such file"):
        results.description("sst")


def test_predicted_class_is_above_one_half(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"])
    run = base_run(study, "sst")
    handmade.write_predictions(study, run, [0, 0, 1], {"test": [0.5, 0.50001, 0.49]})
    assert handmade.results(study).predictions(run).predicted.tolist() == [0, 1, 0]


def test_tables_about_different_documents_are_not_compared(finished):
    results = handmade.results(finished)
    dev = results.predictions(base_run(finished, "sst"), "dev")
    test = results.predictions(base_run(finished, "sst"))
    require_same_documents(test, test)
    with pytest.raises(ValueError, match="different documents"):
        require_same_documents(dev, test)


def test_analyses_are_of_the_base_model_unless_another_run_is_named(finished):
    results = handmade.results(finished)
    base, other = grid_runs(finished, "sst")[:2]
    for read in (results.permutation, results.searched, results.exact, results.candidates):
        assert read("sst").arrow.equals(read("sst", run=base).arrow)
        assert not read("sst").arrow.equals(read("sst", run=other).arrow)
    assert set(results.exact("sst", 0.05, run=other).floats("epsilon")) == {0.05}


def test_bins_of_the_largest_weight():
    assert bin_of([0, 0.2499, 0.25, 0.5, 0.7499, 0.75, 1]).tolist() == [0, 0, 1, 2, 2, 3, 3]


def test_statistics_count_documents_and_tokens(finished):
    results = handmade.results(finished)
    table = dataset_statistics(results)
    train = results.documents("sst", "train")
    lengths = [len(tokens) for tokens in train.texts("tokens")]
    mean = table.get("sst", Setting(split="train"), "mean_tokens")
    assert (mean.value, mean.published) == (pytest.approx(sum(lengths) / len(lengths)), 19)
    assert table.get("sst", Setting(split="train"), "max_tokens").value == max(lengths)
    negative = table.get("sst", Setting(split="test", class_=0), "documents")
    assert negative.value == (results.documents("sst").ints("label") == 0).sum()
    assert (negative.n, negative.published) == (40, 863)


def predictions_of(attention: list[list[float]], probability: list[float]) -> Table:
    return Table(
        pa.table(
            {
                "document": pa.array([4, 7]),
                "attention": pa.array(attention, pa.list_(pa.float32())),
                "probability": pa.array(probability, pa.float32()),
            }
        )
    )


def test_divergence_of_a_run_from_the_base_by_hand():
    base = predictions_of([[0.5, 0.5], [1.0, 0.0]], [0.25, 0.75])
    run = predictions_of([[0.5, 0.5], [0.0, 1.0]], [0.25, 0.5])
    found = divergence(run, base)
    assert found.ints("document").tolist() == [4, 7]
    np.testing.assert_allclose(
        found.floats("jsd"), [0, np.log(2)]
    )  # nats; ln 2 where supports are apart
    np.testing.assert_allclose(found.floats("tvd"), [0, 0.25])
    np.testing.assert_allclose(found.floats("tvd_half"), [0, 0.125])
    assert base.predicted.tolist() == [0, 1]
    np.testing.assert_allclose(base.ragged("attention").maxima(), [0.5, 1])


def test_the_base_does_not_diverge_from_itself():
    base = predictions_of([[0.3, 0.7], [1.0, 0.0]], [0.25, 0.75])
    found = divergence(base, base)
    assert found.floats("jsd").tolist() == found.floats("tvd").tolist() == [0, 0]
