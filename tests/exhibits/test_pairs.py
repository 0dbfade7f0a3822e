"""What tables and figures say of corpora of pairs and of more than two classes."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from attnnn.dag import catalogue
from attnnn.exhibits.both.correlation import correlation
from attnnn.exhibits.both.per_instance_adversary import (
    per_instance_adversary,
    per_instance_adversary_sheet,
)
from attnnn.exhibits.both.permutation import permutation
from attnnn.exhibits.drawing import differences, heatmap, histograms, violin_figures
from attnnn.exhibits.facts import Setting
from attnnn.exhibits.groups import predicted_groups, series_of
from attnnn.exhibits.jain_wallace.jw_grid import grid, grid_sheet
from attnnn.exhibits.jain_wallace.jw_table1 import characteristics, characteristics_sheet
from attnnn.exhibits.jain_wallace.jw_table2 import first_correlations, first_correlations_sheet
from attnnn.exhibits.write import write
from attnnn.study.runs import base_run
from tests.exhibits import handmade, synthetic
from tests.support import Layout


def _study(folder, corpora):
    study = synthetic.study(folder / "results", corpora, papers=["jain-wallace"])
    synthetic.write_study(study)
    return handmade.results(study)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A corpus of many answers, one of three classes, and one of two."""
    return _study(tmp_path_factory.mktemp("pairs"), ["babi", "snli", "sst"])


@pytest.fixture(scope="module")
def unsolved(tmp_path_factory):
    """Corpora of pairs alone: the exact adversary is known of none for certain."""
    return _study(tmp_path_factory.mktemp("unsolved"), ["babi", "snli"])


def _base(results, corpus):
    return results.predictions(base_run(results.study, corpus))


def test_groups_are_the_classes_where_fewer_than_four_are_predicted():
    few, many = np.array([7, 1, 7, 4]), np.array([0, 1, 2, 3])
    assert {k: v.tolist() for k, v in predicted_groups(few).items()} == {
        "1": [False, True, False, False],
        "4": [False, False, False, True],
        "7": [True, False, True, False],
        "all": [True] * 4,
    }
    assert list(predicted_groups(many)) == ["all"]


def test_series_are_the_classes_up_to_three():
    assert list(series_of(np.array([1, 1]))) == [0, 1]
    assert list(series_of(np.array([0, 2]))) == [0, 1, 2]
    assert list(series_of(np.array([0, 3]))) == [None]
    assert series_of(np.array([0, 3]))[None].all()


def test_predictions_of_multiclass(results):
    test = _base(results, "babi")
    rows = np.array(test.texts("probabilities"))
    assert test.predicted.tolist() == rows.argmax(axis=1).tolist()
    assert test.probability == pytest.approx(rows.max(axis=1))
    # What decoders alone need is not read: it is large.
    assert "pieces" not in test.arrow.column_names
    two = _base(results, "sst")
    assert two.probability.tolist() == two.floats("probability").tolist()


def test_table_1_scores_answers_by_accuracy_and_counts_them(results):
    table = characteristics(results)
    for corpus in ("babi", "snli"):
        test = _base(results, corpus)
        label, predicted = test.ints("label"), test.predicted
        found = {f.metric: f for f in table if f.corpus == corpus and "model" in f.setting}
        assert set(found) == {"macro_f1", "accuracy"}
        assert found["accuracy"].value == pytest.approx(accuracy_score(label, predicted))
        macro = f1_score(label, predicted, average="macro")
        assert found["macro_f1"].value == pytest.approx(macro)
        assert found["macro_f1"].low <= macro <= found["macro_f1"].high
    rows = {row[0]: row for row in characteristics_sheet(results, table).rows}
    assert rows["babi"][1] == "24 answers"
    assert rows["babi"][5:7] == ["80 (5 answers)", "–"]
    assert rows["snli"][1] == "contradiction / entailment / neutral"
    assert rows["sst"][6] != "–"


def test_classes_are_told_apart_in_tables_where_they_are_few(results):
    for made, mark in ((correlation, 2), (first_correlations, 2), (permutation, 1)):
        groups = {
            corpus: {
                str(setting).split()[mark]
                for setting in made(results).settings(corpus)
                if "?" not in str(setting)
            }
            for corpus in ("babi", "snli")
        }
        assert groups["babi"] == {"predicted=all"}, made
        assert groups["snli"] == {f"predicted={k}" for k in ("0", "1", "2", "all")}, made


def test_the_papers_classes_of_snli_stand_in_rows_of_their_own(results):
    table = first_correlations(results)
    pair = Setting(model="bilstm-additive", pair="attention~gradient", predicted="0")
    assert table.get("snli", pair, "tau_mean").published is None
    unknown = table.get("snli", pair.but(predicted="?0"), "tau_mean")
    assert (unknown.value, unknown.published) == (None, 0.36)
    assert table.get("babi", pair.but(predicted="all"), "tau_mean").published == 0.23
    sheet = first_correlations_sheet(results, table)
    marks = [row[1:3] for row in sheet.rows if row and row[0] == "snli"]
    assert marks == [
        *(["0", "here"], ["1", "here"], ["2", "here"], ["all", "here"]),
        *(["?0", "J&W"], ["?1", "J&W"], ["?2", "J&W"]),
    ]
    assert any("which order is not known" in note for note in sheet.notes)
    babi = [row for row in sheet.rows if row and row[0] == "babi"]
    assert [row[1:3] for row in babi] == [["all", "here"], ["all", "J&W"]]
    assert babi[1][3:] == ["0.23 ± 0.19", "0.46", "0.66 ± 0.17", "0.97", "0.23 ± 0.18", "0.45"]


def test_the_grid_has_no_area_and_bounds_the_exact_adversary_of_multiclass(results):
    table = grid(results)
    metrics = {
        corpus: {f.metric for f in table if f.corpus == corpus} for corpus in ("babi", "sst")
    }
    assert metrics["sst"] - metrics["babi"] == {"f1", "auc", "epsilon_max_jsd_exact"}
    bounds = {"epsilon_max_jsd_best_known", "epsilon_max_jsd_bound", "share_exact"}
    assert metrics["babi"] - metrics["sst"] == {"macro_f1", *bounds}
    sheet = grid_sheet(results, table)
    of_babi = [row for row in sheet.rows if row and row[0] == "babi"]
    assert all((row[3], row[5]) == ("–", "–") for row in of_babi)
    assert all(row[4] != "–" for row in of_babi)
    # babi_1+lstm+tanh: accuracy 1.0; al .2508, ag .1604, gl .4986.
    theirs = ["–", "1.00", "–", "0.25", "0.16", "0.50", "–", "–", "–"]
    assert of_babi[1] == ["babi", "bilstm-additive", "J&W", *theirs]
    rows = {row[1]: row for row in of_babi if row[2] == "here"}
    exact = results.exact("babi")
    mean, bound = (f"{exact.floats(name).mean():.2f}" for name in ("jsd", "bound"))
    cell = rows["bilstm-additive"][11]
    assert cell.startswith(f"{mean} [")
    assert cell.endswith(f"≤ {bound}")
    assert rows["bilstm-none"][11] == "–"


def test_best_known_adversaries_and_bounds_stand_beside_the_searched_ones(results, unsolved):
    table = per_instance_adversary(results)
    sheet = per_instance_adversary_sheet(results, table)
    assert sheet.columns[3:7] == ["searched", "exact or best known", "bound", "exact for"]
    rows = {tuple(row[:3]): row[3:] for row in sheet.rows if row}
    exact = results.exact("babi")
    found = rows["babi", "0.01", "all"]
    assert found[1].startswith(f"{exact.floats('jsd').mean():.3f} [")
    assert found[2].startswith(f"{exact.floats('bound').mean():.3f} [")
    assert found[3] == "50.0 %"
    assert rows["sst", "0.01", "all"][2:4] == ["–", "100 %"]
    share = table.get("babi", Setting("best_known", epsilon=0.01, predicted="all"), "share_exact")
    assert share.value == exact.flags("exact").mean() == 0.5
    assert any("no attention exceeds" in note for note in sheet.notes)
    alone = handmade.results(results.study.of_corpora(["sst"]))
    sheet = per_instance_adversary_sheet(alone, per_instance_adversary(alone))
    assert sheet.columns[3:5] == ["searched", "exact"]
    assert "bound" not in sheet.columns
    assert not any("exceeds" in note for note in sheet.notes)


def test_tables_of_the_other_paper_leave_pairs_out(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst", "babi"])
    synthetic.write_study(study)
    paths = Layout(study.results_dir)
    for name, corpora in (("table2", {"sst"}), ("jw_table1", {"sst", "babi"})):
        write(study, name)
        with open(paths.table(name, "csv"), encoding="utf-8") as file:
            assert {line.split(",")[0] for line in list(file)[1:]} == corpora
        assert set(catalogue.exhibit(name).corpora(study)) == corpora


@pytest.mark.usefixtures("styled")
def test_figures_show_one_series_of_many_answers_and_one_a_class_of_three(results):
    figure = histograms.leave_one_out_correlations(results)
    filled = [sum(patch.get_fill() for patch in axis.patches) for axis in figure.axes[:3]]
    assert filled == [1, 3, 2]
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == [
        "predicted class 0 (first n)",
        "predicted class 1 (second n)",
        "predicted class 2 (third n)",
        "any predicted class",
        "importance shuffled",
    ]
    assert "n = 80" in figure.axes[0].get_title(loc="left")


@pytest.mark.usefixtures("styled")
@pytest.mark.parametrize("draw", [histograms.adversaries, violin_figures.adversaries])
def test_panels_say_where_an_adversary_is_the_best_known_one(results, unsolved, draw):
    mixed = draw(results).axes
    assert len(mixed) == 6
    titles = [axis.get_title(loc="left") for axis in mixed]
    assert ["best known, exact for 50.0 %" in title for title in titles] == [
        *(False, True, False, True),  # babi, snli
        *(False, False),
    ]
    names = [axis.get_xlabel() for axis in draw(unsolved).axes]
    assert not any(name.startswith("exact") for name in names)


@pytest.mark.usefixtures("styled")
def test_the_bound_is_drawn_beside_the_best_known_adversary(results):
    figure = histograms.adversaries(results)
    unfilled = [sum(not patch.get_fill() for patch in axis.patches) for axis in figure.axes]
    # An outline for each class, of many answers one; and the bound's.
    assert unfilled == [1, 1 + 1, 3, 3 + 1, 2, 2]
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend[-1] == "bound of best known"
    exact = results.exact("snli")
    drawn = figure.axes[3].patches[-1].get_data().values
    expected, _ = np.histogram(exact.floats("bound"), histograms.JSD_EDGES)
    np.testing.assert_allclose(drawn, expected / len(exact))


@pytest.mark.usefixtures("styled")
def test_violins_count_every_document_once(unsolved):
    for axis, corpus in zip(violin_figures.permuted(unsolved).axes, ("babi", "snli"), strict=False):
        counts = [int(text.get_text().removeprefix("n = ")) for text in axis.texts]
        assert len(counts) == 4 * (1 if corpus == "babi" else 3)
        assert sum(counts) == len(unsolved.permutation(corpus))


@pytest.mark.usefixtures("styled")
def test_differences_of_many_answers_are_of_all_documents_alone(unsolved):
    figure = differences.beside_gradients(unsolved)
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names[:4] == ["all documents", *(f"predicted class {k}" for k in range(3))]


@pytest.mark.usefixtures("styled")
def test_the_opening_figure_shows_what_was_asked(unsolved):
    reading = heatmap.document_of(unsolved, "babi")
    assert reading.attention.shape == (2, len(reading.tokens))
    assert reading.question == ["where", "is", "the", "film"]
    assert reading.answer.startswith("word")
    axis = heatmap.opening(unsolved).axes[0]
    assert f"answer: {reading.answer}" in axis.get_title(loc="left")
    texts = [text.get_text() for text in axis.texts]
    assert "asked of this text" in texts
    assert "exact adversary" not in texts
