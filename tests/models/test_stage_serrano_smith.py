"""Runs of flat and hierarchical attention networks from prepared documents to files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnnn.errors import UserError
from attnnn.models.documents import read_documents
from attnnn.models.inputs import Inputs
from attnnn.models.persistence import load_classifier
from attnnn.models.prediction import predict
from attnnn.models.training import Training
from attnnn.readout.predictions import read_explained
from attnnn.study.config import Study
from attnnn.study.model import Model, Run
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import read_table, write_json, write_table
from tests.support import Layout, do

from .conftest import study_in, tiny_documents, write_corpus

SETTINGS = {
    "hidden_size": 8, "batch_size": 16, "learning_rate": 0.05, "word_dropout": 0.2,
    "sentence_dropout": 0.1, "han_output_dropout": 0.1, "han_samples_per_batch": 40,
}  # fmt: skip


def cut(tokens: Ragged) -> Ragged:
    """Sentences of three tokens, the last one of what is left."""
    lengths = [[3] * (n // 3) + [n % 3] * (n % 3 > 0) for n in tokens.lengths.tolist()]
    return Ragged.from_lists(lengths, dtype=np.int32)


def segmented(folder: Path, *, classes: int = 2, epochs: int = 4, **changes: object) -> Study:
    """The tiny corpus with sentences; labels of more than two classes have nothing to do with its words."""
    passes = {"epochs": epochs, "epochs_without_encoder": epochs}
    study = study_in(folder, serrano_smith=SETTINGS | passes, **changes)
    documents = tiny_documents()
    if classes > 2:
        documents["label"] = np.arange(len(documents["label"])) % classes
    write_corpus(study, documents)
    layout = Layout(study.results_dir)
    write_json(layout.corpus("tiny", "description.json"), {"classes": [*"abcdefg"[:classes]]})
    write_sentences(study, documents, cut(documents["token_ids"]))
    return study


def write_sentences(study: Study, documents: dict[str, Any], sentences: Any) -> Path:
    path = Path(Layout(study.results_dir).corpus("tiny", "sentences.parquet"))
    columns = {name: documents[name] for name in ("document", "split")} | {"sentences": sentences}
    write_table(path, schemas.SENTENCES, columns, made_by={})
    return path


def run_of(name: str) -> Run:
    return Run("tiny", Model.parse(name), 10)


NAMES = [f"{f}-{e}-additive" for f in ("flan", "han") for e in ("rnn", "conv", "none")]


@pytest.mark.parametrize("name", [*NAMES, "han-rnn-uniform"])
@pytest.mark.parametrize("classes", [2, 4])
def test_predictions_carry_their_own_proof(tmp_path: Path, name: str, classes: int) -> None:
    study, run = segmented(tmp_path, classes=classes), run_of(name)
    do(study, "train", run)
    path = Path(Layout(study.results_dir).predictions_of(run))
    predictions, readout = read_explained(path)
    assert readout.classes == classes
    assert readout.linear
    np.testing.assert_allclose(
        readout.explained(predictions.attention, predictions.attention),
        predictions.probability,
        atol=1e-5,
    )
    np.testing.assert_allclose(predictions.attention.sums(), 1, atol=1e-5)
    layout = Layout(study.results_dir)
    documents = read_documents(
        *(layout.corpus("tiny", f"{name}.parquet") for name in ("documents", "sentences"))
    )
    test = documents.of_split("test")
    items = test.sentences if name.startswith("han") else test.tokens
    assert predictions.attention.lengths.tolist() == items.lengths.tolist()
    # The weights that are kept are those of the predictions.
    loaded = load_classifier(path.parent)
    found = predict(loaded, Inputs.of(test, by_sentence=name.startswith("han")))
    np.testing.assert_allclose(found.attention.values, predictions.attention.values, rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_they_learn(tmp_path: Path, name: str) -> None:
    study, run = segmented(tmp_path, epochs=20), run_of(name)
    do(study, "train", run)
    layout = Layout(study.results_dir)
    table = read_table(layout.predictions_of(run), schemas.PREDICTIONS)
    correct = (table["probability"].to_numpy() > 0.5) == (table["label"].to_numpy() == 1)
    assert correct.mean() > 0.9
    described = json.loads(Path(layout.model("tiny", name, 10, "model.json")).read_text())
    # The score is accuracy on dev.
    dev = np.array(table["split"].to_pylist()) == "dev"
    assert described["selected_score"] == pytest.approx(correct[dev].mean())


@pytest.mark.parametrize("name", ["han-rnn-additive", "flan-conv-additive"])
def test_a_killed_training_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    run, often = run_of(name), {"checkpoint_seconds": 0}
    whole = segmented(tmp_path / "whole")
    do(whole, "train", run)
    killed = segmented(tmp_path / "killed", training=often)
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
    do(killed, "train", run)
    assert epochs == [0, 1, 2, 2, 3]
    for file in ("predictions.parquet", "weights.safetensors", "history.parquet"):
        one, other = (
            Path(Layout(study.results_dir).model("tiny", name, 10, file)).read_bytes()
            for study in (whole, killed)
        )
        assert one == other


def test_switches_change_what_is_trained(tmp_path: Path) -> None:
    run, weights = run_of("han-rnn-additive"), []
    for number, switches in enumerate(({}, {"logit_dropout": "logits"}, {"gru_bias": "lstm_init"})):
        study = segmented(tmp_path / str(number), switches=switches)
        do(study, "train", run)
        weights.append(
            Path(Layout(study.results_dir).model("tiny", run.model.name, 10, "weights.safetensors"))
        )
    assert len({path.read_bytes() for path in weights}) == 3


def test_a_hierarchical_model_of_a_corpus_without_sentences_is_refused(tmp_path: Path) -> None:
    study = write_corpus(study_in(tmp_path, serrano_smith=SETTINGS))
    with pytest.raises(UserError, match=r"sentences\.parquet") as caught:
        do(study, "train", run_of("han-rnn-additive"))
    assert "\n" not in str(caught.value)
    do(study, "train", run_of("flan-none-additive"))


@pytest.mark.parametrize("fault", ["another length", "an empty one"])
def test_sentences_that_are_not_those_of_the_tokens_are_refused(tmp_path: Path, fault: str) -> None:
    study, documents = segmented(tmp_path), tiny_documents()
    sentences = [[n] for n in documents["token_ids"].lengths.tolist()]
    sentences[3] = [0, *sentences[3]] if fault == "an empty one" else [1, *sentences[3]]
    path = write_sentences(study, documents, sentences)
    with pytest.raises(UserError, match=r"found \[.*\] for the .* tokens of document 3") as caught:
        read_documents(path.with_name("documents.parquet"), path)
    assert "\n" not in str(caught.value)
