"""The stage's tables: which documents, what they hold, and that they can be had twice alike."""

from pathlib import Path

import numpy as np
import pytest

from attnnn.errors import UserError
from attnnn.measures import jensen_shannon_divergence
from attnnn.readout.predictions import read_test_predictions
from attnnn.study.runs import base_run
from attnnn.tables import analyses, schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import facts_of, read_table, write_blocks, write_table
from tests.support import Layout, do

from .conftest import BIAS, LENGTHS, SPLITS, write_predictions

TEST = np.flatnonzero(np.array(SPLITS) == "test")


def run_search(study):
    run = base_run(study, "tiny")
    do(study, "search", run)
    layout = Layout(study.results_dir)
    return (
        read_table(layout.analysis_of("searched_adversary", run), analyses.SEARCHED_ADVERSARY),
        read_table(layout.analysis_of("searched_candidates", run), analyses.SEARCHED_CANDIDATES),
    )


def test_permutation_table(study, base):
    run = base_run(study, "tiny")
    do(study, "permute", run)
    path = Layout(study.results_dir).analysis_of("permutation", run)
    table = read_table(path, analyses.PERMUTATION)
    assert table["document"].to_pylist() == (TEST + 100).tolist()
    assert table["predicted"].to_pylist() == (base["probability"][TEST] > 0.5).tolist()
    expected = [row.max() for row in base["attention"].take(TEST)]
    assert table["max_attention"].to_numpy() == pytest.approx(np.array(expected, float))
    assert table["median_change"][2].as_py() == 0
    assert (table["mean_change"].to_numpy()[[0, 1, 3]] > 0).all()
    assert facts_of(table)["settings"]["permutations"] == study.permutations
    first = Path(path).read_bytes()
    do(study, "permute", run)
    assert Path(path).read_bytes() == first


@pytest.mark.parametrize("iterate", ["last", "best_feasible"])
def test_searched_tables_agree_with_their_own_attention(make_study, iterate):
    study = make_study(switches={"adv_iterate": iterate})
    base = write_predictions(study, base_run(study, "tiny"), seed=0)
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


def test_a_run_without_a_readout_is_refused_where_one_is_needed(study, base):
    run = base_run(study, "tiny")
    path = Layout(study.results_dir).predictions_of(run)
    bare = {**base, "contribution": [None] * len(SPLITS)}
    write_table(path, schemas.PREDICTIONS, bare, made_by={})
    predictions, readout = read_test_predictions(path)
    assert readout is None
    assert predictions.attention.lengths.tolist() == [LENGTHS[row] for row in TEST]
    for verb in ("permute", "search", "solve"):
        with pytest.raises(UserError, match="found attention and probabilities alone"):
            do(study, verb, run)


class TestMulticlass:
    """The exact adversary for more than two classes, from the tables of a run alone."""

    BIAS = (0.5, -0.25, 0.0)

    @pytest.fixture(params=["single texts", "pairs"])
    def solved(self, request, make_study, tmp_path):
        """The study, its run, the predictions' columns and the last layer of pairs."""
        pairs = request.param == "pairs"
        source = {"kind": "snli"} if pairs else {"kind": "table", "path": "a.csv", "classes": 3}
        study = make_study(papers=["jain-wallace"], corpora={"tiny": {"source": source}})
        run = base_run(study, "tiny")
        rng = np.random.default_rng(3)
        attention = Ragged.from_lists([rng.dirichlet(np.ones(n)) for n in LENGTHS], np.float32)
        pieces = attention.with_values(rng.normal(0, 1.5, (sum(LENGTHS), 3)).astype(np.float32))
        test = [split == "test" for split in SPLITS]
        offset = rng.normal(size=(len(LENGTHS), 3)).astype(np.float32)
        columns = {
            "document": np.arange(len(LENGTHS)) + 100,
            "split": SPLITS,
            "label": np.zeros(len(LENGTHS), np.int64),
            "predicted": np.zeros(len(LENGTHS), np.int64),
            "probabilities": [np.full(3, 1 / 3, np.float32) if t else None for t in test],
            "attention": attention,
            "projected": [p.ravel() if t else None for p, t in zip(pieces, test, strict=True)],
            "candidates": [None] * len(LENGTHS),
            "offset": list(offset) if pairs else [None] * len(LENGTHS),
        }
        path = Path(Layout(study.results_dir).predictions_of(run))
        weight = rng.normal(size=(3, 3)).astype(np.float32)
        arrays = {"bias": np.array(self.BIAS, np.float32), **({"weight": weight} if pairs else {})}
        write_blocks(path, schemas.MULTICLASS_PREDICTIONS, [columns], made_by={}, arrays=arrays)
        do(study, "search", run)
        do(study, "solve", run)

        def predict(row, weights):
            logits = weights @ pieces[row].astype(float)
            if pairs:
                logits = np.tanh(logits + offset[row]) @ weight.T.astype(float)
            powers = np.exp(logits + self.BIAS)
            return powers / powers.sum()

        return study, run, attention, predict

    def test_every_answer_can_be_checked_from_the_tables(self, solved):
        study, run, attention, predict = solved
        path = Layout(study.results_dir).analysis_of("exact_adversary", run)
        table = read_table(path, analyses.MULTICLASS_ADVERSARY).to_pylist()
        assert [row["document"] - 100 for row in table] == TEST.tolist() * 2
        assert [row["epsilon"] for row in table] == [0.01] * len(TEST) + [0.2] * len(TEST)
        for row in table:
            number = row["document"] - 100
            own = attention[number].astype(float)
            weights = np.zeros(len(own))
            weights[row["tokens"]] = row["weights"]
            assert min(row["weights"]) > 0
            assert weights.sum() == pytest.approx(1, abs=1e-6)
            p, q = predict(number, weights), predict(number, own)
            change = 0.5 * np.abs(p - q).sum()
            assert row["change"] == pytest.approx(change, abs=1e-9)
            assert row["slack"] == pytest.approx(row["epsilon"] - change, abs=1e-9)
            assert row["slack"] >= 0
            assert row["probability"] == pytest.approx(p[q.argmax()], abs=1e-9)
            both = (Ragged.from_lists([values]) for values in (weights, own))
            assert row["jsd"] == pytest.approx(jensen_shannon_divergence(*both)[0], abs=1e-9)
            assert row["bound"] >= row["jsd"]
            assert row["exact"] == (row["bound"] == row["jsd"])
            if len(own) == 1:
                assert row["exact"]

    def test_what_is_known_is_no_less_than_what_was_searched(self, solved):
        study, run, _, _ = solved
        layout = Layout(study.results_dir)
        known = read_table(
            layout.analysis_of("exact_adversary", run), analyses.MULTICLASS_ADVERSARY
        )
        path = layout.analysis_of("searched_adversary", run)
        searched = read_table(path, analyses.SEARCHED_ADVERSARY)
        assert searched["found"].to_numpy().any()
        assert (known["jsd"].to_numpy() >= searched["jsd"].to_numpy()).all()

    def test_the_search_comes_first(self, solved):
        study, run, _, _ = solved
        path = Path(Layout(study.results_dir).analysis_of("searched_adversary", run))
        other = study.model_copy(update={"epsilons": [0.01, 0.3]})
        with pytest.raises(UserError, match=r"expected the test documents .* ε = 0.3; run"):
            do(other, "solve", run)
        path.unlink()
        with pytest.raises(UserError, match="searched_adversary"):
            do(study, "solve", run)
