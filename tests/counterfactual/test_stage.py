"""The stage's tables: which documents, what they hold, and that they can be had twice alike."""

from pathlib import Path

import numpy as np
import pytest

from attnnn import design, schemas
from attnnn.counterfactual.stage import diverge, permute, search
from attnnn.errors import UserError
from attnnn.layout import Layout
from attnnn.measures import jensen_shannon_divergence
from attnnn.ragged import Ragged
from attnnn.store import facts_of, read_table

from .conftest import BIAS, SPLITS, write_predictions

TEST = np.flatnonzero(np.array(SPLITS) == "test")


def run_search(study):
    run = design.base_run(study, "tiny")
    search(study, run, device="cpu", threads=1)
    layout = Layout(study.results_dir)
    return (
        read_table(layout.analysis_of("searched_adversary", run), schemas.SEARCHED_ADVERSARY),
        read_table(layout.analysis_of("searched_candidates", run), schemas.SEARCHED_CANDIDATES),
    )


def test_permutation_table(study, base):
    run = design.base_run(study, "tiny")
    permute(study, run)
    path = Layout(study.results_dir).analysis_of("permutation", run)
    table = read_table(path, schemas.PERMUTATION)
    assert table["document"].to_pylist() == (TEST + 100).tolist()
    assert table["predicted"].to_pylist() == (base["probability"][TEST] > 0.5).tolist()
    expected = [row.max() for row in base["attention"].take(TEST)]
    assert table["max_attention"].to_numpy() == pytest.approx(np.array(expected, float))
    assert table["median_change"][2].as_py() == 0
    assert (table["mean_change"].to_numpy()[[0, 1, 3]] > 0).all()
    assert facts_of(table)["identity"]["permutations"] == study.permutations
    first = Path(path).read_bytes()
    permute(study, run)
    assert Path(path).read_bytes() == first


@pytest.mark.parametrize("iterate", ["last", "best_feasible"])
def test_searched_tables_agree_with_their_own_attention(make_study, iterate):
    study = make_study(switches={"adv_iterate": iterate})
    base = write_predictions(study, design.base_run(study, "tiny"), seed=0)
    table, candidates = run_search(study)
    documents = TEST.tolist()
    assert table["document"].to_pylist() == [100 + d for d in documents] * 2
    assert table["epsilon"].to_pylist() == [0.01] * len(TEST) + [0.2] * len(TEST)
    attention = Ragged.from_arrow(table["attention"])
    own = base["attention"].take(np.tile(TEST, 2))
    pieces = np.concatenate([base["contribution"][d] for d in documents * 2])
    logit = attention.with_values(attention.values * pieces.astype(float)).sums() + BIAS
    probability = 1 / (1 + np.exp(-logit))
    np.testing.assert_allclose(table["probability"], probability, atol=1e-6)
    change = np.abs(probability - base["probability"][np.tile(TEST, 2)])
    np.testing.assert_allclose(table["change"], change, atol=1e-6)
    np.testing.assert_allclose(table["jsd"], jensen_shannon_divergence(attention, own), atol=1e-12)
    assert (table["change"].to_numpy() <= table["epsilon"].to_numpy()).all()
    found = table["found"].to_numpy()
    assert (table["jsd"].to_numpy()[~found] == 0).all()
    assert found.any()
    assert len(candidates) == len(TEST) * study.searched_adversary.adversaries
    assert candidates["candidate"].to_pylist()[:: len(TEST)] == [0, 1, 2, 3, 4]


def test_searched_tables_are_reproducible(study, base):
    first, second = run_search(study), run_search(study)
    assert all(a.equals(b) for a, b in zip(first, second, strict=True))


def test_divergence_covers_every_split(study, base):
    run = design.seed_runs(study, "tiny")[0]
    other = write_predictions(study, run, seed=1)
    diverge(study, [run])
    path = Layout(study.results_dir).analysis_of("divergence", run)
    table = read_table(path, schemas.DIVERGENCE)
    assert table["split"].to_pylist() == SPLITS
    tvd = np.abs(other["probability"].astype(float) - base["probability"])
    np.testing.assert_allclose(table["tvd"], tvd)
    np.testing.assert_allclose(table["tvd_half"], tvd / 2)
    jsd = jensen_shannon_divergence(other["attention"], base["attention"])
    np.testing.assert_allclose(table["jsd"], jsd)
    assert table["base_predicted"].to_pylist() == (base["probability"] > 0.5).tolist()
    np.testing.assert_allclose(table["base_max_attention"], base["attention"].maxima())


def test_the_base_does_not_diverge_from_itself(study, base):
    run = design.base_run(study, "tiny")
    diverge(study, [run])
    path = Layout(study.results_dir).analysis_of("divergence", run)
    table = read_table(path, schemas.DIVERGENCE)
    assert table["jsd"].to_pylist() == table["tvd"].to_pylist() == [0] * len(SPLITS)


def test_runs_of_different_documents_are_refused(study, base, monkeypatch):
    run = design.seed_runs(study, "tiny")[0]
    monkeypatch.setattr("tests.counterfactual.conftest.SPLITS", SPLITS[:-1])
    monkeypatch.setattr("tests.counterfactual.conftest.LENGTHS", [4, 6, 5, 1, 8, 3])
    write_predictions(study, run, seed=1)
    with pytest.raises(UserError, match="not those of"):
        diverge(study, [run])
