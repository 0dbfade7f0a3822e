"""The exact adversary against hand-worked cases, enumeration, an optimiser and the search."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from attnnn.counterfactual.exact import exact_adversary
from attnnn.counterfactual.outcome import Outcome
from attnnn.counterfactual.searched import search_adversaries
from attnnn.measures import jensen_shannon_divergence
from attnnn.readout.readout import Readout
from attnnn.study.settings import SearchedAdversary
from attnnn.tables.ragged import Ragged
from tests.support import binary

LN2 = math.log(2)


def one(
    attention: list[float], contribution: list[float], bias: float = 0.0
) -> tuple[Ragged, Readout]:
    return Ragged.from_lists([attention]), binary(Ragged.from_lists([contribution]), bias)


def sigma(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def random_documents(count: int, longest: int, seed: int) -> tuple[Ragged, Readout]:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, size=count)
    scores = Ragged.from_lengths(3 * rng.standard_normal(lengths.sum()), lengths)
    weight = np.exp(scores.values)
    attention = scores.with_values(weight / scores.with_values(weight).sums()[scores.documents])
    return attention, binary(scores.with_values(2 * rng.standard_normal(lengths.sum())), 0.3)


def by_enumeration(
    q: NDArray[np.float64], s: NDArray[np.float64], bias: float, epsilon: float
) -> float:
    """Every token alone and every pair on every bound, one after the other."""
    p = sigma(float(q @ s) + bias)
    bounds = [math.log(v / (1 - v)) for v in (p - epsilon, p + epsilon) if 0 < v < 1]
    candidates = [np.eye(len(q))[t] for t in range(len(q))]
    for a in range(len(q)):
        for b in range(len(q)):
            for bound in bounds:
                if s[a] + bias < bound < s[b] + bias:
                    share = (s[b] + bias - bound) / (s[b] - s[a])
                    candidates.append(share * np.eye(len(q))[a] + (1 - share) * np.eye(len(q))[b])
    feasible = [c for c in candidates if abs(sigma(float(c @ s) + bias) - p) <= epsilon + 1e-9]
    return max(_jsd(c, q) for c in feasible)


def _jsd(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    lists = [Ragged.from_lists([v]) for v in (p, q)]
    return float(jensen_shannon_divergence(*lists)[0])


def test_one_token_cannot_move() -> None:
    found = exact_adversary(*one([1.0], [2.0]), 0.01)
    assert found.jsd[0] == pytest.approx(0, abs=1e-12)
    assert (found.token_a[0], found.weight_a[0], found.token_b[0]) == (0, 1.0, -1)


def test_where_contributions_are_equal_all_weight_goes_to_the_least_attended_token() -> None:
    found = exact_adversary(*one([0.7, 0.1, 0.2], [1.5, 1.5, 1.5]), 0.01)
    # JSD between e_1 and (.7, .1, .2): ½ ln(1/.55) + ½ [.7 ln 2 + .1 ln(.1/.55) + .2 ln 2]
    expected = 0.5 * math.log(1 / 0.55) + 0.5 * (0.9 * LN2 + 0.1 * math.log(0.1 / 0.55))
    assert found.jsd[0] == pytest.approx(expected, rel=1e-12)
    assert (found.token_a[0], found.token_b[0]) == (1, -1)
    assert found.slack[0] == pytest.approx(0.01)


def test_an_epsilon_that_leaves_everything_free_reaches_the_least_attended_token() -> None:
    found = exact_adversary(*one([0.7, 0.1, 0.2], [-5.0, 5.0, 0.0]), 1.0)
    assert (found.token_a[0], found.token_b[0]) == (1, -1)


def test_two_tokens_on_a_bound_by_hand() -> None:
    # Logits −1 and 1, attention ½, ½: p = ½. With ε = .1 the logit may reach ln(.6/.4) = .405465, so
    # weights (1 ∓ .405465)/2: JSD is the same at either bound.
    found = exact_adversary(*one([0.5, 0.5], [-1.0, 1.0]), 0.1)
    heavy = (1 + math.log(1.5)) / 2
    expected = _jsd(np.array([1 - heavy, heavy]), np.array([0.5, 0.5]))
    assert found.jsd[0] == pytest.approx(expected, rel=1e-9)
    weights = sorted([found.weight_a[0], found.weight_b[0]])
    assert weights == pytest.approx([1 - heavy, heavy])
    assert abs(found.probability[0] - 0.5) == pytest.approx(0.1)
    assert found.slack[0] >= 0


def test_attention_on_one_token_moves_to_tokens_it_ignores() -> None:
    found = exact_adversary(*one([1.0, 0.0, 0.0], [0.5, 0.5, 4.0]), 0.01)
    assert found.token_a[0] == 1
    assert found.jsd[0] == pytest.approx(LN2)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.001, 0.01, 0.05, 0.3]))
def test_equals_enumeration_of_all_vertices(seed: int, epsilon: float) -> None:
    attention, decoder = random_documents(4, 9, seed)
    found = exact_adversary(attention, decoder, epsilon)
    for row in range(len(attention)):
        q, s = attention[row], decoder.contribution[row]
        assert found.jsd[row] == pytest.approx(
            by_enumeration(q, s, float(decoder.bias[0]), epsilon), rel=1e-6, abs=1e-9
        )


def test_no_optimiser_finds_more() -> None:
    attention, decoder = random_documents(12, 6, 5)
    epsilon = 0.05
    found = exact_adversary(attention, decoder, epsilon)
    rng = np.random.default_rng(0)
    for row in range(len(attention)):
        q, s = attention[row], decoder.contribution[row]
        p = sigma(float(q @ s) + float(decoder.bias[0]))
        reached = 0.0
        for _ in range(25):
            answer = minimize(
                lambda a, q=q: -_jsd(np.clip(a, 0, 1), q),
                rng.dirichlet(np.full(len(q), 0.3)),
                method="SLSQP",
                bounds=[(0, 1)] * len(q),
                constraints=[
                    {"type": "eq", "fun": lambda a: a.sum() - 1},
                    {
                        "type": "ineq",
                        "fun": lambda a, s=s, p=p: (
                            epsilon - abs(sigma(float(a @ s) + float(decoder.bias[0])) - p)
                        ),
                    },
                ],
            )
            change = abs(sigma(float(answer.x @ s) + float(decoder.bias[0])) - p)
            if answer.success and change <= epsilon + 1e-7:
                reached = max(reached, -float(answer.fun))
        assert reached <= found.jsd[row] + 1e-5
        assert reached >= found.jsd[row] - 0.02 or len(q) > 4


@pytest.mark.parametrize("epsilon", [0.01, 0.05])
def test_the_table_alone_proves_value_and_feasibility(epsilon: float) -> None:
    attention, decoder = random_documents(300, 40, 8)
    found = exact_adversary(attention, decoder, epsilon)
    rebuilt = np.zeros_like(attention.values)
    first = attention.offsets[:-1]
    rebuilt[first + found.token_a] += found.weight_a
    pairs = found.token_b >= 0
    rebuilt[first[pairs] + found.token_b[pairs]] += found.weight_b[pairs]
    outcome = Outcome.of(attention.with_values(rebuilt), attention, decoder)
    np.testing.assert_allclose(outcome.jsd, found.jsd, atol=1e-9)
    np.testing.assert_allclose(outcome.probability, found.probability, atol=1e-12)
    assert (outcome.change <= epsilon).all()
    np.testing.assert_allclose(epsilon - outcome.change, found.slack, atol=1e-12)
    assert (found.weight_b[~pairs] == 0).all()


def test_the_search_never_finds_more() -> None:
    attention, decoder = random_documents(60, 20, 3)
    attention = attention.with_values(attention.values.astype(np.float32))
    searched = search_adversaries(
        np.arange(60), attention, decoder, SearchedAdversary(steps=200), cross_jsd_weight="paper",
        epsilons=[0.05], seed=1, device="cpu",
    )  # fmt: skip
    best = Outcome.of(searched.best[0.05], attention, decoder)
    assert (best.jsd <= exact_adversary(attention, decoder, 0.05).jsd + 1e-6).all()


def test_a_long_document_is_exact_too() -> None:
    attention, decoder = random_documents(1, 400, 2)
    expected = by_enumeration(attention[0], decoder.contribution[0], float(decoder.bias[0]), 0.01)
    assert exact_adversary(attention, decoder, 0.01).jsd[0] == pytest.approx(expected, rel=1e-6)


def test_more_epsilon_never_means_less_divergence() -> None:
    attention, decoder = random_documents(100, 30, 4)
    values = [
        exact_adversary(attention, decoder, epsilon).jsd for epsilon in (0.001, 0.01, 0.05, 0.5)
    ]
    assert (np.diff(values, axis=0) >= -1e-9).all()
