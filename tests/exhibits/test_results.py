import pytest

from attnnn.errors import UserError
from attnnn.exhibits.bins import bin_of
from attnnn.exhibits.results import Results, require_same_documents
from attnnn.exhibits.table_corpora import dataset_statistics
from attnnn.study import design
from tests.exhibits import handmade, synthetic


def test_missing_table_is_told_in_one_line(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"])
    results = Results(study)
    with pytest.raises(UserError, match=r"predictions\.parquet: no such file"):
        results.predictions(design.base_run(study, "sst"))
    with pytest.raises(UserError, match=r"description\.json: no such file"):
        results.description("sst")


def test_predicted_class_is_above_one_half(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"])
    run = design.base_run(study, "sst")
    handmade.write_predictions(study, run, [0, 0, 1], {"test": [0.5, 0.50001, 0.49]})
    assert Results(study).predictions(run).predicted.tolist() == [0, 1, 0]


def test_tables_about_different_documents_are_not_compared(finished):
    results = Results(finished)
    dev = results.predictions(design.base_run(finished, "sst"), "dev")
    test = results.predictions(design.base_run(finished, "sst"))
    require_same_documents(test, test)
    with pytest.raises(ValueError, match="different documents"):
        require_same_documents(dev, test)


def test_analyses_are_of_the_base_model_unless_another_run_is_named(finished):
    results = Results(finished)
    base, other = design.grid_runs(finished, "sst")[:2]
    for read in (results.permutation, results.searched, results.exact, results.candidates):
        assert read("sst").arrow.equals(read("sst", run=base).arrow)
        assert not read("sst").arrow.equals(read("sst", run=other).arrow)
    assert set(results.exact("sst", 0.05, run=other).floats("epsilon")) == {0.05}


def test_bins_of_the_largest_weight():
    assert bin_of([0, 0.2499, 0.25, 0.5, 0.7499, 0.75, 1]).tolist() == [0, 0, 1, 2, 2, 3, 3]


def test_statistics_count_documents_and_tokens(finished):
    results = Results(finished)
    table = dataset_statistics(results)
    train = results.documents("sst", "train")
    lengths = [len(tokens) for tokens in train.texts("tokens")]
    mean = table.get("sst", "split=train", "mean_tokens")
    assert (mean.value, mean.published) == (pytest.approx(sum(lengths) / len(lengths)), 19)
    assert table.get("sst", "split=train", "max_tokens").value == max(lengths)
    negative = table.get("sst", "split=test class=0", "documents")
    assert negative.value == (results.documents("sst").ints("label") == 0).sum()
    assert (negative.n, negative.published) == (40, 863)
