"""One run from prepared documents to files."""

import json
from pathlib import Path

import numpy as np
import pytest

from attnnn.errors import UserError
from attnnn.measures import jensen_shannon_divergence
from attnnn.models.log_odds import WordLogOdds
from attnnn.models.training import Training
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import adversary_runs, base_run, guide_runs, log_odds_runs
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import arrays_of, read_table, write_table
from tests.support import Layout, do

from .conftest import VOCABULARY, study_in, tiny_documents, write_corpus


def run_all(study: Study) -> dict[str, Run]:
    runs = {
        "base": base_run(study, "tiny"),
        "adversary": adversary_runs(study, "tiny", study.base_seed)[1],
        **{f"guide_{k}": run for k, run in guide_runs(study, "tiny").items()},
    }
    for run in runs.values():
        do(study, "train", run)
    return runs


def test_predictions_carry_their_own_proof(study: Study) -> None:
    runs = run_all(study)
    for run in runs.values():
        table = read_table(Layout(study.results_dir).predictions_of(run), schemas.PREDICTIONS)
        test = table.filter(np.array(table["split"].to_pylist()) == "test")
        attention = Ragged.from_arrow(test["attention"])
        contribution = Ragged.from_arrow(test["contribution"])
        logit = attention.with_values(attention.values * contribution.values).sums()
        np.testing.assert_allclose(logit + arrays_of(table)["bias"][0], test["logit"], atol=1e-5)
        np.testing.assert_allclose(attention.sums(), 1, atol=1e-5)
        np.testing.assert_allclose(
            test["probability"], 1 / (1 + np.exp(-test["logit"].to_numpy())), rtol=1e-5
        )
        others = table.filter(np.array(table["split"].to_pylist()) != "test")
        assert others["contribution"].null_count == len(others)


def test_a_guided_mlp_carries_its_guides_attention(study: Study) -> None:
    runs = run_all(study)
    layout = Layout(study.results_dir)
    for guided, guide in (("guide_base_lstm", "base"), ("guide_adversary", "adversary")):
        attentions = [
            Ragged.from_arrow(
                read_table(layout.predictions_of(runs[name]), schemas.PREDICTIONS)["attention"]
            )
            for name in (guided, guide)
        ]
        np.testing.assert_allclose(
            attentions[0].values, attentions[1].values, rtol=1e-5, atol=1e-12
        )


def test_the_base_model_learns_and_says_how_it_was_made(study: Study) -> None:
    run = base_run(study, "tiny")
    do(study, "train", run)
    layout = Layout(study.results_dir)
    table = read_table(layout.predictions_of(run), schemas.PREDICTIONS)
    correct = (table["probability"].to_numpy() > 0.5) == (table["label"].to_numpy() == 1)
    assert correct.mean() > 0.9
    described = json.loads(
        Path(layout.model("tiny", "bilstm-additive", 10, "model.json")).read_text()
    )
    assert described["run"] == "bilstm-additive/seed-10"
    assert described["device"] == "cpu"
    history = read_table(
        layout.model("tiny", "bilstm-additive", 10, "history.parquet"), schemas.HISTORY
    )
    assert history["selected"].to_pylist().index(True) == described["selected_epoch"]


def test_two_trainings_give_the_same_bytes(tmp_path: Path) -> None:
    files = []
    for name in ("a", "b"):
        study = write_corpus(study_in(tmp_path / name))
        run = base_run(study, "tiny")
        do(study, "train", run)
        folder = Path(Layout(study.results_dir).predictions_of(run)).parent
        files.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert files[0] == files[1]
    assert set(files[0]) == {
        "weights.safetensors",
        "model.json",
        "history.parquet",
        "predictions.parquet",
    }


def test_a_run_without_its_guide_says_what_is_missing(tmp_path: Path) -> None:
    study = write_corpus(study_in(tmp_path))
    with pytest.raises(UserError, match="predictions"):
        do(study, "train", adversary_runs(study, "tiny", study.base_seed)[0])


def test_a_killed_training_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = write_corpus(study_in(tmp_path / "whole"))
    run = base_run(whole, "tiny")
    do(whole, "train", run)
    settings = {"epochs": 4, "batch_size": 16, "hidden_size": 8, "learning_rate": 0.02}
    killed = write_corpus(
        study_in(tmp_path / "killed", training={**settings, "checkpoint_seconds": 0})
    )
    epochs: list[int] = []
    original = Training._epoch

    def dies_in_epoch_2(self: Training, epoch: int) -> None:
        epochs.append(epoch)
        if epochs == [0, 1, 2]:
            raise KeyboardInterrupt
        original(self, epoch)

    monkeypatch.setattr(Training, "_epoch", dies_in_epoch_2)
    with pytest.raises(KeyboardInterrupt):
        do(killed, "train", run)
    models = Path(killed.results_dir, "models/tiny/bilstm-additive")
    assert [path.name for path in models.iterdir()] == ["seed-10.unfinished"]
    do(killed, "train", run)
    assert epochs == [0, 1, 2, 2, 3]
    assert [path.name for path in models.iterdir()] == ["seed-10"]
    for name in ("predictions.parquet", "weights.safetensors", "history.parquet"):
        ours = (models / "seed-10" / name).read_bytes()
        assert (
            ours
            == Path(whole.results_dir, "models/tiny/bilstm-additive/seed-10", name).read_bytes()
        )


@pytest.mark.parametrize("changed", ["settings", "documents"])
def test_a_checkpoint_of_another_training_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    settings = {"batch_size": 16, "hidden_size": 8, "checkpoint_seconds": 0}
    first = write_corpus(study_in(tmp_path, training={**settings, "learning_rate": 0.02}))
    second = first
    run = base_run(first, "tiny")
    epochs: list[int] = []
    original = Training._epoch

    def dies_at_first(self: Training, epoch: int) -> None:
        epochs.append(epoch)
        if epochs == [0, 1]:
            raise KeyboardInterrupt
        original(self, epoch)

    monkeypatch.setattr(Training, "_epoch", dies_at_first)
    with pytest.raises(KeyboardInterrupt):
        do(first, "train", run)
    if changed == "settings":
        second = study_in(tmp_path, training={**settings, "learning_rate": 0.01})
    else:
        documents = tiny_documents()
        documents["label"] = 1 - np.asarray(documents["label"])
        write_corpus(first, documents)
    do(second, "train", run)
    assert epochs[2] == 0


def write_weights(study: Study, weight: list[float | None]) -> WordLogOdds:
    columns = {
        "id": np.arange(VOCABULARY),
        "token": [f"w{index}" for index in range(VOCABULARY)],
        "weight": weight,
    }
    path = Layout(study.results_dir).corpus("tiny", "log_odds.parquet")
    write_table(path, schemas.LOG_ODDS, columns, made_by={})
    return WordLogOdds(np.array(weight, dtype=np.float64))


def attention_of(study: Study, run: Run) -> Ragged:
    table = read_table(Layout(study.results_dir).predictions_of(run), schemas.PREDICTIONS)
    return Ragged.from_arrow(table["attention"])


# The cues speak for their classes; word 6 is a stop word.
WEIGHT = [None] * 4 + [-3.0, 2.0, None, 0.0, 0.5, 0.0, 0.0, 0.0]


def test_a_model_with_log_odds_attention_has_that_in_every_split(tmp_path: Path) -> None:
    study = write_corpus(study_in(tmp_path, log_odds={"run": True}))
    words = write_weights(study, WEIGHT)
    given, _ = log_odds_runs(study, "tiny")
    do(study, "train", given)
    expected = words.attention(tiny_documents()["token_ids"])
    np.testing.assert_allclose(attention_of(study, given).values, expected.values, atol=1e-6)


def test_the_heavier_the_divergence_the_nearer_attention_comes_to_log_odds(tmp_path: Path) -> None:
    documents = tiny_documents()["token_ids"]
    # On words that decide nothing, where a model would not attend by itself.
    neutral = [None] * 4 + [0.0, 0.0, None, 3.0, -3.0, 0.0, 0.0, 0.0]
    distances = {}
    for weight in (0.0, 5.0, 500.0):
        settings = {"run": True, "divergence_weight": weight}
        study = write_corpus(study_in(tmp_path / str(weight), log_odds=settings))
        given = write_weights(study, neutral).attention(documents)
        base = base_run(study, "tiny")
        _, drawn = log_odds_runs(study, "tiny")
        do(study, "train", base, drawn)
        own = attention_of(study, drawn)
        distances[weight] = jensen_shannon_divergence(own, given).mean()
        if not weight:
            # Without the divergence the model is the base model.
            np.testing.assert_allclose(own.values, attention_of(study, base).values, atol=1e-6)
    assert distances[500.0] < 0.1 * distances[0.0]
    assert distances[500.0] < distances[5.0] < distances[0.0]


def test_log_odds_are_weighed_before_a_model_is_trained_with_them(tmp_path: Path) -> None:
    study = write_corpus(study_in(tmp_path, log_odds={"run": True}))
    for run in log_odds_runs(study, "tiny"):
        with pytest.raises(UserError, match=r"log_odds.parquet: no such file"):
            do(study, "train", run)
