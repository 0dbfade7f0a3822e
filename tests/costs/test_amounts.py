"""Amounts of work, reckoned by hand for D = 3, H = 2, V = 11 (see conftest)."""

from __future__ import annotations

import numpy as np
import pytest

from attnnn.costs import amounts
from attnnn.dag.work import CorpusSize
from attnnn.models.classifier import Classifier
from attnnn.study.model import UNIFORM_MLP, Run
from attnnn.study.runs import adversary_runs, base_run
from tests.costs.conftest import MakeStudy

# A BiLSTM with additive attention: two directions of 4 gates of 2 units from 3 + 2 numbers, attention
# from 4 to 2 and to 1 numbers, and the decoder's 4.
BILSTM = 2 * 4 * 2 * (3 + 2) + (4 * 2 + 2) + 4
BILSTM_PARAMETERS = 11 * 3 + 2 * 4 * 2 * (3 + 2 + 2) + (4 * 2 + 2 + 2) + 4 + 1


def test_a_training_reads_every_token_thrice_an_epoch_and_scores_dev(
    make_study: MakeStudy, size: CorpusSize
):
    study = make_study()
    found = amounts.training(study, [base_run(study, "toy")], size)
    trained, dev, everything = 10 * 8, 3 * 6, 10 * 8 + 3 * 6 + (5 + 7)
    assert found == pytest.approx(
        {
            "starts": 1,
            "runs": 1,
            "lstm_multiply_adds": (2 * (3 * trained + dev) + everything) * BILSTM / 1e9,
            "lstm_steps": 2 * trained / 4 / 1e3,
            "vectors": 2 * 2 * trained * 3 / 1e9,
            "updates": 2 * 3 * BILSTM_PARAMETERS / 1e9,  # three batches of 4, 4 and 2
            "batches": 2 * 3 / 1e3,
        }
    )


def test_an_adversary_has_its_own_epochs_and_scores_no_split_where_train_loss_selects(
    make_study: MakeStudy, size: CorpusSize
):
    study = make_study(switches={"adv_epochs": 5, "adv_seed": "same", "adv_select": "train_loss"})
    run = adversary_runs(study, "toy", study.base_seed)[0]
    found = amounts.training(study, [run], size)
    everything = 10 * 8 + 3 * 6 + (5 + 7)
    assert found["batches"] == pytest.approx(5 * 3 / 1e3)
    assert found["lstm_multiply_adds"] == pytest.approx(
        (5 * 3 * 10 * 8 + everything) * BILSTM / 1e9
    )


def test_runs_of_a_job_share_one_start(make_study: MakeStudy, size: CorpusSize):
    study = make_study()
    runs = [base_run(study, "toy"), Run("toy", UNIFORM_MLP, 10)]
    one, other = (amounts.training(study, [run], size) for run in runs)
    both = amounts.training(study, runs, size)
    assert both["starts"] == 1
    assert both["runs"] == 2
    assert both["batches"] == pytest.approx(one["batches"] + other["batches"])
    assert both["multiply_adds"] == other["multiply_adds"]
    assert both["lstm_multiply_adds"] == one["lstm_multiply_adds"]


@pytest.mark.parametrize("encoder", ["bilstm", "average", "cnn"])
@pytest.mark.parametrize("attention", ["additive", "dot", "uniform", "none"])
def test_parameters_are_those_of_the_real_model(
    make_study: MakeStudy, encoder: str, attention: str
):
    study = make_study(training={"hidden_size": 8})
    parts = {"encoder": encoder, "attention": attention, "vocabulary": 11, "dimension": 3}
    model = Classifier(**parts, hidden_size=8)
    run = Run.parse("toy", f"{encoder}-{attention}/seed-10")
    real = sum(parameter.numel() for parameter in model.parameters())
    assert amounts.parameters(study, run, 11) == real


@pytest.mark.parametrize("encoder", ["bilstm", "average", "cnn"])
def test_of_several_classes_the_decoder_has_a_row_for_each(make_study: MakeStudy, encoder: str):
    source = {"kind": "table", "path": "a.csv", "classes": 5}
    study = make_study({"source": source}, papers=["jain-wallace"], training={"hidden_size": 8})
    parts = {"encoder": encoder, "attention": "additive", "vocabulary": 11, "dimension": 3}
    model = Classifier(**parts, hidden_size=8, outputs=5)
    run = Run.parse("toy", f"{encoder}-additive/seed-10")
    real = sum(parameter.numel() for parameter in model.parameters())
    assert amounts.parameters(study, run, 11) == real


def test_leave_one_out_reads_a_document_once_for_each_of_its_tokens(make_study: MakeStudy):
    study = make_study(leave_one_out={"rejoin_from": None})
    assert amounts.deletion_steps(study, np.array([3, 5])) == 3**2 + 5**2


def test_leave_one_out_of_long_documents_grows_with_length_and_not_its_square(
    make_study: MakeStudy,
):
    study = make_study(leave_one_out={"rejoin_from": 100, "checked_deletions": 0})
    once, twice = (amounts.deletion_steps(study, np.array([n])) for n in (1000, 2000))
    assert twice == pytest.approx(2 * once)
    assert twice < 2000**2
    checked = make_study(leave_one_out={"rejoin_from": 100, "checked_deletions": 7})
    assert amounts.deletion_steps(checked, np.array([1000])) == pytest.approx(once + 7 * 1000)


def test_the_search_moves_every_vector_and_every_pair_of_them_in_every_step(
    make_study: MakeStudy, size: CorpusSize
):
    study = make_study(searched_adversary={"adversaries": 3, "steps": 20})
    found = amounts.searching(study, base_run(study, "toy"), size)
    assert found == pytest.approx(
        {"starts": 1, "searched": 20 * 8 * (3 + 3) / 1e9, "search_steps": 20 / 1e3}
    )


def test_analyses_of_the_base_model(make_study: MakeStudy, size: CorpusSize):
    study = make_study(permutations=7, epsilons=[0.01, 0.05, 0.1])
    base = base_run(study, "toy")
    permuted, solved = (f(study, base, size) for f in (amounts.permuting, amounts.solving))
    assert permuted == pytest.approx({"starts": 1, "shuffled": 7 * 8 / 1e9})
    assert solved == pytest.approx({"starts": 1, "pairs": 3 * (9 + 25) / 1e9})


def test_of_several_classes_the_exact_adversary_is_climbed_to(
    make_study: MakeStudy, size: CorpusSize
):
    source = {"kind": "table", "path": "a.csv", "classes": 3}
    training = {"hidden_size": 8}
    study = make_study({"source": source}, papers=["jain-wallace"], training=training)
    found = amounts.solving(study, base_run(study, "toy"), size)
    assert found == pytest.approx({"starts": 1, "climbed": 2 * (3 + 5) / 1e6})


def test_word_vectors_are_trained_or_read(make_study: MakeStudy, size: CorpusSize, tmp_path):
    word2vec = {"kind": "word2vec", "dimension": 3, "epochs": 2, "window": 4}
    study = make_study({"embedding": word2vec})
    found = amounts.embedding(study, "toy", size)
    assert found == pytest.approx({"starts": 1, "word2vec": 2 * 60 * 3 * (4 + 1 + 5) / 1e9})
    (tmp_path / "some.vec").write_bytes(b"x" * 1234)
    study = make_study({"embedding": {"kind": "file", "dimension": 3, "path": "some.vec"}})
    found = amounts.embedding(study, "toy", size)
    assert found == pytest.approx({"starts": 1, "vector_bytes": 1234e-9})


def test_replacing_words_reads_the_test_split_once(make_study: MakeStudy, size: CorpusSize):
    study = make_study()
    found = amounts.replacing(study, base_run(study, "toy"), size)
    assert found == pytest.approx({"starts": 1, "lstm_multiply_adds": (5 + 7) * BILSTM / 1e9})
    assert amounts.weighing(size) == {"starts": 1, "tokens": 60 / 1e6}
