"""The objectives by hand."""

import math

import numpy as np
import pytest
import torch

from attnnn.models.attention import LOG_ZERO
from attnnn.models.classifier import Classified
from attnnn.models.objectives import Drawn, Imitation, Labels, class_weights, positive_weight
from attnnn.tables.ragged import Ragged


def output_of(logits: list[float], attention: list[list[float]]) -> Classified:
    """An output whose attention includes the start and end positions, as a batch has them."""
    weights = torch.tensor(attention, dtype=torch.float32)
    log_weights = torch.where(weights > 0, weights.log(), torch.tensor(LOG_ZERO))
    log_weights.requires_grad_().retain_grad()
    pieces = torch.zeros_like(weights)[..., None]
    return Classified(torch.tensor(logits)[:, None], log_weights.exp(), log_weights, pieces)


def test_positive_weight_is_negatives_over_positives() -> None:
    assert positive_weight(np.array([0, 0, 0, 1])) == 3.0
    assert positive_weight(np.array([0] * 3034 + [1] * 3321)) == pytest.approx(0.9136, abs=1e-4)


def test_label_loss_is_weighted_cross_entropy() -> None:
    label = np.array([1, 0, 1])
    objective = Labels(label, class_weights(label, 0.5))
    output = output_of([0.3, -1.2], [[0, 1, 0], [0, 1, 0]])
    losses = objective.losses(output, np.array([2, 1]))
    expected = [0.5 * math.log1p(math.exp(-0.3)), math.log1p(math.exp(-1.2))]
    np.testing.assert_allclose(losses.detach(), expected, rtol=1e-6)
    assert objective.batch_weight(np.array([0, 1, 2])) == 1.0


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_imitation_loss_by_hand(scale: float) -> None:
    objective = Imitation(
        probability=np.array([0.9, 0.25], dtype=np.float32),
        attention=Ragged.from_lists([[1.0], [0.5, 0.5]], dtype=np.float32),
        lambda_=0.1,
        tvd_scale=scale,
    )
    output = output_of([0.0], [[0, 0.9, 0.1, 0]])
    divergence = 0.9 * math.log(0.9 / 0.5) + 0.1 * math.log(0.1 / 0.5)
    losses = objective.losses(output, np.array([1]))
    assert losses.item() == pytest.approx(scale * 0.25 - 0.1 * divergence, rel=1e-5)


def test_a_heavy_divergence_has_the_gradient_that_the_formula_has() -> None:
    base, own, factor = np.array([0.8, 0.2]), np.array([0.5, 0.5]), 1.0 * 64
    objective = Imitation(
        probability=np.array([0.5, 0.5], dtype=np.float32),
        attention=Ragged.from_lists([base, [0.25] * 4], dtype=np.float32),
        lambda_=1.0,
        tvd_scale=1.0,
    )
    # Start, end and padding have no weight; the batch counts 64 times, as class weights may add up to.
    output = output_of([0.0, 0.0], [[0, *own, 0, 0, 0], [0, *[0.25] * 4, 0]])
    (factor * objective.losses(output, np.array([0, 1])).sum()).backward()
    gradient = output.log_attention.grad
    assert gradient is not None
    # d/d log α of −Σ α log(α / β)
    expected = -factor * own * (np.log(own / base) + 1)
    np.testing.assert_allclose(gradient[0], [0, *expected, 0, 0, 0], rtol=1e-5)


def test_divergence_is_finite_with_finite_gradient_where_the_base_gives_no_weight() -> None:
    objective = Imitation(
        probability=np.array([0.5], dtype=np.float32),
        attention=Ragged.from_lists([[1.0, 0.0]], dtype=np.float32),
        lambda_=1.0,
        tvd_scale=1.0,
    )
    output = output_of([0.0], [[0, 0.5, 0.5, 0]])
    loss = objective.losses(output, np.array([0])).sum()
    loss.backward()  # type: ignore[no-untyped-call]
    assert math.isfinite(loss.item())
    assert torch.isfinite(output.log_attention.grad).all()


def test_batch_weight_of_the_released_code_sums_gold_class_weights() -> None:
    attention = Ragged.from_lists([[1.0]] * 3, dtype=np.float32)
    weight = class_weights(np.array([1, 0, 1]), 0.5)
    objective = Imitation(np.zeros(3, np.float32), attention, 0.0, 0.5, weight)
    assert objective.batch_weight(np.array([0, 1])) == 1.5


GIVEN = Ragged.from_lists([[1.0], [0.0, 0.25, 0.75], [0.5, 0.5]], dtype=np.float32)
LABELS = Labels(np.array([1, 0, 1]), np.ones(3, np.float32))


def naive_divergence(own: list[float], given: list[float]) -> float:
    """JSD by its formula, token by token."""
    total = 0.0
    for p, q in zip(own, given, strict=True):
        middle = (p + q) / 2
        total += 0.5 * (p * math.log(p / middle) if p else 0)
        total += 0.5 * (q * math.log(q / middle) if q else 0)
    return total


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_attention_is_drawn_by_the_mean_divergence_whatever_becomes_of_the_labels(
    reduction: str,
) -> None:
    objective = Drawn(LABELS, GIVEN, 5.0, reduction)
    own = [[0, 0.2, 0.3, 0.5, 0], [0, 0.9, 0.1, 0, 0]]
    losses = objective.losses(output_of([0.4, -0.7], own), np.array([1, 2]))
    labels = math.log1p(math.exp(0.4)), math.log1p(math.exp(0.7))
    divergences = (
        naive_divergence([0.2, 0.3, 0.5], [0.0, 0.25, 0.75]),
        naive_divergence([0.9, 0.1], [0.5, 0.5]),
    )
    # What `Training` makes of the documents' losses.
    found = losses.sum().item() / (len(losses) if reduction == "mean" else 1)
    expected = sum(labels) / (2 if reduction == "mean" else 1) + 5 * sum(divergences) / 2
    assert found == pytest.approx(expected, rel=1e-5)
    assert objective.batch_weight(np.array([1, 2])) == 1.0


def test_equal_attention_is_not_drawn() -> None:
    objective = Drawn(LABELS, GIVEN, 5.0, "sum")
    losses = objective.losses(output_of([0.4], [[0, 0.0, 0.25, 0.75, 0]]), np.array([1]))
    assert losses.item() == pytest.approx(math.log1p(math.exp(0.4)), rel=1e-6)


def test_gradient_of_the_divergence_against_finite_differences() -> None:
    objective = Drawn(LABELS, GIVEN, 5.0, "sum")

    def loss(scores: torch.Tensor) -> torch.Tensor:
        padded = torch.full((2, 5), LOG_ZERO, dtype=scores.dtype)
        padded[0, 1:4], padded[1, 1:3] = scores[:3], scores[3:]
        log_attention = padded.log_softmax(dim=-1)
        logits = torch.zeros(2, 1, dtype=scores.dtype)
        output = Classified(logits, log_attention.exp(), log_attention, padded[..., None])
        total: torch.Tensor = objective.losses(output, np.array([1, 2])).sum()
        return total

    scores = torch.tensor([0.3, -1.0, 0.4, 2.0, -0.5], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(loss, [scores])


@pytest.mark.parametrize("gamma", [5.0, 1e6])
def test_a_weight_of_zero_gives_a_finite_gradient(gamma: float) -> None:
    objective = Drawn(LABELS, GIVEN, gamma, "sum")
    output = output_of([0.0], [[0, 0.0, 0.0, 1.0, 0]])
    objective.losses(output, np.array([1])).sum().backward()  # type: ignore[no-untyped-call]
    assert torch.isfinite(output.log_attention.grad).all()
