"""The classifier: embedding → encoder → attention → one linear decoder."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnnn.models.attention import ATTENTIONS, Without
from attnnn.models.batches import Batch
from attnnn.models.documents import PADDING
from attnnn.models.embedding import WordVectors
from attnnn.models.encoders import ENCODERS


class Output(NamedTuple):
    """What a classifier says of a batch.

    Attributes:
        logit: log-odds of class 1.
        attention: weights; 0 outside the real tokens.
        log_attention: their logarithms; very large negative numbers where the weight is 0.
        contribution: w·h_t, so that logit = Σ_t attention_t · contribution_t + bias; 0 and the
            attention 0 in a model without attention.
    """

    logit: Float[Tensor, " batch"]
    attention: Float[Tensor, "batch length"]
    log_attention: Float[Tensor, "batch length"]
    contribution: Float[Tensor, "batch length"]


class Classifier(nn.Module):
    """A binary classifier with attention (Jain & Wallace 2019, section 3).

    The decoder w·(Σ_t α_t h_t) + b is linear in the attention, so it is computed as
    Σ_t α_t (w·h_t) + b: every state is needed only through one number.
    """

    def __init__(
        self, *, encoder: str, attention: str, vocabulary: int, dimension: int, hidden_size: int
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = WordVectors(vocabulary, dimension)
        self.encoder = ENCODERS[encoder](dimension, hidden_size)
        self.attention = ATTENTIONS[attention](self.encoder.width)
        self.decoder = nn.Linear(self.encoder.width, 1)

    def forward(
        self,
        batch: Batch,
        *,
        embedded: Float[Tensor, "batch length dimension"] | None = None,
        detach_attention: bool = False,
    ) -> Output:
        """Classify a batch.

        Args:
            batch: the documents.
            embedded: word vectors to use instead of looking them up, for gradients.
            detach_attention: hold the attention constant under differentiation.
        """
        if embedded is None:
            embedded = self.embedding(batch.token_ids)
        states = self.encoder(embedded, batch.lengths)
        real = batch.real
        log_attention = self.attention(states, real, batch.imposed)
        if detach_attention:
            log_attention = log_attention.detach()
        attention = log_attention.exp()
        if isinstance(self.attention, Without):
            logit = self.decoder(self.encoder.last(states, batch.lengths)).squeeze(-1)
            return Output(logit, attention, log_attention, torch.zeros_like(attention))
        contribution = (states @ self.decoder.weight[0]).masked_fill(~real, 0.0)
        logit = (attention * contribution).sum(dim=-1) + self.decoder.bias[0]
        return Output(logit, attention, log_attention, contribution)

    @property
    def bias(self) -> float:
        """The decoder's bias b."""
        return float(self.decoder.bias.detach()[0])

    def parameter_counts(self) -> dict[str, int]:
        """Trainable numbers of each part."""
        parts = {
            "embedding": self.embedding,
            "encoder": self.encoder,
            "attention": self.attention,
            "decoder": self.decoder,
        }
        return {name: sum(p.numel() for p in part.parameters()) for name, part in parts.items()}


def build(
    *,
    encoder: str,
    attention: str,
    vocabulary: int,
    dimension: int,
    hidden_size: int,
    seed: int,
    vectors: Float[Tensor, "vocabulary dimension"] | None = None,
    scale: float = 1.0,
) -> Classifier:
    """A freshly initialised classifier: PyTorch's default initialisation, drawn from `seed`.

    Args:
        encoder: one of `encoders.ENCODERS`.
        attention: one of `attention.ATTENTIONS`.
        vocabulary: number of ids.
        dimension: width of a word vector.
        hidden_size: width of each LSTM direction, of the token-level layer, or of all convolutions.
        seed: equal seeds give equal parameters to models of the same parts.
        vectors: word vectors to start from; None: random ones.
        scale: standard deviation of the random ones.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Classifier(
            encoder=encoder,
            attention=attention,
            vocabulary=vocabulary,
            dimension=dimension,
            hidden_size=hidden_size,
        )
    with torch.no_grad():
        if vectors is None:
            model.embedding.weight.mul_(scale)
        else:
            model.embedding.weight.copy_(vectors)
            model.embedding.weight[PADDING] = 0
    return model
