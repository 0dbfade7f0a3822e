"""Supporting sentences ranked first, by hand."""

import numpy as np
import pytest

from attnnn.dag import catalogue
from attnnn.errors import UserError
from attnnn.exhibits.facts import Setting
from attnnn.exhibits.jain_wallace.jw_evidence import evidence, evidence_sheet
from attnnn.exhibits.write import write
from attnnn.stages.measure import METHODS
from attnnn.study.model import BASE
from attnnn.study.runs import explained_runs
from attnnn.tables import analyses, schemas, store
from tests.exhibits import handmade, synthetic
from tests.support import Layout

ALONE = {"papers": ["jain-wallace"]}
# Three stories: five tokens in two sentences, four in three, and one that nothing is known of.
SENTENCE = [[0, 0, 0, 1, 1], [0, 1, 1, 2], None]
EVIDENCE = [[0, 0, 0, 1, 1], [1, 0, 0, 1], None]
ATTENTION = [[0.2, 0.2, 0.2, 0.3, 0.1], [0.3, 0.2, 0.4, 0.1], [1.0]]
GRADIENT = [[0.0, 0.5, 0.0, 0.5, 0.0], [0.0, 0.0, 0.0, 9.0], [1.0]]
# One number per token before the tanh, which speaks for class 1 and a little for class 2, against the others.
STATES = [[0.0, 1.0, 0.0, 2.0, -9.0], [1.0, 5.0, -1.0, 9.0], [1.0]]
READOUT = {"projected": STATES, "offset": [[0.0]] * 3}
UNKNOWN = dict.fromkeys(READOUT, [None] * 3)
ARRAYS = {"weight": np.array([[-1.0], [1.0], [0.1], [-1.0]]), "bias": np.zeros(4)}
LABEL, PREDICTED = [1, 2, 0], [1, 3, 0]


@pytest.fixture
def results(tmp_path):
    study = synthetic.study(tmp_path / "results", ["babi"], **ALONE)
    paths = Layout(study.results_dir)
    same = {"document": np.arange(3), "split": ["test"] * 3, "label": LABEL}
    documents = {
        **same,
        "tokens": [["a"] * len(row) for row in ATTENTION],
        "token_ids": [[4] * len(row) for row in ATTENTION],
        "truth": [None] * 3,
        "question": [["b"]] * 3,
        "question_ids": [[4]] * 3,
        "candidates": [None] * 3,
        "sentence": SENTENCE,
        "evidence": EVIDENCE,
    }
    path = paths.corpus("babi", "documents.parquet")
    store.write_table(path, schemas.PAIRS, documents, made_by={})
    for run in explained_runs(study, "babi"):
        predictions = {
            **same,
            "predicted": PREDICTED,
            "probabilities": [[0.25] * 4] * 3,
            "attention": ATTENTION,
            "candidates": [None] * 3,
        }
        path = paths.predictions_of(run)
        blocks = [predictions | (READOUT if run.model == BASE else UNKNOWN)]
        schema = schemas.MULTICLASS_PREDICTIONS
        store.write_blocks(path, schema, blocks, made_by={}, arrays=ARRAYS)
        scores = {"document": np.arange(3), "importance": GRADIENT, "signed": GRADIENT}
        for method in METHODS:
            path = paths.importance_of(run, method)
            store.write_table(path, analyses.IMPORTANCE, scores, made_by={})
    return handmade.results(study)


def _values(results, score, answered="all"):
    table = evidence(results)
    setting = Setting(model="bilstm-additive", score=score, answered=answered)
    metrics = ("supporting_token_first", "supporting_sentence_first")
    facts = [table.get("babi", setting, metric) for metric in metrics]
    return [fact.value for fact in facts], facts[0].n


def test_the_most_attended_token_and_sentence(results):
    # Token: 4th, supporting; 3rd, not. Sentences .6 > .4, and .3, .6, .1: neither highest one supports.
    assert _values(results, "attention") == ([0.5, 0], 2)


def test_a_tie_counts_the_share_of_supporting_ones(results):
    # The first story ties a token and a sentence of each kind; of the second the last one is supporting.
    assert _values(results, "gradient") == ([0.75, 0.75], 2)


def test_attention_times_gradient_is_of_the_predicted_answer_and_signed(results):
    """Of class 1 the slope rises with the state, of class 3 it falls: the highest score is that of α_t s_t or
    of −α_t s_t.

    First story: 0, .2, 0, .6, −.9: the fourth token, supporting; sentences .2 and −.3: the first, not.
    Second: −.3, −1, .4, −.9: the third, not; sentences −.3, −.6, −.9: the first, supporting.
    """
    assert _values(results, "attention_gradient") == ([0.5, 0.5], 2)
    assert _values(results, "attention_gradient", "right") == ([1, 0], 1)


def test_scores_that_are_not_defined_have_no_number(results):
    assert _values(results, "contribution") == ([None, None], 0)
    table = evidence(results)
    setting = Setting(model="average-additive", score="attention_gradient", answered="all")
    fact = table.get("babi", setting, "supporting_token_first")
    assert (fact.value, fact.n) == (None, 0)


def test_chance_is_the_share_of_supporting_tokens_and_of_sentences(results):
    values, n = _values(results, "chance")
    assert values == pytest.approx([(2 / 5 + 2 / 4) / 2, (1 / 2 + 2 / 3) / 2])
    assert n == 2


def test_stories_answered_right_are_told_apart(results):
    assert _values(results, "attention", "right") == ([1, 0], 1)
    assert _values(results, "chance", "right") == ([2 / 5, 1 / 2], 1)


def test_stories_of_which_nothing_is_known_are_counted(results):
    fact = evidence(results).get("babi", Setting("all"), "documents_without_evidence")
    assert (fact.value, fact.n) == (1, 3)


def test_sheet_has_a_row_a_unit_model_and_kind_of_stories(results):
    sheet = evidence_sheet(results, evidence(results))
    rows = [row for row in sheet.rows if row]
    assert len(rows) == 2 * 6 * 2
    assert rows[0][:4] == ["babi", "token", "bilstm-additive", "all"]
    assert rows[1][4:] == [
        "1.00 [1.00, 1.00]",
        "0.50 [0.50, 0.50]",
        "0.50 [0.50, 0.50]",
        "1.00 [1.00, 1.00]",
        "–",
        "0.40",
        "1",
    ]


def test_a_study_without_evidence_has_no_such_table(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst", "snli"], **ALONE)
    assert "jw_evidence" not in catalogue.exhibits(study)
    with pytest.raises(UserError, match=r"jw_evidence: no corpus .* supporting sentences"):
        write(study, "jw_evidence")
