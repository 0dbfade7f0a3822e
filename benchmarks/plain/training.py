"""Training with three optimisers, a dense embedding gradient and packed sequences."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import binary_cross_entropy_with_logits

from attnnn.models.batches import noisy_length_batches
from attnnn.tables.ragged import Ragged
from benchmarks.plain.model import PlainModel, pad


class PlainTraining:
    """Adam-AMSGrad as the papers run it (METHODS of both: lr 1e-3, L2 1e-5 outside the attention).

    Args:
        model: trained in place.
        tokens: training documents.
        label: gold classes.
        weight: class weight of each document.
        rng: of the order of the documents.
        batch_size: documents in a batch.
        learning_rate: of all three optimisers.
        weight_decay: L2 added to the gradients of all parameters but the attention's.

    Source: Jain & Wallace 2019, section 3 and released code; used by Wiegreffe & Pinter 2019 too.
    """

    def __init__(
        self,
        model: PlainModel,
        tokens: Ragged,
        label: NDArray[np.int64],
        weight: NDArray[np.float32],
        *,
        rng: np.random.Generator,
        batch_size: int,
        learning_rate: float,
        weight_decay: float,
    ) -> None:
        self.model, self.tokens, self.label, self.weight = model, tokens, label, weight
        self.rng, self.batch_size = rng, batch_size
        encoder = [*model.embedding.parameters(), *model.lstm.parameters()]
        attention = [*model.attention_hidden.parameters(), *model.attention_score.parameters()]
        decoder = list(model.decoder.parameters())
        self.optimizers = [
            torch.optim.Adam(
                parameters,
                lr=learning_rate,
                weight_decay=decay,
                amsgrad=True,
                foreach=False,
                fused=False,
            )
            for parameters, decay in (
                (encoder, weight_decay),
                (attention, 0.0),
                (decoder, weight_decay),
            )
        ]

    def epoch(self) -> float:
        """One pass over the documents; returns the summed loss."""
        total = 0.0
        for rows in noisy_length_batches(self.tokens.lengths + 2, self.batch_size, self.rng):
            total += self.step(rows)
        return total

    def step(self, rows: NDArray[np.int64]) -> float:
        """One batch; returns its loss, the sum over its documents."""
        device = self.model.decoder.weight.device
        ids, lengths = pad([self.tokens[row] for row in rows], device)
        loss = binary_cross_entropy_with_logits(
            self.model(ids, lengths),
            torch.tensor(self.label[rows], device=device, dtype=torch.float32),
            torch.tensor(self.weight[rows], device=device),
            reduction="sum",
        )
        for optimizer in self.optimizers:
            optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for optimizer in self.optimizers:
            optimizer.step()
        return loss.item()
