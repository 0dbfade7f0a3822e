"""What the figures show, and that a reader can read it."""

import itertools

import numpy as np
import pytest
from matplotlib.text import Text

from attnnn.exhibits.drawing import (
    differences,
    document,
    heatmap,
    histograms,
    maps,
    plane,
    schematics,
    violin_figures,
    violins,
)
from attnnn.exhibits.drawing.labels import label_lambdas, place_labels, short
from attnnn.exhibits.drawing.style import PAGE, new_figure, panel_grid, settle
from attnnn.study.runs import adversary_runs, base_run
from tests.exhibits import handmade, synthetic

FIGURES = {
    "jw_fig1": heatmap.opening,
    "jw_fig2": histograms.gradient_correlations,
    "jw_fig3": differences.beside_leave_one_out,
    "jw_fig4": differences.beside_gradients,
    "jw_fig5": histograms.leave_one_out_correlations,
    "jw_fig6": violin_figures.permuted,
    "jw_fig7": histograms.adversaries,
    "jw_fig8": violin_figures.adversaries,
    "fig1": schematics.experiments,
    "fig2": maps.attention_maps,
    "fig3": violin_figures.attention_shift,
    "fig4": schematics.guided_mlp,
    "fig5": plane.prediction_against_attention,
    "fig6": plane.prediction_against_attention_by_class,
}


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """One corpus with the paper's longest λ grid, and four with long documents among them."""
    grid = [0, 1e-5, 5e-5, 1e-4, 5e-4, 5.2e-4, 5.5e-4, 6e-4, 7.5e-4, 1e-3, 1e-2, 0.1, 0.5, 1]
    folder = tmp_path_factory.mktemp("figures")
    one = synthetic.study(folder / "1", ["sst"], lambdas=grid, protocol="wiegreffe-pinter")
    four = synthetic.study(folder / "4", ["sst", "imdb", "needle", "redundant"])
    for study in (one, four):
        synthetic.write_study(study)
    return {1: one, 4: four}


@pytest.mark.usefixtures("styled")
@pytest.mark.parametrize("corpora", [1, 4])
@pytest.mark.parametrize("name", FIGURES)
def test_text_is_large_enough_and_inside_the_page(studies, name, corpora):
    figure = FIGURES[name](handmade.results(studies[corpora]))
    settle(figure)
    assert figure.get_figwidth() <= PAGE
    page = figure.bbox
    for text in _drawn(figure):
        assert text.get_fontsize() >= 7, text
        box = text.get_window_extent()
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= page.x1 + 1 and box.y1 <= page.y1 + 1
        assert inside, text


def _drawn(figure):
    """Every text that a reader sees; tick labels exist beyond the limits, too, but are not drawn."""
    ticks = set()
    seen = []
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            ticks |= {text for tick in axis.majorTicks for text in tick.findobj(Text)}
            low, high = sorted(axis.get_view_interval())
            if axes.axison:
                seen += [t.label1 for t in axis.get_major_ticks() if low <= t.get_loc() <= high]
    seen += [text for text in figure.findobj(Text) if text not in ticks]
    return [text for text in seen if text.get_visible() and text.get_text().strip()]


@pytest.mark.usefixtures("styled")
def test_labels_overlap_neither_each_other_nor_marks():
    figure = new_figure(3, 3)
    axis = figure.subplots()
    points = np.random.default_rng(1).random((12, 2)) * 0.5 + 0.25
    axis.plot(*points.T, "o")
    settle(figure)
    texts = [f"{number}e-4" for number in range(12)]
    left_out = place_labels(axis, points, texts, marks=points, lines=[])
    figure.draw_without_rendering()
    # Of an annotation that is the text alone, without the line to its mark.
    boxes = [Text.get_window_extent(label) for label in axis.texts]
    assert len(boxes) + len(left_out) == 12
    assert len(boxes) > 8
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    assert not any(
        box.contains(*mark) for box in boxes for mark in axis.transData.transform(points)
    )


@pytest.mark.usefixtures("styled")
def test_labels_without_room_are_handed_back():
    figure = new_figure(1, 1)
    axis = figure.subplots()
    points = np.full((40, 2), 0.5)
    settle(figure)
    texts = [str(number) for number in range(100, 140)]
    left_out = place_labels(axis, points, texts, marks=points, lines=[])
    assert 0 < len(left_out) < 40
    assert len(axis.texts) == 40 - len(left_out)


@pytest.mark.usefixtures("styled")
@pytest.mark.parametrize(
    ("values", "drawn_as_dots"),
    [
        ([0.1, 0.2, 0.3], 3),  # too few for a density
        ([0.2] * 30, 30),  # no spread
        ([1e-5 * i for i in range(30)], 0),  # a spread narrower than can be seen
        ([0.01 * i for i in range(30)], 0),
    ],
)
def test_violins_of_few_and_of_almost_equal_documents(values, drawn_as_dots):
    figure = new_figure(3, 3)
    axis = figure.subplots()
    violins.half_violin(axis, np.array(values), 1, 0.4, 0)
    dots = [line for line in axis.lines if line.get_marker() == "o"]
    assert sum(len(line.get_xdata()) for line in dots) == drawn_as_dots
    outlines = [path.vertices for body in axis.collections for path in body.get_paths()]
    assert len(outlines) == (0 if drawn_as_dots else 1)
    for outline in outlines:
        assert np.isfinite(outline).all()
        # Class 0 stands on its bin's line and rises to less than half way to the next.
        assert outline[:, 1].min() == pytest.approx(1)
        assert outline[:, 1].max() == pytest.approx(1.4)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (1e-3, ".001"), (0.05, ".05"), (5.25e-4, "5.25e-4"), (1e-5, "1e-5"), (1, "1")],
)
def test_lambda_is_short(value, shown):
    assert short(value) == shown


@pytest.mark.usefixtures("styled")
def test_points_on_one_spot_share_a_label():
    figure = new_figure(3, 3)
    axis = figure.subplots()
    sweep = np.array([[0.1, 0.1], [0.1, 0.1001], [0.1, 0.1], [0.5, 0.5], [0.9, 0.1], [0.9, 0.1]])
    axis.plot(*sweep.T)
    settle(figure)
    lambdas = [0, 1e-4, 1e-3, 1e-2, 0.1, 1]
    label_lambdas(axis, sweep, lambdas, marks=sweep, lines=[sweep], colour="black")
    assert {text.get_text() for text in axis.texts} == {"0–.001", ".01", ".1–1"}


def test_points_of_figure_5_are_means_over_test_documents(studies):
    study = studies[1]
    results = handmade.results(study)
    points = plane.points_of(results, "sst")
    run = adversary_runs(study, "sst", study.base_seed)[3]
    table = results.divergence(run)
    expected = [table.floats("jsd").mean(), table.floats("tvd_half").mean()]
    assert points.sweeps[True][3] == pytest.approx(expected)
    searched = results.searched("sst")
    halved = searched.floats("change").mean() / 2
    assert points.searched == pytest.approx([searched.floats("jsd").mean(), halved])
    exact = results.exact("sst")
    change = exact.floats("epsilon") - exact.floats("slack")
    assert points.exact == pytest.approx([exact.floats("jsd").mean(), change.mean() / 2])
    assert points.candidates[0] == pytest.approx(results.candidates("sst").floats("jsd").mean())


def test_figure_6_divides_the_documents_by_predicted_class(studies):
    results = handmade.results(studies[4])
    whole = plane.points_of(results, "imdb")
    parts = [plane.points_of(results, "imdb", class_) for class_ in (0, 1)]
    assert sum(part.documents for part in parts) == whole.documents
    weighted = sum(part.documents * part.uniform for part in parts) / whole.documents
    assert weighted == pytest.approx(whole.uniform)
    assert list(whole.sweeps) == [True, False]


@pytest.mark.usefixtures("styled")
def test_a_class_that_is_never_predicted_leaves_an_empty_panel(studies, monkeypatch):
    results = handmade.results(studies[1])
    everyone = plane.points_of(results, "sst")
    nothing = plane.points_of(results, "sst", 7)
    assert nothing.documents == 0
    monkeypatch.setattr(plane, "points_of", lambda _, __, class_: nothing if class_ else everyone)
    figure = plane.prediction_against_attention_by_class(results)
    assert figure.axes[1].get_title() == "sst, predicted class 1 (n = 0)"
    assert "no document" in [text.get_text() for text in figure.axes[1].texts]


def test_document_of_figure_2_meets_its_rule(studies):
    study = studies[4]
    results = handmade.results(study)
    for corpus in study.corpora:
        base = results.predictions(base_run(study, corpus))
        row = document.choose_document(results, corpus)
        assert base.predicted[row] == base.ints("label")[row]
        assert results.searched(corpus).flags("found")[row]
        lengths = base.ragged("attention").lengths
        if corpus != "imdb":
            assert lengths[row] <= maps.WIDEST
        assert abs(lengths[row] - np.median(lengths)) <= 3


def test_excerpt_is_the_window_of_most_weight():
    attention = np.zeros((3, 60))
    attention[0, 40] = attention[1, 50] = attention[2, 3] = 1
    window = maps.excerpt(attention)
    assert window.stop - window.start == maps.WIDEST
    assert window.start <= 40
    assert window.stop > 50
    assert maps.excerpt(attention[:, :20]) == slice(0, 20)


@pytest.mark.parametrize(
    ("panels", "grid"),
    [(1, (1, 1)), (2, (1, 2)), (3, (1, 3)), (4, (2, 2)), (5, (2, 3)), (7, (3, 3))],
)
def test_panel_grid(panels, grid):
    assert panel_grid(panels) == grid
