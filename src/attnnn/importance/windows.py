"""Leave-one-out of the CNN: a deletion changes the states of the tokens nearby, and no others.

Without token i, the widest convolution, of 2r + 1 tokens, sees something else at r tokens on either side.
Those states are computed anew; all others enter as sums over what lies before and behind. A convolution is a
sum of one vector for each word and place under it, so that every word is multiplied by the kernels once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from attnnn.models.attention import Additive, Dot, Imposed
from attnnn.models.batches import Batch, length_sorted_batches, make_batch
from attnnn.models.classifier import Classifier
from attnnn.models.encoders import KERNELS, Cnn
from attnnn.ragged import Ragged

# Tokens on either side whose state a deletion changes.
REACH = max(KERNELS) // 2
# Deletions at a time: what their neighbourhoods take stays under 60 MB at hidden size 128.
_AT_ONCE = 2048


@torch.inference_mode()
def by_windows(
    classifier: Classifier,
    tokens: Ragged,
    *,
    imposed: Ragged | None = None,
    max_tokens: int,
) -> Ragged:
    """Signed change p(x without token i) − p(x), for a classifier with a CNN.

    Args:
        classifier: works on the device and in the precision that it has.
        tokens: ids of the n tokens of each document.
        imposed: attention weights for a classifier with imposed attention.
        max_tokens: padded tokens that are read at once, which bounds memory.

    Returns:
        One number for every token; NaN where nothing is left to read.
    """
    found = np.full(len(tokens.values), np.nan)
    taps = _Taps.of(classifier)
    batches = length_sorted_batches(tokens, max_tokens=max_tokens)
    for rows in tqdm(batches, desc="leave-one-out", unit="batch", disable=None, leave=False):
        part = tokens.take(rows)
        given = None if imposed is None else imposed.take(rows)
        here = tokens.offsets[rows][part.documents] + part.positions
        found[here] = _changes(classifier, taps, part, given)
    return tokens.with_values(found)


@dataclass(frozen=True)
class _Taps:
    """What every word adds to a state for every place under every convolution.

    Attributes:
        of_words: a row a word; the last row is nothing at all. The places of the first kernel, then those
            of the second and so on, each with the kernel's features.
        bias: of all features.
        features: of one kernel.
    """

    of_words: Float[Tensor, "words taps"]
    bias: Float[Tensor, " width"]
    features: int

    @classmethod
    def of(cls, classifier: Classifier) -> _Taps:
        encoder = classifier.encoder
        assert isinstance(encoder, Cnn)
        kernels = [convolve.get_parameter("weight") for convolve in encoder.convolutions]
        matrix = torch.cat([kernel.permute(1, 2, 0).flatten(1) for kernel in kernels], dim=1)
        words = classifier.embedding.weight @ matrix
        nothing = words.new_zeros(1, words.shape[1])
        bias = torch.cat([convolve.get_parameter("bias") for convolve in encoder.convolutions])
        return cls(torch.cat([words, nothing]), bias, len(kernels[0]))

    def states(self, ids: Int[Tensor, "rows places"]) -> Float[Tensor, "rows inner width"]:
        """States of all but the first and last `REACH` places of some stretches of text.

        Args:
            ids: words; the number of words stands for what is outside the text.
        """
        placed = self.of_words[ids]
        inner = ids.shape[1] - 2 * REACH
        states = self.bias.repeat(len(ids), inner, 1)
        tap = 0
        for block, kernel in enumerate(KERNELS):
            out = states[..., block * self.features : (block + 1) * self.features]
            for place in range(kernel):
                start = REACH - kernel // 2 + place
                out += placed[:, start : start + inner, tap : tap + self.features]
                tap += self.features
        return states.relu_()


def _changes(
    classifier: Classifier, taps: _Taps, tokens: Ragged, imposed: Ragged | None
) -> NDArray[np.float64]:
    """Change of the probability for every token of some documents."""
    device = classifier.decoder.weight.device
    batch = make_batch(tokens, device=device, imposed=imposed)
    output = classifier(batch)
    # Up to a factor a document, and as large as they may be in any document without one token.
    states = classifier.encoder(classifier.embedding(batch.token_ids), batch.lengths)
    scores = _scores(classifier, states, batch.imposed).masked_fill(~batch.real, -torch.inf)
    largest = scores.amax(dim=1)
    weight = (scores - largest[:, None]).exp()
    sums = torch.stack([weight, weight * output.contribution.double()])
    far = _far_from(sums)
    found = np.empty(len(tokens.values))
    for start in range(0, len(found), _AT_ONCE):
        deleted = np.arange(start, min(start + _AT_ONCE, len(found)))
        rows = torch.from_numpy(tokens.documents[deleted]).to(device)
        at = torch.from_numpy(tokens.positions[deleted] + 1).to(device)
        near = _Near.of(classifier, taps, batch, rows, at)
        top = torch.maximum(largest[rows], near.scores.amax(dim=1))
        weights = (near.scores - top[:, None]).exp()
        fresh = torch.stack([weights.sum(1), (weights * near.contribution).sum(1)])
        total = far[:, rows, at] * (largest[rows] - top).exp() + fresh
        logit = total[1] / total[0] + classifier.decoder.bias.double()
        before = output.logit.double().sigmoid()[rows]
        found[deleted] = (logit.sigmoid() - before).cpu().numpy()
    return found


@dataclass(frozen=True)
class _Near:
    """The tokens around deleted ones, in the documents without them.

    Attributes:
        scores: logarithms of their attention up to a factor; −∞ where no token is.
        contribution: their w·h.
    """

    scores: Float[Tensor, "deleted near"]
    contribution: Float[Tensor, "deleted near"]

    @classmethod
    def of(
        cls,
        classifier: Classifier,
        taps: _Taps,
        batch: Batch,
        rows: Int[Tensor, " deleted"],
        at: Int[Tensor, " deleted"],
    ) -> _Near:
        ids, ends = batch.token_ids, batch.lengths[rows, None]
        span = torch.arange(1, 2 * REACH + 1, device=at.device)
        places = torch.cat([at[:, None] - span.flip(0), at[:, None] + span], dim=1)
        outside = (places < 0) | (places >= ends)
        inside = places.clamp(0, ids.shape[1] - 1)
        words = ids[rows[:, None], inside].masked_fill(outside, len(taps.of_words) - 1)
        states = taps.states(words)
        near = slice(REACH, -REACH)
        real = ((places >= 1) & (places < ends - 1))[:, near]
        given = None if batch.imposed is None else batch.imposed[rows[:, None], inside[:, near]]
        scores = _scores(classifier, states, given).masked_fill(~real, -torch.inf)
        return cls(scores, (states @ classifier.decoder.weight[0]).double())


def _scores(
    classifier: Classifier,
    states: Float[Tensor, "rows places width"],
    imposed: Float[Tensor, "rows places"] | None,
) -> Float[Tensor, "rows places"]:
    """Logarithms of attention weights up to a factor a document."""
    attention = classifier.attention
    if isinstance(attention, Additive | Dot):
        return attention.scores(states).double()
    if isinstance(attention, Imposed):
        if imposed is None:
            raise ValueError("imposed attention needs the weights to impose")
        return imposed.double().log()
    return states.new_zeros(states.shape[:2], dtype=torch.float64)


def _far_from(sums: Float[Tensor, "2 batch length"]) -> Float[Tensor, "2 batch length"]:
    """For every place, the sum over all that are more than `REACH` places away, none subtracted."""
    length = sums.shape[-1]
    beyond = sums.new_zeros(*sums.shape[:-1], REACH + 1)
    before = torch.cat([beyond, sums.cumsum(-1)], dim=-1)[..., :length]
    behind = torch.cat([sums.flip(-1).cumsum(-1).flip(-1), beyond], dim=-1)[..., REACH + 1 :]
    return before + behind
