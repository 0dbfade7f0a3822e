"""Leave-one-out that shares prefixes, against plain deletion; and what rejoining costs in exactness."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnnn.importance import lstm_runs, shared_prefixes
from attnnn.importance.leave_one_out import by_deletion, leave_one_out
from attnnn.importance.rejoining import check_rejoining
from attnnn.importance.shared_prefixes import LARGEST_SCORE, by_shared_prefixes, shares_prefixes
from attnnn.models.classifier import build
from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged

WORDS = 15


def random_classifier(attention, *, seed=0, hidden_size=6, dimension=5):
    return build(
        encoder="bilstm",
        attention=attention,
        vocabulary=WORDS,
        dimension=dimension,
        hidden_size=hidden_size,
        seed=seed,
    ).eval()


def random_documents(lengths, seed=0):
    rng = np.random.default_rng(seed)
    return Ragged.from_lengths(rng.integers(4, WORDS, sum(lengths)), lengths)


def random_weights(tokens, seed=0):
    """Attention weights, some of them zero."""
    rng = np.random.default_rng(seed)
    drawn = rng.random(len(tokens.values)) * (rng.random(len(tokens.values)) < 0.7)
    drawn[tokens.offsets[:-1]] += 0.1
    weights = tokens.with_values(drawn)
    return weights.with_values(drawn / weights.sums()[weights.documents])


@settings(deadline=None, max_examples=40)
@given(
    lengths=st.lists(st.integers(1, 14), min_size=1, max_size=6),
    attention=st.sampled_from(["additive", "uniform", "imposed"]),
    scale=st.sampled_from([0.3, 1.0, 5.0]),
    hidden_size=st.integers(2, 9),
    double=st.booleans(),
    max_tokens=st.sampled_from([1, 20, 1000]),
    seed=st.integers(0, 10_000),
)
def test_equals_plain_deletion(lengths, attention, scale, hidden_size, double, max_tokens, seed):
    classifier = random_classifier(attention, seed=seed, hidden_size=hidden_size)
    with torch.no_grad():
        for parameter in classifier.parameters():
            parameter.mul_(scale)
    # The plain algorithm takes imposed weights in single precision only.
    double = double and attention != "imposed"
    tokens = random_documents(lengths, seed)
    imposed = random_weights(tokens, seed) if attention == "imposed" else None
    classifier = classifier.double() if double else classifier
    found = by_shared_prefixes(
        classifier, Inputs(tokens, imposed=imposed), max_tokens=max_tokens
    ).signed
    plain = by_deletion(classifier, Inputs(tokens, imposed=imposed)).signed
    np.testing.assert_allclose(
        found.values, plain.values, rtol=0, atol=1e-12 if double else 1e-5, equal_nan=True
    )


@pytest.mark.parametrize("rows", [1, 3, 1000])
@pytest.mark.parametrize("attention", ["additive", "uniform"])
def test_how_runs_are_packed_does_not_matter(monkeypatch, attention, rows):
    # More variants than rows, and documents longer than the steps between two looks.
    classifier = random_classifier(attention).double()
    tokens = random_documents([70, 1, 9, 40, 2])
    monkeypatch.setattr(lstm_runs, "ROWS", {"cpu": rows})
    found = by_shared_prefixes(classifier, Inputs(tokens)).signed
    plain = by_deletion(classifier, Inputs(tokens)).signed
    np.testing.assert_allclose(found.values, plain.values, rtol=0, atol=1e-12)


def test_only_the_tokens_asked_for():
    classifier = random_classifier("additive").double()
    tokens = random_documents([5, 8, 3, 8])
    deleted = np.zeros(len(tokens.values), dtype=bool)
    deleted[[2, 17, 22]] = True
    found = by_shared_prefixes(classifier, Inputs(tokens), deleted=deleted).signed.values
    np.testing.assert_array_equal(np.isnan(found), ~deleted)
    whole = by_shared_prefixes(classifier, Inputs(tokens)).signed.values
    np.testing.assert_allclose(found[deleted], whole[deleted], rtol=0, atol=1e-14)


def test_reads_half_of_every_variant_and_no_word_vector_twice(monkeypatch):
    # Forward after the deleted token, backward before it: n − 1 steps of one direction a variant.
    classifier = random_classifier("additive")
    tokens = random_documents([12, 7])
    read = []
    step = lstm_runs.Recurrence.step

    def counted(self, inputs, words):
        read.append((len(words), len(inputs)))
        return step(self, inputs, words)

    monkeypatch.setattr(lstm_runs.Recurrence, "step", counted)
    by_shared_prefixes(classifier, Inputs(tokens))
    whole = 2 * (13 + 8)
    assert sum(rows for rows, _ in read) == whole + 12 * 11 + 7 * 6
    assert {words for _, words in read} == {len(np.unique(tokens.values)) + 2}


def rejoining_classifier(attention):
    """A model that forgets within a few dozen tokens."""
    return random_classifier(attention, hidden_size=16, dimension=8).double()


@pytest.mark.parametrize("attention", ["additive", "uniform", "imposed"])
def test_rejoining_is_as_exact_as_its_tolerance(attention):
    classifier = rejoining_classifier(attention)
    tokens = random_documents([150, 220])
    imposed = random_weights(tokens) if attention == "imposed" else None
    exact = by_shared_prefixes(classifier, Inputs(tokens, imposed=imposed)).signed.values
    errors = {}
    for tolerance in (1e-3, 1e-5, 1e-12):
        found = by_shared_prefixes(
            classifier, Inputs(tokens, imposed=imposed), tolerance=tolerance
        ).signed.values
        errors[tolerance] = np.abs(found - exact).max()
    assert errors[1e-12] < 1e-12
    assert 0 < errors[1e-5] < 1e-5
    assert errors[1e-5] < errors[1e-3] < 1e-3


def test_rejoining_makes_cost_grow_linearly(monkeypatch):
    classifier = rejoining_classifier("uniform")
    steps = []
    step = lstm_runs.Recurrence.step

    def counted(self, inputs, words):
        steps.append(len(words))
        return step(self, inputs, words)

    monkeypatch.setattr(lstm_runs.Recurrence, "step", counted)
    cost = {}
    for length in (200, 400, 800):
        steps.clear()
        by_shared_prefixes(classifier, Inputs(random_documents([length])), tolerance=1e-4)
        cost[length] = sum(steps)
    assert cost[400] - cost[200] == pytest.approx((cost[800] - cost[400]) / 2, rel=0.1)


def test_only_long_documents_rejoin():
    classifier = rejoining_classifier("additive")
    tokens = random_documents([150, 90, 149])
    exact = leave_one_out(classifier, Inputs(tokens)).signed
    found = leave_one_out(classifier, Inputs(tokens), rejoin_from=150, tolerance=1e-3).signed
    same = [np.abs(a - b).max() < 1e-14 for a, b in zip(found, exact, strict=True)]
    assert same == [False, True, True]


def test_the_error_of_rejoining_is_measured():
    classifier = rejoining_classifier("additive")
    tokens = random_documents([150, 90, 160])
    exact = leave_one_out(classifier, Inputs(tokens)).signed.values
    found = leave_one_out(classifier, Inputs(tokens), rejoin_from=150, tolerance=1e-3).signed
    arguments = {"rejoin_from": 150, "rng": np.random.default_rng(0)}
    everything = check_rejoining(classifier, Inputs(tokens), found, deletions=1000, **arguments)
    assert (everything.documents, everything.tokens, everything.checked) == (2, 310, 310)
    assert everything.largest_error == pytest.approx(np.abs(found.values - exact).max())
    some = check_rejoining(classifier, Inputs(tokens), found, deletions=20, **arguments)
    assert some.checked == 20
    assert 0 < some.largest_error <= everything.largest_error


def test_nothing_rejoins_nothing_is_checked():
    classifier = rejoining_classifier("additive")
    tokens = random_documents([15, 9])
    found = leave_one_out(classifier, Inputs(tokens), rejoin_from=150).signed
    checked = check_rejoining(
        classifier,
        Inputs(tokens),
        found,
        rejoin_from=150,
        deletions=9,
        rng=np.random.default_rng(0),
    )
    assert (checked.documents, checked.checked, checked.largest_error) == (0, 0, None)


def test_scores_beyond_double_precision_are_left_to_plain_deletion(monkeypatch):
    classifier = random_classifier("additive").double()
    assert shares_prefixes(classifier)
    with torch.no_grad():
        classifier.attention.score.weight.fill_(LARGEST_SCORE)
    assert not shares_prefixes(classifier)
    tokens = random_documents([4, 6])
    monkeypatch.setattr(shared_prefixes, "read_both_ways", None)
    found, plain = (
        leave_one_out(classifier, Inputs(tokens)).signed,
        by_deletion(classifier, Inputs(tokens)).signed,
    )
    np.testing.assert_array_equal(found.values, plain.values)
    assert np.abs(found.values).max() > 0
