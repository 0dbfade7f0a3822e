"""Replaced attention and words, against the model itself with either."""

from pathlib import Path

import numpy as np
import pytest
import torch

from attnnn.errors import UserError
from attnnn.measures import jensen_shannon_divergence
from attnnn.models.attention import Imposed
from attnnn.models.inputs import Inputs
from attnnn.models.log_odds import WordLogOdds
from attnnn.models.persistence import load_classifier
from attnnn.models.prediction import predict
from attnnn.study.config import Study
from attnnn.study.runs import base_run
from attnnn.tables import analyses, schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import facts_of, read_table, write_table
from tests.models.conftest import VOCABULARY, study_in, tiny_documents, write_corpus
from tests.support import Layout, do

# Word 5 speaks for class 1, 4 and 6 for class 0; 7 is a stop word.
WEIGHT = [None] * 4 + [-2.0, 3.0, -1.0, None, 0.0, 0.0, 0.0, 0.0]


def write_weights(study: Study) -> WordLogOdds:
    columns = {
        "id": np.arange(VOCABULARY),
        "token": [f"w{index}" for index in range(VOCABULARY)],
        "weight": WEIGHT,
    }
    path = Layout(study.results_dir).corpus("tiny", "log_odds.parquet")
    write_table(path, schemas.LOG_ODDS, columns, made_by={})
    return WordLogOdds(np.array(WEIGHT, dtype=np.float64))


@pytest.fixture
def study(tmp_path: Path) -> Study:
    study = write_corpus(study_in(tmp_path, log_odds={"run": True, "substituted_words": 2}))
    do(study, "train", base_run(study, "tiny"))
    return study


def test_the_table_holds_what_the_model_says_of_either(study: Study) -> None:
    words, run = write_weights(study), base_run(study, "tiny")
    do(study, "replace", run)
    layout = Layout(study.results_dir)
    table = read_table(layout.analysis_of("replacement", run), analyses.REPLACEMENT)
    documents = tiny_documents()
    test = np.flatnonzero(np.array(documents["split"]) == "test")
    tokens = documents["token_ids"].take(test)
    classifier = load_classifier(Path(layout.predictions_of(run)).parent)
    own = predict(classifier, Inputs(tokens))

    assert table["document"].to_pylist() == test.tolist()
    assert table["predicted"].to_pylist() == (own.probability > 0.5).tolist()
    given = words.attention(tokens)
    jsd = jensen_shannon_divergence(given, own.attention)
    np.testing.assert_allclose(table["jsd"], jsd, atol=1e-6)
    other = [
        _substituted(tokens[row], own.attention[row], own.probability[row] > 0.5)
        for row in range(len(test))
    ]
    read = predict(classifier, Inputs(Ragged.from_lists(other)), projected=False)
    np.testing.assert_allclose(table["substituted_probability"], read.probability, atol=1e-6)
    change = np.abs(read.probability - own.probability)
    np.testing.assert_allclose(table["substituted_change"], change, atol=1e-6)
    # The model itself, given the attention instead of its own.
    classifier.attention = Imposed(classifier.encoder.width, inner=0)
    imposed = predict(classifier, Inputs(tokens, imposed=given)).probability
    np.testing.assert_allclose(table["imposed_probability"], imposed, atol=1e-6)
    change = np.abs(imposed - own.probability)
    np.testing.assert_allclose(table["imposed_change"], change, atol=1e-6)
    assert table["imposed_change"].to_numpy().max() > 0.01
    # Class 1 has one word alone.
    expected = np.where(own.probability > 0.5, 2, 1)
    assert table["substituted_words"].to_pylist() == expected.tolist()
    assert table["counted_words"].to_pylist() == [(row != 7).sum() for row in tokens]
    assert facts_of(table)["settings"]["substituted_words"] == 2


def _substituted(tokens: np.ndarray, attention: np.ndarray, positive: bool) -> list[int]:
    changed = tokens.tolist()
    most = np.argsort(-attention, kind="stable")
    for position, word in zip(most, [4, 6] if positive else [5], strict=False):
        changed[position] = word
    return changed


def test_words_are_weighed_first(study: Study) -> None:
    with pytest.raises(UserError, match=r"log_odds.parquet: no such file"):
        do(study, "replace", base_run(study, "tiny"))


def test_the_table_can_be_had_twice_alike(study: Study) -> None:
    write_weights(study)
    run = base_run(study, "tiny")
    path = Path(Layout(study.results_dir).analysis_of("replacement", run))
    do(study, "replace", run)
    before = path.read_bytes()
    torch.manual_seed(1)
    do(study, "replace", run)
    assert path.read_bytes() == before
