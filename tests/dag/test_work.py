"""Amounts of work that stages declare, reckoned by hand for D = 3, H = 2, V = 11 (see tests/costs)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attnnn.dag import catalogue, work
from attnnn.dag.work import CorpusSize
from attnnn.models.classifier import Classifier
from attnnn.study.config import Study
from attnnn.study.model import ENCODERS, Model
from attnnn.study.runs import adversary_runs, base_run
from attnnn.study.settings import LeaveOneOut
from tests.costs.conftest import MakeStudy, make_study, size  # noqa: F401

# A BiLSTM with additive attention: two directions of 4 gates of 2 units from 3 + 2 numbers, attention
# from 4 to 2 and to 1 numbers, and the decoder's 4.
BILSTM = 2 * 4 * 2 * (3 + 2) + (4 * 2 + 2) + 4
BILSTM_PARAMETERS = 11 * 3 + 2 * 4 * 2 * (3 + 2 + 2) + (4 * 2 + 2 + 2) + 4 + 1


def amounts(study: Study, verb: str, size: CorpusSize, subject: Any = None) -> dict[str, float]:  # noqa: F811
    return dict(catalogue.stage(verb).work(study, subject or base_run(study, "toy"), size))


def test_a_training_reads_every_token_thrice_an_epoch_and_scores_dev(
    make_study: MakeStudy,  # noqa: F811
    size: CorpusSize,  # noqa: F811
):
    trained, dev, everything = 10 * 8, 3 * 6, 10 * 8 + 3 * 6 + (5 + 7)
    assert amounts(make_study(), "train", size) == pytest.approx(
        {
            "starts": 1,
            "lstm": (2 * (3 * trained + dev) + everything) * BILSTM / 1e9,
            "lstm_steps": 2 * trained / 4 / 1e3,
            "updates": 2 * 3 * BILSTM_PARAMETERS / 1e9,  # three batches of 4, 4 and 2
        }
    )


def test_an_adversary_has_its_own_epochs_and_scores_no_split_where_train_loss_selects(
    make_study: MakeStudy,  # noqa: F811
    size: CorpusSize,  # noqa: F811
):
    study = make_study(switches={"adv_epochs": 5, "adv_seed": "same", "adv_select": "train_loss"})
    run = adversary_runs(study, "toy", study.base_seed)[0]
    everything = 10 * 8 + 3 * 6 + (5 + 7)
    found = amounts(study, "train", size, run)
    assert found["lstm"] == pytest.approx((5 * 3 * 10 * 8 + everything) * BILSTM / 1e9)
    assert found["updates"] == pytest.approx(5 * 3 * BILSTM_PARAMETERS / 1e9)


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("encoder", list(ENCODERS))
@pytest.mark.parametrize("attention", ["additive", "dot", "uniform", "none"])
def test_parameters_are_those_of_the_real_model(encoder: str, attention: str, classes: int):
    parts = {"encoder": encoder, "attention": attention, "vocabulary": 11, "dimension": 3}
    model = Classifier(**parts, hidden_size=8, outputs=1 if classes == 2 else classes)
    real = sum(parameter.numel() for parameter in model.parameters())
    named = Model.parse(f"{encoder}-{attention}")
    assert work.parameters(named, 3, 8, 11, classes) == real


def deletion_steps(lengths: list[int], **settings: Any) -> float:
    size = CorpusSize({"test": np.array(lengths)}, 11, 0.0, "by hand")  # noqa: F811
    return 1e6 * work.deleting(LeaveOneOut(**settings), 2, size)["deletion_steps"]


def test_leave_one_out_reads_a_document_once_for_each_of_its_tokens():
    assert deletion_steps([3, 5], rejoin_from=None) == pytest.approx(3**2 + 5**2)


def test_leave_one_out_of_long_documents_grows_with_length_and_not_its_square():
    once, twice = (deletion_steps([n], rejoin_from=100, checked_deletions=0) for n in (1000, 2000))
    assert twice == pytest.approx(2 * once)
    assert twice < 2000**2
    checked = deletion_steps([1000], rejoin_from=100, checked_deletions=7)
    assert checked == pytest.approx(once + 7 * 1000)


def test_analyses_of_the_base_model(make_study: MakeStudy, size: CorpusSize):  # noqa: F811
    study = make_study(
        permutations=7,
        epsilons=[0.01, 0.05, 0.1],
        searched_adversary={"adversaries": 3, "steps": 20},
    )
    assert amounts(study, "permute", size) == pytest.approx({"starts": 1, "shuffled": 7 * 8 / 1e9})
    assert amounts(study, "solve", size) == pytest.approx(
        {"starts": 1, "pairs": 3 * (9 + 25) / 1e9}
    )
    assert amounts(study, "search", size) == pytest.approx(
        {"starts": 1, "searched": 20 * 8 * (3 + 3) / 1e9, "search_steps": 20 / 1e3}
    )
    assert amounts(study, "replace", size) == pytest.approx(
        {"starts": 1, "lstm": (5 + 7) * BILSTM / 1e9}
    )
    assert amounts(study, "weigh", size, "toy") == {"starts": 1, "tokens": 60 / 1e6}


def test_for_more_than_two_classes_the_exact_adversary_is_climbed_to(
    make_study: MakeStudy,  # noqa: F811
    size: CorpusSize,  # noqa: F811
):
    source = {"kind": "table", "path": "a.csv", "classes": 3}
    study = make_study({"source": source}, papers=["jain-wallace"], training={"hidden_size": 8})
    found = amounts(study, "solve", size)
    assert found == pytest.approx({"starts": 1, "climbed": 2 * (3 + 5) / 1e6})


def test_word_vectors_are_trained_or_read(
    make_study: MakeStudy,  # noqa: F811
    size: CorpusSize,  # noqa: F811
    tmp_path: Path,
):
    word2vec = {"kind": "word2vec", "dimension": 3, "epochs": 2, "window": 4}
    found = amounts(make_study({"embedding": word2vec}), "embed", size, "toy")
    assert found == pytest.approx({"starts": 1, "word2vec": 2 * 60 * 3 * (4 + 1 + 5) / 1e9})
    (tmp_path / "some.vec").write_bytes(b"x" * 1234)
    study = make_study({"embedding": {"kind": "file", "dimension": 3, "path": "some.vec"}})
    found = amounts(study, "embed", size, "toy")
    assert found == pytest.approx({"starts": 1, "vector_bytes": 1234e-9})


@pytest.mark.parametrize("count", [20_000, 200_000, 1_000_000])
def test_a_column_of_numbers_takes_what_parquet_takes_for_it(tmp_path: Path, count: int):
    values = np.random.default_rng(0).uniform(size=count).astype(np.float32)
    pq.write_table(pa.table({"values": values}), tmp_path / "numbers.parquet", compression="zstd")
    written = (tmp_path / "numbers.parquet").stat().st_size
    assert work.numbers(count) == pytest.approx(written, rel=0.12)


def test_a_large_model_is_its_weights_and_what_it_says_of_every_token(
    make_study: MakeStudy,  # noqa: F811
):
    study = make_study({"embedding": {"kind": "random", "dimension": 300}})
    lengths = {"train": np.full(1000, 100), "test": np.full(200, 100)}
    large = CorpusSize(lengths, vocabulary=20_000, read=0.0, origin="")
    run = base_run(study, "toy")
    weights, tokens = 4 * 20_000 * 300, (120_000 + 20_000) * 6
    found = catalogue.stage("train").size(study, run, large)
    assert found == pytest.approx(weights + tokens, rel=0.03)
    # Parameters, the selected ones, and three moments, in single precision.
    scratch = catalogue.stage("train").scratch(study, run, large)
    assert scratch == pytest.approx(5 * weights, rel=0.03)
