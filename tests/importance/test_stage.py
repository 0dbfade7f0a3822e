"""The stage's tables, from a trained run."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from attnnn.errors import UserError
from attnnn.importance.correlated import PAIRS
from attnnn.stages.measure import METHODS
from attnnn.study.model import BASE, Run, guided_mlp
from attnnn.study.runs import average_run, base_run
from attnnn.study.settings import LeaveOneOut
from attnnn.tables import analyses, schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import facts_of, read_table, write_table
from tests.models.conftest import study_in, write_corpus
from tests.support import Layout, do


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    study = write_corpus(study_in(tmp_path_factory.mktemp("study")))
    for run in (average_run(study, "tiny"), base_run(study, "tiny")):
        do(study, "train", run)
    guided = Run("tiny", guided_mlp(BASE), study.base_seed)
    do(study, "train", guided)
    return study


def importance(study, run, method):
    do(study, "measure", run)
    table = read_table(Layout(study.results_dir).importance_of(run, method), analyses.IMPORTANCE)
    return table, Ragged.from_arrow(table["signed"])


@pytest.mark.parametrize("method", METHODS)
def test_importance_of_the_test_split(study, method):
    run = base_run(study, "tiny")
    table, signed = importance(study, run, method)
    documents = read_table(
        Layout(study.results_dir).corpus("tiny", "documents.parquet"), schemas.DOCUMENTS
    )
    test = documents.filter(np.array(documents["split"].to_pylist()) == "test")
    assert table["document"].equals(test["document"])
    tokens = Ragged.from_arrow(test["token_ids"])
    np.testing.assert_array_equal(signed.lengths, tokens.lengths)
    magnitude = Ragged.from_arrow(table["importance"]).values
    np.testing.assert_array_equal(magnitude, np.abs(signed.values))
    # The cue words 4 and 5 decide the label: they matter more than the others.
    cue = np.isin(tokens.values, [4, 5])
    assert magnitude[cue].mean() > magnitude[~cue].mean()


def test_attention_path_is_a_switch(study, tmp_path):
    run = base_run(study, "tiny")
    _, held = importance(study, run, "gradient")
    switched = study.model_copy(update={"switches": {"grad_through_attention": True}})
    switched.__dict__.pop("_protocols", None)
    _, free = importance(switched, run, "gradient")
    assert np.abs(held.values - free.values).max() > 1e-6


def test_imposed_attention_is_read_from_the_guide(study):
    run = Run("tiny", guided_mlp(BASE), study.base_seed)
    _, signed = importance(study, run, "leave_one_out")
    assert np.abs(signed.values).max() > 0


def test_correlation_table(study):
    run = average_run(study, "tiny")
    for method in METHODS:
        table, _ = importance(study, run, method)
    do(study, "correlate", run)
    layout = Layout(study.results_dir)
    found = read_table(layout.analysis_of("correlation", run), analyses.CORRELATION)
    # Three pairs of magnitudes, and of both classes each of three with each of two signed scores.
    assert len(found) == (3 + 2 * 3 * 2) * len(table)
    count = Counter(zip(found["pair"].to_pylist(), found["class"].to_pylist(), strict=True))
    assert set(count.values()) == {len(table)}
    assert {about for pair, about in count if pair == "attention~contribution"} == {0, 1}
    assert {pair for pair, about in count if about is None} == {f"{x}~{y}" for x, y in PAIRS}
    defined = np.array([reason is None for reason in found["excluded"].to_pylist()])
    assert defined.any()
    tau = np.array(found["tau"].to_pylist(), float)
    assert (np.isnan(tau) == ~defined).all()
    assert (np.abs(tau[defined]) <= 1).all()


def test_a_run_of_attention_and_probabilities_alone_has_rows_with_a_reason(study):
    run = average_run(study, "tiny")
    for method in METHODS:
        importance(study, run, method)
    path = Layout(study.results_dir).predictions_of(run)
    kept = Path(path).read_bytes()
    columns = read_table(path, schemas.PREDICTIONS).to_pydict()
    columns["contribution"] = [None] * len(columns["document"])
    try:
        write_table(path, schemas.PREDICTIONS, columns, made_by={})
        do(study, "correlate", run)
    finally:
        Path(path).write_bytes(kept)
    made = Layout(study.results_dir).analysis_of("correlation", run)
    rows = read_table(made, analyses.CORRELATION).to_pylist()
    signed = [row for row in rows if row["class"] is not None]
    assert len(signed) == 2 * (len(rows) - len(signed)) > 0
    assert all(row["class"] == row["predicted"] and row["tau"] is None for row in signed)
    assert {row["excluded"].split(", ")[-1] for row in signed if row["tokens"] > 1} == {
        "undefined attention_gradient",
        "undefined contribution",
    }


def test_importance_of_other_documents_is_refused(study):
    run = base_run(study, "tiny")
    for method in METHODS:
        table, signed = importance(study, run, method)
    path = Layout(study.results_dir).importance_of(run, "leave_one_out")
    columns = {
        "document": table["document"].to_numpy() + 1,
        "importance": signed,
        "signed": signed,
    }
    write_table(path, analyses.IMPORTANCE, columns, made_by={})
    with pytest.raises(UserError, match=r"leave_one_out\.parquet: its documents are not those of"):
        do(study, "correlate", run)


def test_the_error_of_rejoining_is_kept_with_the_table(study):
    settings = {"rejoin_from": 6, "rejoin_tolerance": 0.05, "checked_deletions": 40}
    rejoining = study.model_copy(update={"leave_one_out": LeaveOneOut(**settings)})
    run = base_run(study, "tiny")
    exact_table, exact = importance(study, run, "leave_one_out")
    table, found = importance(rejoining, run, "leave_one_out")
    assert "rejoining" not in facts_of(exact_table)
    kept = facts_of(table)["rejoining"]
    long = exact.lengths >= 6
    assert kept["documents"] == long.sum()
    assert kept["tokens"] == exact.lengths[long].sum()
    assert kept["checked"] == min(40, kept["tokens"])
    assert 0 < kept["largest_error"] <= np.abs(found.values - exact.values).max() + 1e-7
