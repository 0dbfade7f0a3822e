"""Decoders: what makes logits of the attended states (Jain & Wallace 2019, section 3).

Every decoder first multiplies the states by a matrix. That can be done before the states are summed: each
state becomes a *projected state*, and the sum of projected states under any attention gives the logits.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn


class LinearDecoder(nn.Linear):
    """W c + b for a context c; a single row of W gives the log-odds of class 1, several one class each."""

    @property
    def projection(self) -> Float[Tensor, "outputs width"]:
        """W, the matrix of `project`."""
        return self.weight

    def project(
        self, states: Float[Tensor, "*batch length width"]
    ) -> Float[Tensor, "*batch length outputs"]:
        """W h of every state."""
        if self.out_features == 1:
            return (states @ self.weight[0])[..., None]
        return states @ self.weight.T

    def offset(self, query: Float[Tensor, "*batch width"] | None) -> None:
        """Nothing: no question adds to the attended sum."""
        return

    def logits(
        self,
        context: Float[Tensor, "*batch outputs"],
        query: Float[Tensor, "*batch width"] | None,
    ) -> Float[Tensor, "*batch outputs"]:
        """Logits for sums of projected states."""
        return context + self.bias

    def double_logits(
        self,
        context: Float[Tensor, "*batch outputs"],
        query: Float[Tensor, "*batch width"] | None,
    ) -> Float[Tensor, "*batch outputs"]:
        """`logits` in double precision."""
        return context.double() + self.bias.double()


class QuestionDecoder(nn.Module):
    """W₂ tanh(W_p c + b_p + W_q q + b_q) + b₂ for a context c and a question q."""

    def __init__(self, width: int, outputs: int) -> None:
        super().__init__()
        self.document = nn.Linear(width, width // 2)
        self.question = nn.Linear(width, width // 2)
        self.output = nn.Linear(width // 2, outputs)

    @property
    def projection(self) -> Float[Tensor, "inner width"]:
        """W_p, the matrix of `project`."""
        return self.document.weight

    def project(
        self, states: Float[Tensor, "*batch length width"]
    ) -> Float[Tensor, "*batch length inner"]:
        """W_p h of every state."""
        return states @ self.document.weight.T

    def offset(self, query: Float[Tensor, "*batch width"] | None) -> Float[Tensor, "*batch inner"]:
        """b_p + W_q q + b_q: what a question adds to the sum of projected states."""
        assert query is not None, "texts with a question need the question"
        offset: Tensor = self.question(query)
        return offset + self.document.bias

    def logits(
        self,
        context: Float[Tensor, "*batch inner"],
        query: Float[Tensor, "*batch width"] | None,
    ) -> Float[Tensor, "*batch outputs"]:
        """Logits for sums of projected states."""
        logits: Tensor = self.output(torch.tanh(context + self.offset(query)))
        return logits

    def double_logits(
        self,
        context: Float[Tensor, "*batch inner"],
        query: Float[Tensor, "*batch width"] | None,
    ) -> Float[Tensor, "*batch outputs"]:
        """`logits`, the last layer in double precision."""
        inner = torch.tanh(context.double() + self.offset(query).double())
        return inner @ self.output.weight.double().T + self.output.bias.double()


def attended(
    attention: Float[Tensor, "*batch length"], projected: Float[Tensor, "*batch length inner"]
) -> Float[Tensor, "*batch inner"]:
    """Σ_t α_t · projected state_t."""
    if projected.shape[-1] == 1:
        return (attention * projected[..., 0]).sum(dim=-1, keepdim=True)
    return (attention[..., None, :] @ projected).squeeze(-2)
