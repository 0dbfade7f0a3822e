"""A bidirectional GRU. On a CPU both directions take their steps together, with a backward pass by hand.

PyTorch's CPU kernel records a dozen operations of every step for its backward pass. Here what does not depend
on the step before is computed for all steps at once, forward and back, and so are the gradients of weights.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import linear


class GruCells(nn.GRU):
    """One direction's parameters, initialised as AllenNLP is told to: Xavier, orthogonal, zero."""

    weight_ih_l0: nn.Parameter
    weight_hh_l0: nn.Parameter
    bias_ih_l0: nn.Parameter
    bias_hh_l0: nn.Parameter

    def reset_parameters(self) -> None:
        """Input weights Xavier, recurrent ones orthogonal, each as one matrix of all gates; biases zero."""
        nn.init.xavier_uniform_(self.weight_ih_l0)
        nn.init.orthogonal_(self.weight_hh_l0)
        nn.init.zeros_(self.bias_ih_l0)
        nn.init.zeros_(self.bias_hh_l0)

    def set_lstm_bias(self) -> None:
        """Set to 1 what would be an LSTM's forget gate, which in a GRU is half of either gate.

        Of 150 hidden biases these are entries 37 to 73 (Serrano & Smith 2019, released code).
        """
        quarter = len(self.bias_hh_l0) // 4
        with torch.no_grad():
            self.bias_hh_l0[quarter : 2 * quarter] = 1.0


def both_ways(
    left: GruCells,
    right: GruCells,
    inputs: Float[Tensor, "time batch dimension"],
    turned: Float[Tensor, "time batch dimension"],
) -> tuple[Float[Tensor, "time batch half"], Float[Tensor, "time batch half"]]:
    """States of two GRUs that start from zero.

    Args:
        left: of the inputs.
        right: of the reversed ones.
        inputs: time first.
        turned: the same, each reversed within its own length.
    """
    if inputs.device.type != "cpu":
        return left(inputs)[0], right(turned)[0]
    cells = (left, right)
    gates = [
        linear(read, own.weight_ih_l0, own.bias_ih_l0)
        for own, read in zip(cells, (inputs, turned), strict=True)
    ]
    weight = torch.stack([own.weight_hh_l0 for own in cells])
    bias = torch.stack([own.bias_hh_l0 for own in cells])
    states = _GruSteps.apply(torch.stack(gates, dim=1), weight, bias)  # type: ignore[no-untyped-call]
    return states[:, 0], states[:, 1]


class _GruSteps(torch.autograd.Function):
    """All steps of several GRUs side by side, from what their inputs add to the gates.

    With reset gate r, update gate z and the proposed state n, in PyTorch's order of rows:
    r, z = σ(x + W h + b), n = tanh(x_n + r·(W_n h + b_n)), h' = n + z·(h − n).
    """

    @staticmethod
    def forward(
        ctx: Any,
        gates: Float[Tensor, "time cells batch three_widths"],
        weight: Float[Tensor, "cells three_widths width"],
        bias: Float[Tensor, "cells three_widths"],
    ) -> Float[Tensor, "time cells batch width"]:
        steps, cells, batch, rows = gates.shape
        width = rows // 3
        states = gates.new_zeros(steps + 1, cells, batch, width)
        both = gates.new_empty(steps, cells, batch, 2 * width)
        recalled, proposed = (gates.new_empty(steps, cells, batch, width) for _ in range(2))
        turned, added = weight.transpose(1, 2).contiguous(), bias[:, None]
        hidden = gates.new_empty(cells, batch, rows)
        for step in range(steps):
            before, after = states[step], states[step + 1]
            torch.baddbmm(added, before, turned, out=hidden)
            gate = both[step]
            torch.add(gates[step, ..., : 2 * width], hidden[..., : 2 * width], out=gate).sigmoid_()
            recalled[step] = hidden[..., 2 * width :]
            proposal = proposed[step]
            torch.addcmul(
                gates[step, ..., 2 * width :], gate[..., :width], recalled[step], out=proposal
            ).tanh_()
            torch.lerp(proposal, before, gate[..., width:], out=after)
        ctx.save_for_backward(states, both, recalled, proposed, weight)
        return states[1:]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        states, both, recalled, proposed, weight = ctx.saved_tensors
        (gradient,) = gradients
        steps, cells, batch, width = proposed.shape
        reset, update = both.split(width, dim=-1)
        before = states[:-1]
        # What a state's gradient is multiplied by to be that of each gate before its nonlinearity.
        to_proposed = (1 - update) * (1 - proposed.square())
        to_reset = recalled * reset * (1 - reset)
        to_update = (before - proposed) * update * (1 - update)
        of_hidden = states.new_empty(steps, cells, batch, 3 * width)
        of_proposed = states.new_empty(steps, cells, batch, width)
        carried = states.new_zeros(cells, batch, width)
        for step in range(steps - 1, -1, -1):
            carried = carried.add_(gradient[step])
            own, proposal = of_hidden[step], of_proposed[step]
            torch.mul(carried, to_proposed[step], out=proposal)
            torch.mul(proposal, to_reset[step], out=own[..., :width])
            torch.mul(carried, to_update[step], out=own[..., width : 2 * width])
            torch.mul(proposal, reset[step], out=own[..., 2 * width :])
            carried = torch.baddbmm(carried.mul_(update[step]), own, weight)
        by_cell = of_hidden.transpose(0, 1).flatten(1, 2)
        of_weight = by_cell.transpose(1, 2) @ before.transpose(0, 1).flatten(1, 2)
        of_gates = torch.cat([of_hidden[..., : 2 * width], of_proposed], dim=-1)
        return of_gates, of_weight, by_cell.sum(dim=1)
