"""Runs of one LSTM direction: over whole documents, and over many shortened ones at once.

Documents lie one after the other as *items*, in the order in which one direction reads them: the symbol that
it begins with (start or end) and then the n tokens. The state after an item has the item's index, so that
the state before a token is the one at the index before.

From top to bottom: where items lie (`Items`), the recurrence (`Recurrence`), whole documents (`Reading`),
how a state is weighted (`AdditiveScorer`, `DotScorer`), and shortened documents (`Runs`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from attnnn.models.documents import END, START
from attnnn.models.encoders import BiLSTM
from attnnn.tables.ragged import Ragged

# Rows that advance together: their gates stay in a core's cache; a GPU needs more to be busy.
ROWS = {"cpu": 256, "cuda": 16_384}
# Most steps between two looks at which rows have ended.
STEPS = 32


class Items:
    """Where the items of some documents lie, in either direction.

    Attributes:
        tokens: ids of the n tokens of each document.
        lengths: n of each document.
        document: document of every item.
        local: place of every item in its document, 0 for the symbol.
        of_tokens: the left-to-right item of every token.
    """

    def __init__(self, tokens: Ragged) -> None:
        self.tokens, self.lengths = tokens, tokens.lengths
        shape = Ragged.from_lengths(np.zeros(int((self.lengths + 1).sum())), self.lengths + 1)
        self._starts = shape.offsets[:-1]
        self.document, self.local = shape.documents, shape.positions
        self.of_tokens = np.arange(len(tokens.values)) + tokens.documents + 1

    @cached_property
    def mirror(self) -> NDArray[np.int64]:
        """For every item of one direction, the index of the same token in the other."""
        mirrored = self.lengths[self.document] + 1 - self.local
        return self._starts[self.document] + np.where(self.local == 0, 0, mirrored)

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
        weight = _in_our_order(lstm.get_parameter("weight_hh_l0"))
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


def _in_our_order(weights: Float[Tensor, "gates ..."]) -> Float[Tensor, "gates ..."]:
    """PyTorch's input, forget, candidate, output as input, forget, output, candidate."""
    entry, forget, candidate, output = weights.chunk(4)
    return torch.cat([entry, forget, output, candidate])


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
    return [_read(lstm, vectors, own, items) for lstm, own in zip(lstms, rows, strict=True)]


def _read(
    lstm: nn.LSTM,
    vectors: Float[Tensor, "words dimension"],
    words: Int[Tensor, " items"],
    items: Items,
) -> Reading:
    bias = _in_our_order(lstm.get_parameter("bias_ih_l0") + lstm.get_parameter("bias_hh_l0"))
    weight = _in_our_order(lstm.get_parameter("weight_ih_l0"))
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


@dataclass(frozen=True)
class AdditiveScorer:
    """Additive attention v·tanh(W h + b), with h given by halves: one per direction.

    Attributes:
        weight: this direction's half of W, transposed.
        rest: the other direction's part of W h, and b.
        score: v.
    """

    weight: Float[Tensor, "size inner"]
    rest: Float[Tensor, "items inner"]
    score: Float[Tensor, " inner"]

    def into(
        self,
        out: Float[Tensor, " rows"],
        hidden: Float[Tensor, "rows size"],
        items: Int[Tensor, " rows"],
    ) -> None:
        """Write the scores of states h after some items."""
        inner = self.rest.index_select(0, items).addmm_(hidden, self.weight).tanh_()
        torch.mv(inner, self.score, out=out)


@dataclass(frozen=True)
class DotScorer:
    """Dot attention u·h / √D, with h given by halves: one per direction.

    Attributes:
        vectors: this direction's half of u / √D, or of the questions q / √D: one row per document, or one
            row for all.
        document: row of `vectors` of every item.
        rest: the other direction's part of the score.
    """

    vectors: Float[Tensor, "documents size"]
    document: Int[Tensor, " items"]
    rest: Float[Tensor, " items"]

    def into(
        self,
        out: Float[Tensor, " rows"],
        hidden: Float[Tensor, "rows size"],
        items: Int[Tensor, " rows"],
    ) -> None:
        """Write the scores of states h after some items."""
        if len(self.vectors) == 1:
            torch.mv(hidden, self.vectors[0], out=out)
        else:
            products = self.vectors.index_select(0, self.document[items]).mul_(hidden)
            torch.sum(products, dim=1, out=out)
        out.add_(self.rest[items])


@dataclass(frozen=True)
class Direction:
    """What a run in one direction needs at every item besides its own state.

    Attributes:
        reading: the direction's run over whole documents.
        projection: what its half of a state is multiplied by to project the state.
        others: the other direction's part of the projected state, in double precision.
        scorer: how a state is scored; None if attention does not depend on states.
        whole: of every item in the whole document the attention weight, unnormalised and 0 at symbols, and
            weight times projected state.
    """

    reading: Reading
    projection: Float[Tensor, "size inner"]
    others: Float[Tensor, "items inner"]
    scorer: AdditiveScorer | DotScorer | None
    whole: Float[Tensor, "items sums"]


class Runs:
    """Runs of variants in one direction, as rows of one matrix; those that wait are sorted by length.

    Attributes:
        rows: how many are running.
        at: the item that each row reads next.
        left: items that each row has yet to read.
        variant: the variant of each row.
        sums: Σ weight and Σ weight · projected state so far, of every variant.
    """

    def __init__(self, direction: Direction, items: Items, deleted: NDArray[np.int64]) -> None:
        reading, device = direction.reading, direction.reading.words.device
        left = items.lengths[items.document[deleted]] - items.local[deleted]
        order = np.argsort(-left, kind="stable")
        order = order[: np.searchsorted(-left[order], 0)]
        waiting = np.stack([deleted + 1, left, np.arange(len(left))])[:, order]
        self.direction = direction
        self._waiting, self._begun = torch.from_numpy(waiting).to(device), 0
        room = min(ROWS[device.type], len(order))
        self._recurrence, self.rows = Recurrence(reading.lstm, room), 0
        self._state = torch.zeros(3, room, dtype=torch.int64, device=device)
        self.at, self.left, self.variant = self._state
        self.sums = direction.whole.new_zeros(len(deleted), direction.whole.shape[1])
        self._score = reading.hidden.new_empty(STEPS, room)
        self._projected = reading.hidden.new_empty(STEPS, room, direction.projection.shape[1])

    def begin(self) -> bool:
        """Fill free rows with waiting variants; False when there is nothing left to run."""
        room = self._state.shape[1]
        new = self._waiting[:, self._begun : self._begun + room - self.rows]
        here = slice(self.rows, self.rows + new.shape[1])
        self._state[:, here] = new
        # The state before the deleted item, two before the one to read next.
        reading, recurrence = self.direction.reading, self._recurrence
        torch.index_select(reading.hidden, 0, new[0] - 2, out=recurrence.hidden[here])
        torch.index_select(reading.memory, 0, new[0] - 2, out=recurrence.memory[here])
        self._begun += new.shape[1]
        self.rows = here.stop
        return self.rows > 0

    def advance(self, most: int) -> None:
        """Let every row read, until the first has nothing left or `most` items are read."""
        rows, direction, recurrence = self.rows, self.direction, self._recurrence
        reading, scorer = direction.reading, direction.scorer
        steps = min(most, int(self.left[:rows].min()))
        items = self.at[:rows] + torch.arange(steps, device=self.at.device)[:, None]
        words = reading.words.index_select(0, items.flatten()).view_as(items)
        score, projected = self._score[:steps, :rows], self._projected[:steps, :rows]
        recurrence.use(rows)
        for step in range(steps):
            hidden = recurrence.step(reading.inputs, words[step])
            torch.mm(hidden, direction.projection, out=projected[step])
            if scorer is not None:
                scorer.into(score[step], hidden, items[step])
        weight = direction.whole[items, 0] if scorer is None else score.double().exp_()
        weighted = weight[..., None] * (projected + direction.others[items])
        self.add(torch.cat([weight.sum(0)[:, None], weighted.sum(0)], dim=1))
        self.at[:rows] += steps
        self.left[:rows] -= steps

    def add(self, sums: Float[Tensor, "rows sums"]) -> None:
        """Add to the sums of the running variants."""
        self.sums[self.variant[: self.rows]] += sums

    def distance(self) -> Float[Tensor, " rows"]:
        """The largest difference of any element of h or c from the whole document's."""
        last = self.at[: self.rows] - 1
        reading, recurrence = self.direction.reading, self._recurrence
        hidden = (recurrence.hidden[: self.rows] - reading.hidden[last]).abs_().amax(dim=1)
        memory = (recurrence.memory[: self.rows] - reading.memory[last]).abs_().amax(dim=1)
        return torch.maximum(hidden, memory)

    def end(self, ended: Bool[Tensor, " rows"]) -> None:
        """Make room: those that go on become the first rows."""
        going = (~ended).nonzero()[:, 0]
        if len(going) == self.rows:
            return
        self.rows = len(going)
        self._state[:, : self.rows] = self._state.index_select(1, going)
        for states in (self._recurrence.hidden, self._recurrence.memory):
            states[: self.rows] = states.index_select(0, going)
