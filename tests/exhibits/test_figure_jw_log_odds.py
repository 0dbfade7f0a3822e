"""The figure of log-odds attention: its points, its bins, its words."""

from itertools import pairwise

import numpy as np
import pytest

from attnnn.exhibits.drawing.violin_figures import log_odds
from tests.exhibits import handmade, synthetic


@pytest.fixture(scope="module", params=[1, 6])
def results(request, tmp_path_factory):
    names = ["sst", *(f"needle_{k}" for k in "abcde")][: request.param]
    folder = tmp_path_factory.mktemp("log_odds") / "results"
    study = synthetic.study(folder, names, papers=["jain-wallace"], log_odds={"run": True})
    synthetic.write_study(study, test_size=40)
    return handmade.results(study)


@pytest.mark.usefixtures("styled")
def test_points_are_documents_by_predicted_class(results):
    figure = log_odds(results)
    assert len(figure.axes) == 2 * len(results.study.corpora)
    table = results.replacement("sst")
    predicted, left = table.ints("predicted"), figure.axes[0]
    for class_, line in enumerate(left.lines):
        points = np.column_stack([table.floats("jsd"), table.floats("imposed_change")])
        np.testing.assert_allclose(line.get_xydata(), points[predicted == class_])
    assert len(left.lines) == 2
    x, y = left.get_xlim(), left.get_ylim()
    assert x[0] <= 0 < np.log(2) <= x[1]
    assert y[0] <= 0
    assert y[1] >= 1


@pytest.mark.usefixtures("styled")
def test_counts_beside_the_violins_are_of_quarters_of_ln_2(results):
    figure = log_odds(results)
    table = results.replacement("sst")
    jsd, predicted = table.floats("jsd"), table.ints("predicted")
    edges = np.log(2) * np.array([0, 0.25, 0.5, 0.75, 1])
    expected = {
        f"n = {int(((jsd >= low) & (jsd < high) & (predicted == class_)).sum())}"
        for low, high in pairwise(edges)
        for class_ in (0, 1)
    }
    assert {text.get_text() for text in figure.axes[1].texts} == expected
    flips = (table.floats("imposed_probability") > 0.5) != (predicted == 1)
    title = figure.axes[0].get_title(loc="left")
    assert title == f"sst, {100 * flips.mean():.1f} % flip"
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names == ["predicted class 0", "predicted class 1"]
