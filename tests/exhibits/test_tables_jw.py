"""The tables of Jain & Wallace 2019, from handmade and made-up studies."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from attnnn.exhibits.both.correlation import correlation
from attnnn.exhibits.facts import Setting
from attnnn.exhibits.jain_wallace.jw_grid import grid, grid_sheet
from attnnn.exhibits.jain_wallace.jw_table1 import characteristics, characteristics_sheet
from attnnn.exhibits.jain_wallace.jw_table2 import first_correlations, first_correlations_sheet
from attnnn.study.runs import average_run, base_run, grid_runs
from attnnn.tables import store
from tests.exhibits import handmade, synthetic
from tests.support import Layout

ALONE = {"papers": ["jain-wallace"]}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Two corpora of the papers and a planted one."""
    folder = tmp_path_factory.mktemp("jw") / "results"
    study = synthetic.study(folder, ["sst", "imdb", "needle"], **ALONE)
    synthetic.write_study(study)
    return handmade.results(study)


def test_table_1_by_hand(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"], **ALONE)
    content = {
        "classes": ["bad", "good"],
        "vocabulary": {"size": 77},
        "splits": {
            "train": {"documents": 5, "per_class": {"bad": 2, "good": 3}, "tokens": {"mean": 7.5}},
            "test": {"documents": 4, "per_class": {"bad": 2, "good": 2}, "tokens": {"mean": 6.0}},
        },
    }
    paths = Layout(study.results_dir)
    store.write_json(paths.corpus("sst", "description.json"), content)
    run = base_run(study, "sst")
    # Of the two documents of class 1 one is found, and nothing else is taken for it: F1 2/3.
    handmade.write_predictions(study, run, [1, 1, 0, 0], {"test": [0.9, 0.1, 0.1, 0.1]})
    results = handmade.results(study)
    table = characteristics(results)
    found = {(str(f.setting), f.metric): (f.value, f.n, f.published) for f in table}
    assert found == {
        ("all", "vocabulary_size"): (77, None, None),
        ("split=train", "mean_tokens"): (7.5, 5, 19),
        ("split=train class=0", "documents"): (2, 5, 3034),
        ("split=train class=1", "documents"): (3, 5, 3321),
        ("split=test", "mean_tokens"): (6.0, 4, None),
        ("split=test class=0", "documents"): (2, 4, 863),
        ("split=test class=1", "documents"): (2, 4, 862),
        ("model=bilstm-additive", "f1"): (pytest.approx(2 / 3), 4, 0.81),
        ("model=bilstm-additive", "accuracy"): (0.75, 4, None),
    }
    assert 0 <= table.get("sst", Setting(model="bilstm-additive"), "accuracy").low <= 0.75
    shown = characteristics_sheet(results, table).markdown()
    assert "| sst | bad / good | 77 | 7.5 (19) | 2 / 3 (3034 / 3321) | 2 / 2 (863 / 862) |" in shown


def test_table_1_reads_no_documents(results):
    """Its needs are descriptions and predictions, so a corpus of gigabytes costs it nothing."""
    table = characteristics(results)
    sizes = [table.get("imdb", Setting(split="test", class_=k), "documents").value for k in (0, 1)]
    labels = results.predictions(base_run(results.study, "imdb")).ints("label")
    assert sizes == np.bincount(labels).tolist()


def test_table_2_is_the_papers_part_of_the_correlation_table(results):
    whole = {(f.corpus, f.setting, f.metric): f for f in correlation(results)}
    part = list(first_correlations(results))
    assert all(whole[f.corpus, f.setting, f.metric] == f for f in part)
    settings = {str(setting).rpartition(" ")[0] for _, setting, _ in whole}
    assert (
        {str(f.setting).rpartition(" ")[0] for f in part}
        == {
            "model=bilstm-additive pair=attention~gradient",
            "model=average-additive pair=attention~gradient",
            "model=bilstm-additive pair=attention~leave_one_out",
        }
        < settings
    )


def test_sheet_of_table_2_has_the_papers_line_under_ours(results):
    sheet = first_correlations_sheet(results, first_correlations(results))
    rows = [row for row in sheet.rows if row]
    assert all(len(row) == len(sheet.columns) == 9 for row in rows)
    # The paper prints classes of its corpora, and no overall of these.
    assert [row[:3] for row in rows if row[0] == "sst"] == [
        ["sst", "0", "here"],
        ["sst", "0", "J&W"],
        ["sst", "1", "here"],
        ["sst", "1", "J&W"],
        ["sst", "all", "here"],
    ]
    assert [row[2] for row in rows if row[0] == "needle"] == ["here"] * 3
    assert rows[1][3:] == ["0.40 ± 0.21", "0.59", "0.69 ± 0.15", "0.93", "0.34 ± 0.20", "0.47"]


def test_a_class_that_one_model_never_predicts_leaves_dashes(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"], **ALONE)
    for run, predicted in (
        (base_run(study, "sst"), [0, 1, 1]),
        (average_run(study, "sst"), [1, 1, 1]),
    ):
        handmade.write_correlation(study, run, predicted, [0.5] * 3, [0.01] * 3, [None] * 3)
    results = handmade.results(study)
    rows = first_correlations_sheet(results, first_correlations(results)).rows
    zero = next(row for row in rows if row[:3] == ["sst", "0", "here"])
    assert zero[3].startswith("0.50 ± 0.00")
    assert zero[5:7] == ["–", "–"]


def test_the_grid_against_sklearn_and_plain_means(results):
    table = grid(results)
    study = results.study
    for run in grid_runs(study, "sst"):
        setting = Setting(model=run.model.name)
        test = results.predictions(run)
        label, probability = test.ints("label"), test.floats("probability")
        found = {
            metric: table.get("sst", setting, metric).value for metric in ("f1", "accuracy", "auc")
        }
        assert found == pytest.approx(
            {
                "f1": f1_score(label, probability > 0.5),
                "accuracy": accuracy_score(label, probability > 0.5),
                "auc": roc_auc_score(label, probability),
            }
        )
        tau = results.correlation(run).where("pair", "attention~gradient").floats("tau")
        fact = table.get("sst", setting, "tau_attention_gradient")
        assert fact.value == pytest.approx(np.nanmean(tau))
        assert fact.n == (~np.isnan(tau)).sum()
        change = results.permutation("sst", run=run).floats("median_change")
        fact = table.get("sst", setting, "permutation_median_change")
        assert fact.value == pytest.approx(np.median(change))
        assert fact.low <= fact.value <= fact.high
        for metric, read in (("searched", results.searched), ("exact", results.exact)):
            fact = table.get("sst", setting, f"epsilon_max_jsd_{metric}")
            assert fact.value == pytest.approx(read("sst", 0.01, run=run).floats("jsd").mean())


def test_models_differ_in_the_grid(results):
    values = [fact.value for fact in grid(results) if fact.metric == "permutation_median_change"]
    assert len(set(values)) == len(values) == 3 * 6


def test_vanilla_models_have_scores_alone(results):
    metrics = {fact.metric for fact in grid(results) if str(fact.setting).endswith("-none")}
    assert metrics == {"f1", "accuracy", "auc"}


def test_sheet_of_the_grid_has_a_row_a_corpus_and_model(results):
    sheet = grid_sheet(results, grid(results))
    rows = [row for row in sheet.rows if row]
    assert len([row for row in rows if row[2] == "here"]) == 3 * 9
    assert all(len(row) == len(sheet.columns) for row in rows)
    vanilla = rows[6 * 2 + 2]
    assert vanilla[:3] == ["sst", "cnn-none", "here"]
    assert vanilla[6:] == ["–"] * 6


def test_the_grid_has_the_authors_own_line_under_ours(results):
    table = grid(results)
    rows = [row for row in grid_sheet(results, table).rows if row]
    # sst+lstm+tanh: F1 .7835, accuracy .8081, AUC .9024; al .3512, ag .2913, gl .6559.
    theirs = ["0.78", "0.81", "0.90", "0.35", "0.29", "0.66", "–", "–", "–"]
    assert rows[1] == ["sst", "bilstm-additive", "J&W", *theirs]
    assert [row[1] for row in rows if row[0] == "imdb" and row[2] == "J&W"] == [
        run.model.name for run in grid_runs(results.study, "imdb")
    ]
    assert "J&W" not in {row[2] for row in rows if row[0] == "needle"}
    fact = table.get("sst", Setting(model="cnn-additive"), "auc")
    assert fact.published == 0.9081886689985025


def test_no_grid_of_the_authors_is_spoken_of_where_there_is_none(results):
    alone = handmade.results(results.study.of_corpora(["needle"]))
    sheet = grid_sheet(alone, grid(alone))
    assert not any("J&W" in note for note in sheet.notes)


def test_the_authors_f1_of_acute_anemia_is_not_set_beside_ours_of_chronic(tmp_path):
    source = {"kind": "mimic", "task": "anemia", "anemia_positive": "chronic"}
    study = synthetic.study(tmp_path / "results", ["sst"], **ALONE)
    synthetic.write_study(study)
    described = {"source": source, "published": "Anemia"}
    corpora = {"sst": study.corpora["sst"].model_validate(described)}
    study = study.model_copy(update={"corpora": corpora})
    table = grid(handmade.results(study))
    printed = {
        f.metric: f.published for f in table if f.setting == Setting(model="bilstm-additive")
    }
    assert printed["f1"] is None
    # anemia+lstm+tanh
    assert printed["auc"] == 0.9737314322888431


def test_propagated_nan_reaches_the_grid(tmp_path):
    study = synthetic.study(
        tmp_path / "results", ["sst"], switches={"nan_policy": "propagate"}, **ALONE
    )
    synthetic.write_study(study)
    table = grid(handmade.results(study))
    facts = [f for f in table if f.metric.startswith("tau") and np.isnan(f.value)]
    assert facts
    assert all((f.low, f.high) == (None, None) for f in facts)
