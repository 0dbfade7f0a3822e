"""Log-odds of words: against scikit-learn used by hand, and on planted words."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from attnnn.corpora.bag_of_words import counted_words, fit_log_odds
from attnnn.corpora.planted_words import NEGATIVE_CUES, POSITIVE_CUES
from attnnn.errors import UserError
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import facts_of, read_table
from tests.support import do

from .toy import study_of, written

WORDS = ["<0>", "<UNK>", "<SOS>", "<EOS>", "good", "bad", "The", "film", "plot", "dull", "seldom"]
TEXTS = [
    "The good film good",
    "good plot The film",
    "good film",
    "dull film",
    "bad bad film",
    "The bad plot dull",
    "bad film good plot",
    "dull dull plot",
    "The The",
]
LABEL = np.array([1, 1, 1, 0, 0, 0, 0, 0, 1])


def ids(texts: list[str]) -> Ragged:
    return Ragged.from_lists([[WORDS.index(word) for word in text.split()] for text in texts])


def test_symbols_and_stop_words_of_any_case_are_not_counted() -> None:
    counted = counted_words(WORDS)
    assert [word for word, count in zip(WORDS, counted, strict=True) if count] == [
        *("good", "bad", "film", "plot", "dull", "seldom")
    ]


@pytest.mark.parametrize("strength", [4.0, 20.0])
def test_weights_are_those_of_scikit_learn_on_the_texts(strength: float) -> None:
    found = fit_log_odds(ids(TEXTS), LABEL, counted_words(WORDS), inverse_strength=strength)
    words = ["good", "bad", "film", "plot", "dull", "seldom"]
    bags = TfidfVectorizer(
        vocabulary=words, binary=True, use_idf=False, norm="l2", stop_words="english"
    ).fit_transform(TEXTS)
    expected = LogisticRegression(
        l1_ratio=1, solver="liblinear", C=strength, class_weight="balanced", tol=1e-8, max_iter=9999
    ).fit(bags, LABEL)
    weight = found.weight[[WORDS.index(word) for word in words]]
    np.testing.assert_allclose(weight, expected.coef_[0], atol=1e-4)
    assert found.intercept == pytest.approx(expected.intercept_[0], abs=1e-4)
    assert np.abs(weight).max() > 0.1
    assert np.isnan(found.weight[[0, 1, 2, 3, WORDS.index("The")]]).all()
    assert found.converged
    assert found.empty == 1


def test_words_that_no_training_document_has_weigh_nothing() -> None:
    found = fit_log_odds(ids(TEXTS), LABEL, counted_words(WORDS), inverse_strength=10.0)
    assert found.weight[WORDS.index("seldom")] == 0


def test_a_rare_class_counts_as_much_as_a_frequent_one() -> None:
    """Repeating every document of one class changes nothing: classes are balanced."""
    before = fit_log_odds(ids(TEXTS[:8]), LABEL[:8], counted_words(WORDS), inverse_strength=5.0)
    negative = np.repeat(np.arange(8), np.where(LABEL[:8] == 0, 3, 1))
    # Scikit-learn's weights sum to the number of documents, so C is shared by 18 instead of 8.
    after = fit_log_odds(
        ids([TEXTS[row] for row in negative]),
        LABEL[negative],
        counted_words(WORDS),
        inverse_strength=5.0 * 8 / len(negative),
    )
    np.testing.assert_allclose(after.weight, before.weight, atol=1e-4)


def test_the_strongest_words_of_a_planted_corpus_are_the_planted_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = study_of(tmp_path, {"source": {"kind": "planted", "regime": "lexical"}})
    do(study, "prepare", "toy")
    do(study, "weigh", "toy")
    table = read_table(written(tmp_path, "log_odds.parquet"), schemas.LOG_ODDS)
    weight = dict(zip(table["token"].to_pylist(), table["weight"].to_pylist(), strict=True))
    assert weight["<UNK>"] is None
    assert weight["the"] is None
    ranked = sorted((word for word in weight if weight[word] is not None), key=lambda w: weight[w])
    assert set(ranked[:20]) <= set(NEGATIVE_CUES)
    assert set(ranked[-20:]) <= set(POSITIVE_CUES)
    nonzero = sum(bool(value) for value in weight.values())
    counted = sum(value is not None for value in weight.values())
    said = capsys.readouterr().err
    assert f"toy: {nonzero} of {counted} words of the bag have a weight\n" in said
    assert "stop and unknown words alone" not in said
    facts = facts_of(table)
    assert (facts["settings"], facts["converged"]) == ({"inverse_strength": 1.0}, True)


def test_only_the_training_split_is_read(tmp_path: Path) -> None:
    lines = ['{"split": "train", "label": "no", "text": "dull thing"}'] * 6
    lines += ['{"split": "train", "label": "yes", "text": "good thing"}'] * 6
    lines += ['{"split": "train", "label": "yes", "text": "The the"}']
    lines += ['{"split": "dev", "label": "no", "text": "good thing"}'] * 50
    lines += ['{"split": "test", "label": "yes", "text": "dull thing"}'] * 50
    for split in ("dev", "test"):
        lines += [
            f'{{"split": "{split}", "label": "{label}", "text": "x"}}' for label in ("no", "yes")
        ]
    (tmp_path / "reviews.jsonl").write_text("\n".join(lines) + "\n")
    study = study_of(
        tmp_path,
        {"source": {"kind": "table", "path": "reviews.jsonl", "split": "split"}},
        log_odds={"inverse_strength": 10},
    )
    do(study, "prepare", "toy")
    do(study, "weigh", "toy")
    table = read_table(written(tmp_path, "log_odds.parquet"), schemas.LOG_ODDS)
    weight = dict(zip(table["token"].to_pylist(), table["weight"].to_pylist(), strict=True))
    assert weight["good"] > 0 > weight["dull"]
    assert facts_of(table)["empty"] == 1


def test_pairs_have_no_bag_of_words(tmp_path: Path) -> None:
    study = study_of(tmp_path, {"source": {"kind": "babi", "task": 1}})
    with pytest.raises(UserError, match=r"corpus toy: .* single texts and two classes"):
        do(study, "weigh", "toy")
