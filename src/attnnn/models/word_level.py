"""The lower level of a hierarchical model: what makes a vector of every sentence."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnnn.models.attention import ATTENTIONS, NoAttention
from attnnn.models.batches import Batch
from attnnn.models.decoders import attended
from attnnn.models.dropout import Dropout
from attnnn.models.embedding import WordVectors
from attnnn.models.encoders import ENCODERS
from attnnn.study.model import attention_to_words


class WordLevel(nn.Module):
    """An encoder of the words of a sentence and attention to them (Yang et al. 2016, section 2.2).

    Args:
        encoder: one of `encoders.ENCODERS`.
        attention: of the model, that to words following from it (`attention_to_words`).
        dimension: width of a word vector.
        hidden_size: of the encoder.

    Attributes:
        width: of a sentence's vector.
    """

    def __init__(self, *, encoder: str, attention: str, dimension: int, hidden_size: int) -> None:
        super().__init__()
        self.encoder = ENCODERS[encoder](dimension, hidden_size)
        self.width = self.encoder.width
        to_words = ATTENTIONS[attention_to_words(attention)]
        self.attention = to_words(self.width, self.encoder.scored)

    def forward(
        self, batch: Batch, table: WordVectors, dropout: Dropout | None
    ) -> Float[Tensor, "batch length width"]:
        """The vector of every sentence, where the batch has it; 0 where it has none.

        Args:
            batch: documents of sentences.
            table: word vectors.
            dropout: of a step of training; None: nothing is dropped.
        """
        read = [self._read(sentences, table, dropout) for sentences in batch.sentences]
        # Row 0 is what stands where no sentence is.
        rows = torch.cat([read[0].new_zeros(1, self.width), *read])
        ids = batch.token_ids
        return rows.index_select(0, ids.flatten()).view(*ids.shape, -1)

    def _read(
        self, sentences: Batch, table: WordVectors, dropout: Dropout | None
    ) -> Float[Tensor, "batch width"]:
        embedded = table(sentences.token_ids)
        if dropout is not None:
            embedded = dropout.words(embedded, self.encoder.input_dropout)
        states = self.encoder(embedded, sentences.lengths)
        if isinstance(self.attention, NoAttention):
            last: Tensor = self.encoder.last(states, sentences.lengths)
            return last
        return attended(self.attention(states, sentences.real, None).exp(), states)
