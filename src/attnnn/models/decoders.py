"""Decoders: what makes logits of the attended states (Jain & Wallace 2019, section 3).

Every decoder multiplies the states by a matrix before anything else, which may be done before they are summed
too: what a state becomes is its *projected state*, and the sum of these under any attention gives
the logits.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn


class LinearDecoder(nn.Linear):
    """W c + b for a context c; one row of W is one class, or the only one is the log-odds of class 1."""

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

    def logits(
        self,
        context: Float[Tensor, "*batch outputs"],
        query: Float[Tensor, "*batch width"] | None,
    ) -> Float[Tensor, "*batch outputs"]:
        """Logits of the attended projected."""
        return context + self.bias

    def double_logits(
        self,
        context: Float[Tensor, "*batch outputs"],
        query: Float[Tensor, "*batch width"] | None,
    ) -> Float[Tensor, "*batch outputs"]:
        """`logits` in double precision."""
        return context.double() + self.bias.double()


class PairDecoder(nn.Module):
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

    def offset(self, query: Float[Tensor, "*batch width"]) -> Float[Tensor, "*batch inner"]:
        """b_p + W_q q + b_q: what a question adds to the attended projected."""
        offset: Tensor = self.question(query)
        return offset + self.document.bias

    def logits(
        self,
        context: Float[Tensor, "*batch inner"],
        query: Float[Tensor, "*batch width"] | None,
    ) -> Float[Tensor, "*batch outputs"]:
        """Logits of the attended projected."""
        assert query is not None
        logits: Tensor = self.output(torch.tanh(context + self.offset(query)))
        return logits

    def double_logits(
        self,
        context: Float[Tensor, "*batch inner"],
        query: Float[Tensor, "*batch width"] | None,
    ) -> Float[Tensor, "*batch outputs"]:
        """`logits`, the last layer in double precision."""
        assert query is not None
        inner = torch.tanh(context.double() + self.offset(query).double())
        return inner @ self.output.weight.double().T + self.output.bias.double()


def attended(
    attention: Float[Tensor, "*batch length"], projected: Float[Tensor, "*batch length projection"]
) -> Float[Tensor, "*batch projection"]:
    """Σ_t α_t · piece_t."""
    if projected.shape[-1] == 1:
        return (attention * projected[..., 0]).sum(dim=-1, keepdim=True)
    return (attention[..., None, :] @ projected).squeeze(-2)
