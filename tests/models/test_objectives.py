"""The two objectives by hand."""

import math

import numpy as np
import pytest
import torch

from attnnn.models.attention import nothing
from attnnn.models.classifier import Output
from attnnn.models.objectives import Imitation, Labels, class_weights, positive_weight
from attnnn.ragged import Ragged


def output_of(logits: list[float], attention: list[list[float]]) -> Output:
    """An output whose attention includes the start and end positions, as a batch has them."""
    weights = torch.tensor(attention, dtype=torch.float32)
    log_weights = torch.where(weights > 0, weights.log(), torch.tensor(nothing(weights)))
    log_weights.requires_grad_().retain_grad()
    pieces = torch.zeros_like(weights)[..., None]
    return Output(torch.tensor(logits)[:, None], log_weights.exp(), log_weights, pieces)


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
