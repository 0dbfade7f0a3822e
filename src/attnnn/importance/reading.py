"""What an LSTM reads: its inputs, its steps on many rows at once, and its states on whole documents.

Documents lie one after the other as *items*, in the order in which one direction reads them: the
symbol that it begins with (start or end) and then the n tokens. The state after an item has the item's
index, so that the state before a token is the one at the index before.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from attnnn.models.documents import END, START
from attnnn.models.encoders import BiLSTM
from attnnn.tables.ragged import Ragged


class Items:
    """Where the items of some documents lie, in either direction.

    Attributes:
        tokens: ids of the n tokens of each document.
        lengths: n of each document.
        starts: index of each document's first item.
        document: document of every item.
        local: place of every item in its document, 0 for the symbol.
    """

    def __init__(self, tokens: Ragged) -> None:
        self.tokens, self.lengths = tokens, tokens.lengths
        shape = Ragged.from_lengths(np.zeros(int((self.lengths + 1).sum())), self.lengths + 1)
        self.starts = shape.offsets[:-1]
        self.document, self.local = shape.documents, shape.positions

    @cached_property
    def mirror(self) -> NDArray[np.int64]:
        """For every item of one direction, the index of the same token in the other."""
        mirrored = self.lengths[self.document] + 1 - self.local
        return self.starts[self.document] + np.where(self.local == 0, 0, mirrored)

    @cached_property
    def of_tokens(self) -> NDArray[np.int64]:
        """The left-to-right item of every token."""
        return np.arange(len(self.tokens.values)) + self.tokens.documents + 1

    def ids(self, symbol: int) -> NDArray[np.int64]:
        """Token ids of the left-to-right items, `symbol` at their beginnings."""
        ids = np.full(len(self.local), symbol, dtype=np.int64)
        ids[self.of_tokens] = self.tokens.values
        return ids


class Recurrence:
    """One direction's recurrence on many rows at once, in buffers that are made once.

    Gates lie in the order input, forget, output, candidate, so that one call squashes the first three.

    Attributes:
        hidden: h of every row, shape (rows, hidden size).
        memory: c of every row.
    """

    def __init__(self, lstm: nn.LSTM, rows: int) -> None:
        weight = in_our_order(lstm.get_parameter("weight_hh_l0"))
        self._size = lstm.hidden_size
        self._weight = weight.t().contiguous()
        self._gates = weight.new_empty(rows, 4 * self._size)
        self.hidden = weight.new_zeros(rows, self._size)
        self.memory = weight.new_zeros(rows, self._size)

    def use(self, rows: int) -> None:
        """From now on the first `rows` rows read."""
        self._used = self._gates[:rows]
        self._squashed = self._used[:, : 3 * self._size]
        self._entry, self._forget, self._output, self._candidate = self._used.chunk(4, dim=1)
        self._hidden, self._memory = self.hidden[:rows], self.memory[:rows]

    def step(
        self, inputs: Float[Tensor, "words gates"], words: Int[Tensor, " rows"]
    ) -> Float[Tensor, "rows size"]:
        """Let every row in use read one word, given as a row of `inputs`; the new h."""
        torch.index_select(inputs, 0, words, out=self._used)
        self._used.addmm_(self._hidden, self._weight)
        self._squashed.sigmoid_()
        self._candidate.tanh_()
        self._memory.mul_(self._forget).addcmul_(self._entry, self._candidate)
        torch.tanh(self._memory, out=self._hidden)
        return self._hidden.mul_(self._output)


@dataclass(frozen=True)
class Reading:
    """One direction's run over whole documents; everything in the order in which it reads.

    Attributes:
        lstm: the direction.
        inputs: W x + b of every word that occurs, gates in the order of `Recurrence`.
        words: row of `inputs` of every item.
        hidden: h after every item.
        memory: c after every item.
    """

    lstm: nn.LSTM
    inputs: Float[Tensor, "words gates"]
    words: Int[Tensor, " items"]
    hidden: Float[Tensor, "items size"]
    memory: Float[Tensor, "items size"]


def read_both_ways(encoder: BiLSTM, embedding: nn.Embedding, items: Items) -> list[Reading]:
    """Run both directions, left to right first, over whole documents.

    Every word is multiplied by the input weights once, however often it occurs.
    """
    ids = [items.ids(START), items.ids(END)[items.mirror]]
    device = embedding.weight.device
    occurring, words = np.unique(np.stack(ids), return_inverse=True)
    vectors = embedding.weight.index_select(0, torch.from_numpy(occurring).to(device))
    rows = torch.from_numpy(words.reshape(2, -1)).to(device)
    lstms = (encoder.left_to_right, encoder.right_to_left)
    return [_read(lstm, vectors, rows[way], items) for way, lstm in enumerate(lstms)]


def _read(
    lstm: nn.LSTM,
    vectors: Float[Tensor, "words dimension"],
    words: Int[Tensor, " items"],
    items: Items,
) -> Reading:
    bias = in_our_order(lstm.get_parameter("bias_ih_l0") + lstm.get_parameter("bias_hh_l0"))
    weight = in_our_order(lstm.get_parameter("weight_ih_l0"))
    inputs = torch.addmm(bias, vectors, weight.t())
    # Longest first: those still reading are always the first rows.
    order = np.argsort(-items.lengths, kind="stable")
    longest = int(items.lengths.max(initial=0))
    still = len(order) - np.searchsorted(np.sort(items.lengths), np.arange(longest + 1))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    place = torch.from_numpy(items.local * len(order) + rank[items.document]).to(words.device)
    padded = words.new_zeros((longest + 1) * len(order)).index_copy_(0, place, words)
    states = inputs.new_empty(2, longest + 1, len(order), lstm.hidden_size)
    recurrence = Recurrence(lstm, len(order))
    for step, rows in enumerate(still.tolist()):
        recurrence.use(rows)
        start = step * len(order)
        states[0, step, :rows] = recurrence.step(inputs, padded[start : start + rows])
        states[1, step, :rows] = recurrence.memory[:rows]
    hidden, memory = (half.flatten(0, 1).index_select(0, place) for half in states)
    return Reading(lstm, inputs, words, hidden, memory)


def in_our_order(weights: Float[Tensor, "gates ..."]) -> Float[Tensor, "gates ..."]:
    """PyTorch's input, forget, candidate, output as input, forget, output, candidate."""
    entry, forget, candidate, output = weights.chunk(4)
    return torch.cat([entry, forget, output, candidate])
