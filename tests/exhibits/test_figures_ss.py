"""What the figures of Serrano & Smith 2019 show, from tables of a few documents worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from attnnn.exhibits.drawing import ranked_erasures, single_erasures
from attnnn.exhibits.drawn_erasures import contrasts, drawn_runs, label_of, until_flip
from attnnn.study.model import Model
from attnnn.study.runs import base_run, erased_runs
from attnnn.tables import analyses, store
from tests.exhibits import handmade, synthetic
from tests.exhibits.synthetic_erased import write_erased
from tests.support import Layout

NAN = np.nan
# i*, and two draws of r, of six documents; the last has one token.
WEIGHT = [[0.92, 0.1, 0.0], [0.53, 0.4, 0.1], [0.62, 0.2, 0.2], [0.3, 0.3, 0.3], [0.73, 0.1, 0]]
JS = [[0.4, 0.1, 0.0], [0.1, 0.3, 0.0], [0.2, 0.1, 0.0], [0.1, 0.1, 0.9], [0.5, 0.0, 0.0]]
FLIPS = [[1, 0, 1], [0, 1, 1], [0, 0, 1], [1, 1, 1], [1, 0, 1]]
RANKED = {
    "random": [0.5, 0.9, 0.7, 0.6, 0.8, 0.5, NAN],
    "attention": [0.2, 0.4, 0.3, 0.1, 0.6, NAN, NAN],
    "ascending_attention": [NAN] * 7,
    "contribution": [NAN] * 7,
    "smallest": [0.1, 0.2, 0.1, 0.1, 0.3, 0.4, NAN],
}


def study_of(folder, corpora=("sst",), papers=("serrano-smith",), **settings):
    models = {"models": ["flan-rnn-additive"]}
    return synthetic.study(
        folder, list(corpora), papers=list(papers), **{"serrano_smith": models, **settings}
    )


def write_erased_by_hand(study, run):
    """Documents 0 to 4 tested, 5 not."""
    columns = {name: [] for name in analyses.ERASED.columns}
    for column, (rule, draw) in enumerate((("highest", 0), ("random", 0), ("random", 1))):
        for document in range(6):
            tested = document < len(JS)
            row = {
                "document": document,
                "predicted": document % 2,
                "items": 4 if tested else 1,
                "rule": rule,
                "draw": draw,
                "position": 0,
                "weight": WEIGHT[document][column] if tested else None,
                "js": JS[document][column] if tested else None,
                "flips": bool(FLIPS[document][column]) if tested else False,
                "reason": None if tested else "one token",
            }
            for name, value in row.items():
                columns[name].append(value)
    path = Layout(study.results_dir).made("erase", "erased", run)
    store.write_table(path, analyses.ERASED, columns, made_by={})


def write_ranked_by_hand(study, run):
    """Ten items each; contribution ranks nothing, the last document has one token."""
    columns = {name: [] for name in analyses.RANKED.columns}
    for ranking, fractions in RANKED.items():
        for document, fraction in enumerate(fractions):
            none = np.isnan(fraction)
            why = "invalid score" if ranking == "contribution" else "never"
            row = {
                "document": document,
                "predicted": document % 2,
                "items": 1 if document == 6 else 10,
                "ranking": ranking,
                "count": -1 if none else round(10 * fraction),
                "fraction": None if none else fraction,
                "mass": None if none else fraction / 2,
                "reason": ("one token" if document == 6 else why) if none else None,
            }
            for name, value in row.items():
                columns[name].append(value)
    path = Layout(study.results_dir).made("erase", "ranked", run)
    store.write_table(path, analyses.RANKED, columns, made_by={})


@pytest.fixture
def by_hand(tmp_path):
    study = study_of(tmp_path / "results")
    (run,) = drawn_runs(study, "sst")
    write_erased_by_hand(study, run)
    write_ranked_by_hand(study, run)
    return handmade.results(study)


def texts(axis):
    return [text.get_text() for text in axis.texts]


def test_networks_are_drawn_and_the_base_model_where_its_attention_is_erased(tmp_path):
    for papers in (["serrano-smith"], ["serrano-smith", "jain-wallace"]):
        study = synthetic.study(tmp_path / "results", ["sst"], papers=papers)
        erased, base = erased_runs(study, "sst"), base_run(study, "sst")
        drawn = drawn_runs(study, "sst")
        assert set(drawn) <= set(erased)
        assert (base in drawn) == (base in erased)
        assert len(drawn) == 6 + (base in erased)
    names = ("flan-rnn-additive", "han-none-dot", "bilstm-additive")
    assert [label_of(Model.parse(name)) for name in names] == [
        *("FLAN-rnn", "HAN-none, dot", "BiLSTM")
    ]


def test_contrasts_are_with_the_first_random_item(by_hand):
    (run,) = drawn_runs(by_hand.study, "sst")
    found = contrasts(by_hand, run)
    assert found.weight == pytest.approx([0.82, 0.13, 0.42, 0, 0.63])
    assert found.js == pytest.approx([0.3, -0.2, 0.1, 0, 0.5])
    # Equal effects are not negative.
    assert found.negative.tolist() == [False, True, False, False, False]
    # Neither: 2; only r: 1; only i*: 0 and 4; both: 3.
    assert found.flips.tolist() == [[1, 1], [2, 1]]
    assert found.untested == 1


@pytest.mark.usefixtures("styled")
def test_every_tested_document_is_in_a_hexagon_and_in_both_strips(by_hand):
    axis = single_erasures.single_weights(by_hand).axes[0]
    (cloud,) = axis.collections
    assert np.asarray(cloud.get_array()).sum() == 5
    places = cloud.get_offsets()[np.asarray(cloud.get_array()) > 0]
    assert places[:, 0].max() == pytest.approx(0.82, abs=0.03)
    # The largest ΔJS is there.
    assert places[:, 1].max() == pytest.approx(0.5, abs=0.03)
    top, right = axis.child_axes
    weights = top.patches[0].get_data().values
    assert np.flatnonzero(weights).tolist() == [0, 2, 8, 12, 16]
    counts, edges = right.patches[0].get_data()[:2]
    assert (counts[edges[:-1] < -1e-9].sum(), counts[edges[:-1] > -1e-9].sum()) == (1, 4)
    assert top.get_title(loc="left") == "sst, FLAN-rnn"
    assert texts(top) == ["n = 5 of 6, 20.0 % < 0"]


@pytest.mark.usefixtures("styled")
def test_shades_count_documents_alike_in_all_panels_and_scales_are_a_corpus_own(tmp_path):
    models = {"models": ["flan-rnn-additive", "han-rnn-additive"]}
    study = study_of(tmp_path / "results", ["sst", "imdb"], serrano_smith=models)
    for corpus, count in (("sst", 5), ("imdb", 300)):
        ones = np.ones(count, dtype=int)
        write_erased(study, corpus, np.arange(count), ones, 30 * ones)
    axes = single_erasures.single_weights(handmade.results(study)).axes[:4]
    norms = [axis.collections[0].norm for axis in axes]
    most = max(np.asarray(axis.collections[0].get_array()).max() for axis in axes)
    assert [(norm.vmin, norm.vmax) for norm in norms] == [(1, most)] * 4
    limits = [axis.get_ylim() for axis in axes]
    assert limits[0] == limits[1] != limits[2] == limits[3]


@pytest.mark.usefixtures("styled")
def test_weights_of_negative_documents_beside_those_of_all(by_hand):
    axis = single_erasures.negative_contrasts(by_hand).axes[0]
    negative, of_all = (patch.get_data().values for patch in axis.patches)
    # Δα = .13, in bins of .05.
    assert np.flatnonzero(negative).tolist() == [2]
    assert negative.sum() == pytest.approx(1)
    assert of_all[[0, 2, 8, 12, 16]] == pytest.approx([0.2] * 5)
    assert texts(axis) == ["n = 1\nof 5"]
    assert single_erasures.shares(np.zeros(0)).tolist() == [0] * 20


@pytest.mark.usefixtures("styled")
def test_bars_are_the_shares_of_the_table_of_two_by_two(by_hand):
    axis = single_erasures.decision_flips(by_hand).axes[0]
    bars = [(bar.get_x(), bar.get_width()) for bar in axis.patches]
    assert bars == [pytest.approx(bar) for bar in [(0, 40), (40, 20), (60, 20), (80, 20)]]
    assert texts(axis) == [
        *("only i*", "both", "only r", "neither", "n"),
        *("40.0", "20.0", "20.0", "20.0", "5"),
    ]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["FLAN-rnn"]


def test_rankings_are_compared_on_the_documents_that_all_of_them_flip(by_hand):
    (run,) = drawn_runs(by_hand.study, "sst")
    found = until_flip(by_hand, run, "fraction")
    assert list(found) == ["random", "attention", "smallest"]
    assert {name: len(values) for name, values in found.items()} == dict.fromkeys(found, 5)
    assert until_flip(by_hand, run, "mass")["random"] == pytest.approx([0.25, 0.45, 0.35, 0.3, 0.4])


def test_rankings_have_documents_of_their_own_as_published(tmp_path):
    study = study_of(tmp_path / "results", switches={"per_ranking_subset": True})
    (run,) = drawn_runs(study, "sst")
    write_ranked_by_hand(study, run)
    found = until_flip(handmade.results(study), run, "fraction")
    assert {name: len(values) for name, values in found.items()} == {
        "random": 6,
        "attention": 5,
        "smallest": 6,
    }


@pytest.mark.usefixtures("styled")
@pytest.mark.parametrize(
    ("draw", "scale"),
    [(ranked_erasures.fractions_until_flip, 1), (ranked_erasures.mass_until_flip, 0.5)],
)
def test_boxes_are_quartiles_with_their_documents_beside_them(by_hand, draw, scale):
    axis = draw(by_hand).axes[0]
    assert [label.get_text() for label in axis.get_yticklabels()] == [
        *("random", "attention", "smallest set")
    ]
    # Of .1 .2 .3 .4 .6, for instance: quartiles .2, .3, .4.
    expected = [(0.6, 0.7, 0.8), (0.2, 0.3, 0.4), (0.1, 0.1, 0.2)]
    medians = [float(line.get_xdata()[0]) for line in axis.lines if line.get_linewidth() == 1.4]
    assert medians == pytest.approx([scale * box[1] for box in expected])
    for patch, box in zip(axis.patches, expected, strict=True):
        x = patch.get_path().vertices[:, 0]
        assert (x.min(), x.max()) == pytest.approx((scale * box[0], scale * box[2]))
    ends = [line.get_xdata() for line in axis.lines if line.get_linewidth() == 0.6]
    low, high = np.percentile([0.5, 0.9, 0.7, 0.6, 0.8], ranked_erasures.WHISKERS)
    inside = [value for value in (0.5, 0.6, 0.7, 0.8, 0.9) if low <= value <= high]
    assert min(map(min, ends[:2])) == pytest.approx(scale * inside[0])
    assert texts(axis) == ["5", "5", "5"]


@pytest.mark.usefixtures("styled")
def test_a_ranking_that_a_model_lacks_and_documents_too_few_for_a_box(tmp_path):
    study = study_of(tmp_path / "results", ["sst"], ["serrano-smith", "jain-wallace"])
    network, base = drawn_runs(study, "sst")
    for run in (network, base):
        write_ranked_by_hand(study, run)
    path = Layout(study.results_dir).made("erase", "ranked", network)
    table = store.read_table(path, analyses.RANKED)
    keep = table["document"].to_numpy() < 3
    keep &= np.array(table["ranking"].to_pylist()) != "random"
    kept = table.filter(keep).to_pydict()
    store.write_table(path, analyses.RANKED, kept, made_by={})
    left, right = ranked_erasures.fractions_until_flip(handmade.results(study)).axes
    assert (texts(left), texts(right)) == (["–", "3", "3"], ["5", "5", "5"])
    assert left.lines[0].get_xdata().tolist() == [0.2, 0.4, 0.3]
    assert not left.patches


@pytest.mark.usefixtures("styled")
@pytest.mark.parametrize(
    ("corpora", "papers", "models", "grid"),
    [
        (1, 1, None, (2, 3)),
        (2, 2, None, (4, 4)),
        (1, 1, ["flan-rnn-additive"], (1, 1)),
        (6, 1, ["flan-rnn-additive"], (2, 3)),
    ],
)
def test_panels(tmp_path, corpora, papers, models, grid):
    names = ["sst", "imdb", *(f"needle_{k}" for k in "abcd")][:corpora]
    used = ["serrano-smith", "jain-wallace"][:papers]
    settings = {"serrano_smith": {"models": models} if models else {}}
    study = study_of(tmp_path / "results", names, used, **settings)
    ones = np.ones(12, dtype=int)
    for name in names:
        write_erased(study, name, np.arange(12), ones, 20 * ones)
    results = handmade.results(study)
    for draw in (
        single_erasures.negative_contrasts,
        ranked_erasures.fractions_until_flip,
        single_erasures.single_weights,
    ):
        figure = draw(results)
        panels = [axis for axis in figure.axes if axis.axison and axis.get_subplotspec()]
        titles = {
            axis.get_title(loc="left") or axis.child_axes[0].get_title(loc="left")
            for axis in panels
            if axis.get_label() != "<colorbar>"
        }
        runs = [run for name in names for run in drawn_runs(study, name)]
        assert titles == {f"{run.corpus}, {label_of(run.model)}" for run in runs}
        assert panels[0].get_subplotspec().get_gridspec().get_geometry() == grid
        assert figure.get_figheight() <= 10


@pytest.mark.usefixtures("styled")
def test_no_document_can_be_tested(tmp_path):
    study = study_of(tmp_path / "results")
    (run,) = drawn_runs(study, "sst")
    write_erased_by_hand(study, run)
    write_ranked_by_hand(study, run)
    for name, schema in (("erased", analyses.ERASED), ("ranked", analyses.RANKED)):
        path = Layout(study.results_dir).made("erase", name, run)
        table = store.read_table(path, schema)
        last = table.filter(np.array(table["reason"].to_pylist()) == "one token").to_pydict()
        store.write_table(path, schema, last, made_by={})
    results = handmade.results(study)
    top = single_erasures.single_weights(results).axes[0].child_axes[0]
    assert texts(top) == ["n = 0 of 1"]
    assert texts(single_erasures.negative_contrasts(results).axes[0]) == ["n = 0\nof 0"]
    assert texts(single_erasures.decision_flips(results).axes[0])[5:] == ["–", "–", "–", "–", "0"]
    assert "no document" in texts(ranked_erasures.fractions_until_flip(results).axes[0])
