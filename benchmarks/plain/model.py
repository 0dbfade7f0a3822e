"""BiLSTM with additive attention over packed sequences (Jain & Wallace 2019, section 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnnn.models.classifier import Classifier
from attnnn.models.documents import END, PADDING, START
from attnnn.tables.ragged import Ragged
from benchmarks.plain import BATCH_SIZE


class PlainModel(nn.Module):
    """Embedding, packed bidirectional LSTM, additive attention, one linear decoder on the context."""

    def __init__(self, vocabulary: int, dimension: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, dimension, padding_idx=PADDING)
        self.lstm = nn.LSTM(dimension, hidden_size, batch_first=True, bidirectional=True)
        self.attention_hidden = nn.Linear(2 * hidden_size, hidden_size)
        self.attention_score = nn.Linear(hidden_size, 1, bias=False)
        self.decoder = nn.Linear(2 * hidden_size, 1)

    @classmethod
    def like(cls, classifier: Classifier) -> PlainModel:
        """A model with a copy of a classifier's parameters, on its device and in its precision."""
        given = classifier.state_dict()
        vocabulary, dimension = given["embedding.weight"].shape
        model = cls(vocabulary, dimension, given["decoder.weight"].shape[1] // 2)
        model.to(given["decoder.weight"])
        own = {
            "embedding.weight": given["embedding.weight"],
            "attention_hidden.weight": given["attention.hidden.weight"],
            "attention_hidden.bias": given["attention.hidden.bias"],
            "attention_score.weight": given["attention.score.weight"],
            "decoder.weight": given["decoder.weight"],
            "decoder.bias": given["decoder.bias"],
        }
        for direction, suffix in (("left_to_right", ""), ("right_to_left", "_reverse")):
            for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                own[f"lstm.{part}_l0{suffix}"] = given[f"encoder.{direction}.{part}_l0"]
        model.load_state_dict(own)
        return model

    def encode(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """States h_t, (batch, length, dimension) -> (batch, length, 2·hidden)."""
        packed = pack_padded_sequence(
            embedded, lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = self.lstm(packed)
        padded, _ = pad_packed_sequence(
            states, batch_first=True, total_length=int(embedded.shape[1])
        )
        return padded

    def attend(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Attention α over the real tokens: not the start symbol, the end symbol or padding."""
        scores = self.attention_score(torch.tanh(self.attention_hidden(states))).squeeze(-1)
        return torch.softmax(scores.masked_fill(~real(lengths, states.shape[1]), -torch.inf), -1)

    def decode(self, states: Tensor, attention: Tensor) -> Tensor:
        """Logits of contexts c = Σ_t α_t h_t."""
        context = (attention.unsqueeze(-1) * states).sum(dim=-2)
        logit: Tensor = self.decoder(context).squeeze(-1)
        return logit

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Logits of padded documents, (batch, length) -> (batch,)."""
        states = self.encode(self.embedding(ids), lengths)
        return self.decode(states, self.attend(states, lengths))


def real(lengths: Tensor, longest: int) -> Tensor:
    """True where one of a document's n tokens stands; `lengths` counts start and end symbols."""
    position = torch.arange(longest, device=lengths.device)
    return (position > 0) & (position < lengths[:, None] - 1)


def pad(documents: Sequence[NDArray[np.generic]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Ids with start and end symbols, padded to the longest document, and the lengths."""
    rows = [[START, *document.tolist(), END] for document in documents]
    lengths = [len(row) for row in rows]
    ids = [row + [PADDING] * (max(lengths) - len(row)) for row in rows]
    return torch.tensor(ids, device=device), torch.tensor(lengths, device=device)


def batches(tokens: Ragged) -> Iterator[list[int]]:
    """Documents in the order given, 32 at a time."""
    for start in range(0, len(tokens), BATCH_SIZE):
        yield list(range(start, min(start + BATCH_SIZE, len(tokens))))
