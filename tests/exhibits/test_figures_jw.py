"""What the figures of Jain & Wallace 2019 show."""

import numpy as np
import pyarrow as pa
import pytest

from attnnn.exhibits.correlations import GRADIENT, LEAVE_ONE_OUT
from attnnn.exhibits.drawing import (
    differences,
    document,
    heatmap,
    histograms,
    violin_figures,
    violins,
)
from attnnn.exhibits.drawing.style import new_figure, paired_panels
from attnnn.exhibits.finished import Table
from attnnn.study.runs import average_run, base_run
from attnnn.tables import analyses
from tests.exhibits import handmade, synthetic


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures") / "results"
    study = synthetic.study(folder, ["sst", "imdb"], papers=["jain-wallace"])
    synthetic.write_study(study)
    return handmade.results(study)


def test_bins_of_tau_and_of_jsd():
    assert len(histograms.TAU_EDGES) == 31
    assert len(histograms.JSD_EDGES) == 41
    assert histograms.TAU_EDGES[[0, 15, 30]] == pytest.approx([-1, 0, 1])
    assert histograms.JSD_EDGES[[0, 20, 40]] == pytest.approx([0, 0.35, 0.7])


def test_fractions_are_of_the_defined_values():
    values = np.array([-1.0, 1.0, np.nan, 0.01, 0.02])
    found = histograms.fractions(values, histograms.TAU_EDGES)
    # Both ends belong to a bin.
    assert found[[0, 15, 29]].tolist() == [0.25, 0.5, 0.25]
    assert found.sum() == 1
    nothing = histograms.fractions(np.array([np.nan]), np.array([0, 1]))
    assert nothing.tolist() == [0]


def _heights(axis):
    """Outlines of the histograms of a panel, classes in order, then shuffled scores."""
    return [patch.get_data().values for patch in axis.patches if not patch.get_fill()]


@pytest.mark.usefixtures("styled")
def test_heights_of_figure_2_are_shares_of_each_predicted_class(results):
    figure = histograms.gradient_correlations(results)
    run = average_run(results.study, "sst")
    table = results.correlation(run).where("pair", GRADIENT)
    tau, predicted = table.floats("tau"), table.ints("predicted")
    found = _heights(figure.axes[1])
    for class_ in (0, 1):
        of_class = tau[(predicted == class_) & ~np.isnan(tau)]
        counts, _ = np.histogram(of_class, np.linspace(-1, 1, 31))
        np.testing.assert_allclose(found[class_], counts / len(of_class))
        assert found[class_].sum() == pytest.approx(1)
    shuffled, _ = np.histogram(table.floats("tau_shuffled"), np.linspace(-1, 1, 31))
    np.testing.assert_allclose(found[2], shuffled / (~np.isnan(tau)).sum())
    assert figure.axes[1].get_title(loc="left").startswith("sst, average\nn = ")
    assert f"{np.isnan(tau).sum()} undefined" in figure.axes[1].get_title(loc="left")


@pytest.mark.usefixtures("styled")
def test_figure_7_sets_the_exact_adversary_beside_the_searched_one(results):
    figure = histograms.adversaries(results)
    predicted = results.predictions(base_run(results.study, "sst")).predicted
    for axis, table in zip(
        figure.axes, (results.searched("sst"), results.exact("sst")), strict=False
    ):
        ones = table.floats("jsd")[predicted == 1]
        counts, _ = np.histogram(ones, np.linspace(0, 0.7, 41))
        np.testing.assert_allclose(_heights(axis)[1], counts / len(ones))


@pytest.mark.usefixtures("styled")
def test_a_class_that_is_never_predicted_is_an_empty_series():
    axis = new_figure(3, 3).subplots()
    values, predicted = np.array([0.1, 0.2]), np.array([1, 1])
    histograms._draw(axis, histograms.Series(values, predicted), np.linspace(0, 1, 3))
    assert [heights.tolist() for heights in _heights(axis)] == [[0, 0], [1, 0]]


@pytest.mark.usefixtures("styled")
def test_a_panel_without_any_defined_value_says_so():
    axis = new_figure(3, 3).subplots()
    series = histograms.Series(np.full(2, np.nan), np.array([0, 1]))
    histograms._draw(axis, series, np.linspace(0, 1, 3))
    assert [text.get_text() for text in axis.texts] == ["no document"]


@pytest.mark.usefixtures("styled")
def test_counts_stand_beside_every_bin_also_empty_ones():
    axis = new_figure(3, 3).subplots()
    bins, predicted = np.array([0, 0, 3]), np.array([0, 0, 0])
    violins.violins(axis, np.array([0.1, 0.2, 0.3]), bins, predicted, (0, 1))
    violins.write_counts(axis, bins, predicted)
    assert [text.get_text() for text in axis.texts] == [
        *("n = 2", "n = 0"),
        *("n = 0", "n = 0"),
        *("n = 0", "n = 0"),
        *("n = 1", "n = 0"),
    ]


@pytest.mark.usefixtures("styled")
def test_limits_of_the_violins_are_the_papers_or_wider(results):
    permuted = violin_figures.permuted(results)
    assert permuted.axes[0].get_xlim() == (-0.05, 1.05)
    low, high = violin_figures.adversaries(results).axes[0].get_xlim()
    assert low == -0.05
    # The paper's ends at .7 and cuts the densities that end at ln 2.
    assert high >= 0.7


@pytest.mark.parametrize("pair", [LEAVE_ONE_OUT, GRADIENT])
def test_differences_are_of_the_same_document(results, pair):
    table = results.correlation(base_run(results.study, "imdb"))
    tau = {name: {} for name in (pair, "gradient~leave_one_out")}
    for row in table.arrow.to_pylist():
        if row["pair"] in tau:
            tau[row["pair"]][row["document"]] = row["tau"]
    expected = [
        agreed - tau[pair][document]
        for document, agreed in tau["gradient~leave_one_out"].items()
        if agreed is not None and tau[pair][document] is not None
    ]
    found = differences.difference(results, "imdb", pair)
    np.testing.assert_allclose(found.values, expected)
    assert found.left_out == len(tau[pair]) - len(expected) > 0
    assert len(found.predicted) == len(found.values)


def test_documents_without_a_tau_are_left_out_of_a_difference(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"])
    run = base_run(study, "sst")
    handmade.write_correlation(
        study, run, [1, 0, 1], [0.5, None, 0.2], [0.01, None, 0.3], [None, "one token", None]
    )
    found = differences.difference(handmade.results(study), "sst", GRADIENT)
    assert (found.values.tolist(), found.predicted.tolist(), found.left_out) == ([0, 0], [1, 1], 1)


@pytest.mark.usefixtures("styled")
def test_figures_3_and_4_show_means_with_intervals_and_the_captions_numbers(results):
    for draw, pair, printed in (
        (differences.beside_leave_one_out, LEAVE_ONE_OUT, 0.2),
        (differences.beside_gradients, GRADIENT, 0.25),
    ):
        axis = draw(results).axes[0]
        assert [label.get_text() for label in axis.get_yticklabels()] == [
            *("sst", "imdb", "mean of corpora")
        ]
        marks = {
            round(float(line.get_ydata()[0]), 2): float(line.get_xdata()[0])
            for line in axis.lines
            if line.get_marker() == "o"
        }
        one, other = (
            differences.difference(results, corpus, pair).values.mean()
            for corpus in ("sst", "imdb")
        )
        assert list(marks.values()) == pytest.approx([one, other, (one + other) / 2])
        assert printed in [
            line.get_xdata()[0] for line in axis.lines if line.get_linestyle() == ":"
        ]


def test_words_are_laid_out_in_lines():
    words = ["aaa", "bb", "cccc", "d"]
    assert heatmap.laid_out(words, 6) == [(0, 0), (0, 4), (1, 0), (1, 5)]
    # A word wider than the line stands alone.
    assert heatmap.laid_out(["a", "bbbbbbbb", "c"], 6) == [(0, 0), (1, 0), (2, 0)]


def test_tokens_of_a_long_text_are_the_most_attended_ones_and_their_neighbours():
    attention = np.full((3, 60), 1e-4)
    attention[0, 10] = attention[1, 11] = attention[2, 58] = 1
    found = heatmap.chosen_tokens(attention, 9)
    # Two tokens on either side of 10, 11 and 58; there is no token 60.
    assert found.tolist() == [8, 9, 10, 11, 12, 13, *(56, 57, 58, 59)][: len(found)]
    assert heatmap.chosen_tokens(attention, 12).tolist()[:6] == [8, 9, 10, 11, 12, 13]
    assert {56, 57, 58, 59} <= set(heatmap.chosen_tokens(attention, 12).tolist())
    assert heatmap.chosen_tokens(attention, 60).tolist() == list(range(60))


def test_the_exact_adversary_as_weights():
    columns = {
        "document": [1, 2],
        "epsilon": [0.05] * 2,
        "jsd": [0.6] * 2,
        "token_a": [2, 0],
        "weight_a": [0.75, 1.0],
        "token_b": [0, None],
        "weight_b": [0.25, 0.0],
        "probability": [0.5] * 2,
        "slack": [0.0] * 2,
    }
    table = Table(pa.table(columns, schema=analyses.EXACT_ADVERSARY.arrow))
    weights = [document.exact_attention(table, row, 3).tolist() for row in (0, 1)]
    assert weights == [[0.25, 0, 0.75], [1, 0, 0]]


def test_the_opening_figure_reads_one_document_three_times(results):
    reading = heatmap.document_of(results, "imdb")
    assert reading.attention.shape == (3, len(reading.tokens))
    assert reading.attention.sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert reading.jsd[0] == 0
    assert reading.found
    base = results.predictions(base_run(results.study, "imdb"))
    row = base.ints("document").tolist().index(reading.document)
    assert (
        base.predicted[row] == base.ints("label")[row] == int(reading.answer.removeprefix("class "))
    )
    assert reading.probability[0] == pytest.approx(base.floats("probability")[row])


@pytest.mark.usefixtures("styled")
def test_left_out_tokens_are_said_and_never_shaded(results):
    figure = heatmap.opening(results)
    texts = [text.get_text() for axis in figure.axes for text in axis.texts]
    long = figure.axes[1]
    reading = heatmap.document_of(results, "imdb")
    shown = heatmap.chosen_tokens(reading.attention)
    assert f"{len(shown)} of {len(reading.tokens)} tokens" in long.get_title(loc="left")
    assert len(long.patches) == 3 * len(shown)
    assert "…" in texts
    assert "of" not in figure.axes[0].get_title(loc="left")


@pytest.mark.usefixtures("styled")
def test_texts_of_many_corpora_are_shorter(tmp_path):
    names = ["imdb", *(f"needle_{k}" for k in "abcdef")]
    study = synthetic.study(tmp_path / "results", names)
    synthetic.write_study(study, test_size=12)
    figure = heatmap.opening(handmade.results(study))
    assert len(figure.axes[0].patches) <= 3 * heatmap.MOST_TOKENS_OF_MANY


@pytest.mark.usefixtures("styled")
@pytest.mark.parametrize(("corpora", "grid"), [(1, (1, 2)), (3, (3, 2)), (4, (2, 4)), (12, (6, 4))])
def test_pairs_of_panels(corpora, grid):
    figure, pairs = paired_panels(corpora, 1.3)
    assert len(pairs) == corpora
    places = [axis.get_subplotspec() for pair in pairs for axis in pair]
    assert places[0].get_gridspec().get_geometry() == grid
    assert all(
        left.get_subplotspec().colspan.stop == right.get_subplotspec().colspan.start
        for left, right in pairs
    )
    # Twelve corpora still fit a page of paper.
    assert figure.get_figheight() <= 10
