"""Runs of shortened documents in one direction: rows of one matrix that advance together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor

from attnnn.importance.reading import Items, Reading, Recurrence

# Rows that advance together: their gates stay in a core's cache; a GPU needs more to be busy.
ROWS = {"cpu": 256, "cuda": 16_384}
# Most steps between two looks at which rows have ended.
STEPS = 32


@dataclass(frozen=True)
class Scoring:
    """Additive attention v·tanh(W h + b), as one direction's half of h sees it.

    Attributes:
        weight: this direction's half of W, transposed.
        rest: the other direction's part of W h, and b.
        score: v.
    """

    weight: Float[Tensor, "size inner"]
    rest: Float[Tensor, "items inner"]
    score: Float[Tensor, " inner"]

    @property
    def width(self) -> int:
        """Numbers that a row needs room for while it is scored."""
        return len(self.score)

    def into(
        self,
        out: Float[Tensor, " rows"],
        hidden: Float[Tensor, "rows size"],
        items: Int[Tensor, " rows"],
        room: Float[Tensor, "rows inner"],
    ) -> None:
        """Write the scores of states h after some items."""
        torch.index_select(self.rest, 0, items, out=room)
        room.addmm_(hidden, self.weight).tanh_()
        torch.mv(room, self.score, out=out)


@dataclass(frozen=True)
class DotScoring:
    """Dot attention u·h / √D, as one direction's half of h sees it.

    Attributes:
        vectors: this direction's half of u / √D, or of the questions q / √D; a row for each document, or
            one for all.
        document: row of `vectors` of every item.
        rest: the other direction's part of the score.
    """

    vectors: Float[Tensor, "documents size"]
    document: Int[Tensor, " items"]
    rest: Float[Tensor, " items"]

    @property
    def width(self) -> int:
        """Numbers that a row needs room for while it is scored."""
        return self.vectors.shape[1] if len(self.vectors) > 1 else 0

    def into(
        self,
        out: Float[Tensor, " rows"],
        hidden: Float[Tensor, "rows size"],
        items: Int[Tensor, " rows"],
        room: Float[Tensor, "rows inner"],
    ) -> None:
        """Write the scores of states h after some items."""
        if len(self.vectors) == 1:
            torch.mv(hidden, self.vectors[0], out=out)
        else:
            torch.index_select(self.vectors, 0, self.document[items], out=room)
            torch.sum(room.mul_(hidden), dim=1, out=out)
        out.add_(self.rest[items])


@dataclass(frozen=True)
class Direction:
    """What a run in one direction needs at every item besides its own state.

    Attributes:
        reading: the direction's run over whole documents.
        decoder: what this direction's half of a state is multiplied by for its projected state.
        projected: the other direction's part of the projected state, in double precision.
        scoring: how a state is scored; None if attention does not depend on states.
        whole: of every item in the whole document the attention weight, unnormalised and 0 at symbols, and
            weight times projected state.
    """

    reading: Reading
    decoder: Float[Tensor, "size projection"]
    projected: Float[Tensor, "items projection"]
    scoring: Scoring | DotScoring | None
    whole: Float[Tensor, "items sums"]


class Runs:
    """Runs of variants in one direction, as rows; those that wait come in order of their length.

    Attributes:
        rows: how many are running.
        at: the item that each row reads next.
        left: items that each row has yet to read.
        variant: the variant of each row.
        sums: Σ weight and Σ weight · projected state so far, of every variant.
    """

    def __init__(self, way: Direction, items: Items, deleted: NDArray[np.int64]) -> None:
        device = way.reading.words.device
        left = items.lengths[items.document[deleted]] - items.local[deleted]
        order = np.argsort(-left, kind="stable")
        order = order[: np.searchsorted(-left[order], 0)]
        self.way = way
        self.waiting = torch.from_numpy(
            np.stack([deleted + 1, left, np.arange(len(left))])[:, order]
        )
        self.waiting = self.waiting.to(device)
        room = min(ROWS[device.type], len(order))
        self.recurrence = Recurrence(way.reading.lstm, room)
        self.rows, self.begun = 0, 0
        self.state = torch.zeros(3, room, dtype=torch.int64, device=device)
        self.at, self.left, self.variant = self.state
        self.sums = way.whole.new_zeros(len(deleted), way.whole.shape[1])
        like = way.reading.hidden
        self.score = like.new_empty(STEPS, room)
        self.projected = like.new_empty(STEPS, room, way.decoder.shape[1])
        self.inner = like.new_empty(room, 0 if way.scoring is None else way.scoring.width)

    def begin(self) -> bool:
        """Fill free rows with waiting variants; False when there is nothing left to run."""
        room = self.state.shape[1]
        new = self.waiting[:, self.begun : self.begun + room - self.rows]
        here = slice(self.rows, self.rows + new.shape[1])
        self.state[:, here] = new
        # The state before the deleted item, two before the one to read next.
        torch.index_select(self.way.reading.hidden, 0, new[0] - 2, out=self.recurrence.hidden[here])
        torch.index_select(self.way.reading.memory, 0, new[0] - 2, out=self.recurrence.memory[here])
        self.begun += new.shape[1]
        self.rows = here.stop
        return self.rows > 0

    def advance(self, most: int) -> None:
        """Let every row read, until the first has nothing left or `most` items are read."""
        rows, way, recurrence = self.rows, self.way, self.recurrence
        steps = min(most, int(self.left[:rows].min()))
        items = self.at[:rows] + torch.arange(steps, device=self.at.device)[:, None]
        words = way.reading.words.index_select(0, items.flatten()).view_as(items)
        score, projected = self.score[:steps, :rows], self.projected[:steps, :rows]
        recurrence.use(rows)
        scoring, inner = way.scoring, self.inner[:rows]
        for item, word, product, scored in zip(items, words, projected, score, strict=True):
            hidden = recurrence.step(way.reading.inputs, word)
            torch.mm(hidden, way.decoder, out=product)
            if scoring is not None:
                scoring.into(scored, hidden, item, inner)
        weight = way.whole[items, 0] if scoring is None else score.double().exp_()
        weighted = weight[..., None] * (projected + way.projected[items])
        self.add(torch.cat([weight.sum(0)[:, None], weighted.sum(0)], dim=1))
        self.at[:rows] += steps
        self.left[:rows] -= steps

    def add(self, sums: Float[Tensor, "rows sums"]) -> None:
        """Add to the sums of the running variants."""
        self.sums[self.variant[: self.rows]] += sums

    def distance(self) -> Float[Tensor, " rows"]:
        """The largest difference of any element of h or c from the whole document's."""
        last = self.at[: self.rows] - 1
        reading, recurrence = self.way.reading, self.recurrence
        hidden = (recurrence.hidden[: self.rows] - reading.hidden[last]).abs_().amax(dim=1)
        memory = (recurrence.memory[: self.rows] - reading.memory[last]).abs_().amax(dim=1)
        return torch.maximum(hidden, memory)

    def end(self, ended: Bool[Tensor, " rows"]) -> None:
        """Make room: those that go on become the first rows."""
        going = (~ended).nonzero()[:, 0]
        if len(going) == self.rows:
            return
        self.rows = len(going)
        self.state[:, : self.rows] = self.state.index_select(1, going)
        for states in (self.recurrence.hidden, self.recurrence.memory):
            states[: self.rows] = states.index_select(0, going)
