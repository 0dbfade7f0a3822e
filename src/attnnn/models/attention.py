"""Attention: how the states of the n real tokens are weighted (Jain & Wallace 2019, section 3).

Every kind is made from the width of a state and the inner width of additive attention (`Encoder.scored`),
which is half of it in Jain & Wallace's models and all of it in Serrano & Smith's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

LOG_ZERO: float = torch.finfo(torch.float32).min / 4
"""The logarithm that stands for a weight of zero: finite, so that 0 · log 0 is 0 and not NaN."""


class Scored(nn.Module, ABC):
    """Attention that scores each state by itself: softmax of the scores over the real tokens."""

    def forward(
        self,
        states: Float[Tensor, "batch length width"],
        real: Bool[Tensor, "batch length"],
        imposed: Float[Tensor, "batch length"] | None,
        query: Float[Tensor, "batch width"] | None = None,
    ) -> Float[Tensor, "batch length"]:
        """Log attention; a very large negative number where no real token is."""
        scores = self.scores(states, query)
        return torch.log_softmax(scores.masked_fill(~real, LOG_ZERO), dim=-1)

    @abstractmethod
    def scores(
        self,
        states: Float[Tensor, "*batch width"],
        query: Float[Tensor, "batch width"] | None = None,
    ) -> Float[Tensor, "*batch"]:
        """What the softmax is of; `query` is what a question's encoder ends with."""


class Additive(Scored):
    """score_t = v·tanh(W h_t + b), softmax over the real tokens (tanh attention without a query)."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, inner)
        self.score = nn.Linear(inner, 1, bias=False)

    def scores(
        self,
        states: Float[Tensor, "*batch width"],
        query: Float[Tensor, "batch width"] | None = None,
    ) -> Float[Tensor, "*batch"]:
        """What the softmax is of."""
        scores: Tensor = self.score(torch.tanh(self.hidden(states)))
        return scores.squeeze(-1)


class Dot(Scored):
    """score_t = u·h_t / √D with a learned vector u, softmax over the real tokens."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.score = nn.Linear(width, 1, bias=False)
        self.scale: float = width**-0.5

    def scores(
        self,
        states: Float[Tensor, "*batch width"],
        query: Float[Tensor, "batch width"] | None = None,
    ) -> Float[Tensor, "*batch"]:
        """What the softmax is of."""
        scores: Tensor = self.score(states)
        return scores.squeeze(-1) * self.scale


class QuestionAdditive(Additive):
    """score_t = v·tanh(W_p h_t + b_p + W_q q + b_q), softmax over the real tokens."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__(width, inner)
        self.query = nn.Linear(width, inner)

    def scores(
        self,
        states: Float[Tensor, "batch length width"],
        query: Float[Tensor, "batch width"] | None = None,
    ) -> Float[Tensor, "batch length"]:
        """What the softmax is of."""
        assert query is not None
        inner = self.hidden(states) + self.query(query)[..., None, :]
        scores: Tensor = self.score(torch.tanh(inner))
        return scores.squeeze(-1)


class QuestionDot(Scored):
    """score_t = h_t·q / √D, softmax over the real tokens. No parameters."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.scale: float = width**-0.5

    def scores(
        self,
        states: Float[Tensor, "batch length width"],
        query: Float[Tensor, "batch width"] | None = None,
    ) -> Float[Tensor, "batch length"]:
        """What the softmax is of."""
        assert query is not None
        return (states @ query[..., None]).squeeze(-1) * self.scale


class Uniform(nn.Module):
    """1/n on each real token (Wiegreffe & Pinter 2019, section 3.2). No parameters."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()

    def forward(
        self,
        states: Float[Tensor, "batch length width"],
        real: Bool[Tensor, "batch length"],
        imposed: Float[Tensor, "batch length"] | None,
        query: Float[Tensor, "batch width"] | None = None,
    ) -> Float[Tensor, "batch length"]:
        """Log attention; a very large negative number where no real token is."""
        weights = -real.sum(dim=-1, keepdim=True, dtype=states.dtype).log()
        return weights.expand(real.shape).masked_fill(~real, LOG_ZERO)


class Imposed(nn.Module):
    """Weights given from outside: another model's (Wiegreffe & Pinter 2019, section 3.4), or log-odds.

    They are used as they are, not normalised again.
    """

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()

    def forward(
        self,
        states: Float[Tensor, "batch length width"],
        real: Bool[Tensor, "batch length"],
        imposed: Float[Tensor, "batch length"] | None,
        query: Float[Tensor, "batch width"] | None = None,
    ) -> Float[Tensor, "batch length"]:
        """Log attention; a very large negative number where no real token is.

        Raises:
            ValueError: no weights were given.
        """
        if imposed is None:
            raise ValueError("imposed attention needs the weights to impose in the batch")
        return imposed.log().clamp(min=LOG_ZERO).masked_fill(~real, LOG_ZERO)


class NoAttention(nn.Module):
    """No attention: the decoder reads what the encoder ends with, and no token has a weight."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()

    def forward(
        self,
        states: Float[Tensor, "batch length width"],
        real: Bool[Tensor, "batch length"],
        imposed: Float[Tensor, "batch length"] | None,
        query: Float[Tensor, "batch width"] | None = None,
    ) -> Float[Tensor, "batch length"]:
        """The logarithm of no weight at all, everywhere."""
        return states.new_full(real.shape, LOG_ZERO)


ATTENTIONS: dict[str, type[Additive | Dot | Uniform | Imposed | NoAttention]] = {
    "additive": Additive,
    "dot": Dot,
    "uniform": Uniform,
    "imposed": Imposed,
    "log-odds": Imposed,
    "none": NoAttention,
}

# The same where every text comes with a question.
QUESTION_ATTENTIONS: dict[
    str, type[QuestionAdditive | QuestionDot | Uniform | Imposed | NoAttention]
] = {
    "additive": QuestionAdditive,
    "dot": QuestionDot,
    "uniform": Uniform,
    "imposed": Imposed,
    "none": NoAttention,
}
