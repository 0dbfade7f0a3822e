"""Dropout, drawn from a training's own generator; a model that is only evaluated knows nothing of it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Shares:
    """How much is set to zero in training, each share at least 0 and below 1.

    Attributes:
        words: of the elements of word vectors, before an encoder reads them.
        sentences: of the elements of sentence vectors, in a hierarchical model.
        output: of the elements of what the last linear layer reads.
        of_logits: whether `output` is of the logits instead (Serrano & Smith 2019, released code).
    """

    words: float = 0.0
    sentences: float = 0.0
    output: float = 0.0
    of_logits: bool = False


class Dropout:
    """Zeroes drawn from a generator, what is left being scaled up to keep its mean.

    Args:
        shares: how much.
        generator: on the device of the model.
    """

    def __init__(self, shares: Shares, generator: torch.Generator) -> None:
        self.shares, self.generator = shares, generator

    def words(
        self, vectors: Float[Tensor, "*batch width"], further: float
    ) -> Float[Tensor, "*batch width"]:
        """Word vectors as an encoder gets them that itself drops a `further` share of its input."""
        return self._of(vectors, self.shares.words, further)

    def sentences(
        self, vectors: Float[Tensor, "*batch width"], further: float
    ) -> Float[Tensor, "*batch width"]:
        """Sentence vectors as an encoder gets them that itself drops a `further` share of its input."""
        return self._of(vectors, self.shares.sentences, further)

    def context(self, context: Float[Tensor, "batch width"]) -> Float[Tensor, "batch width"]:
        """What the last layer reads."""
        return context if self.shares.of_logits else self._of(context, self.shares.output)

    def logits(self, logits: Float[Tensor, "batch outputs"]) -> Float[Tensor, "batch outputs"]:
        """What the last layer gives."""
        return self._of(logits, self.shares.output) if self.shares.of_logits else logits

    def _of(
        self, values: Float[Tensor, "*batch width"], share: float, further: float = 0.0
    ) -> Float[Tensor, "*batch width"]:
        # What survives one draw and then the other is what survives a single one of the product.
        kept = (1 - share) * (1 - further)
        if kept == 1:
            return values
        mask = torch.empty_like(values).bernoulli_(kept, generator=self.generator)
        return values * mask.mul_(1 / kept)
