"""Leave-one-out of the CNN: a deletion changes the states of the tokens nearby, and no others.

Without token i, the widest convolution, of 2r + 1 tokens, sees something else at r tokens on either side.
Those states are computed anew; all others enter as sums over what lies before and behind. A convolution is a
sum of one vector for each word and place under it, so that every word is multiplied by the kernels once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from attnnn.importance.scores import Importance, changes_of
from attnnn.models.attention import Additive, Dot, Imposed, QuestionDot
from attnnn.models.batches import EVALUATION_TOKENS, Batch
from attnnn.models.classifier import Classifier, probabilities
from attnnn.models.encoders import KERNELS, Cnn
from attnnn.models.inputs import Inputs

# Tokens on either side whose state a deletion changes.
REACH = max(KERNELS) // 2
# Deletions at a time: what their neighbourhoods take stays under 60 MB at hidden size 128.
_AT_ONCE = 2048


@torch.inference_mode()
def by_neighbours(
    classifier: Classifier, inputs: Inputs, *, max_tokens: int = EVALUATION_TOKENS
) -> Importance:
    """Change p(x without token i) − p(x), for a classifier with a CNN.

    Args:
        classifier: works on the device and in the precision that it has.
        inputs: the documents.
        max_tokens: padded tokens that are read at once, which bounds memory.

    Returns:
        NaN where nothing is left to read.
    """
    found = np.full((len(inputs.tokens.values), 2), np.nan)
    taps = _Taps.of(classifier)
    parts = inputs.parts(max_tokens)
    for part in tqdm(parts, desc="leave-one-out", unit="batch", disable=None, leave=False):
        batch = part.inputs.batch(classifier.device)
        part.scatter(_changes(classifier, taps, batch), found)
    return Importance.of_changes(inputs.tokens, found)


@dataclass(frozen=True)
class _Taps:
    """What every word adds to a state for every place under every convolution.

    Attributes:
        of_words: one row per word, and a last row of zeros. The places of the first kernel, then those
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
        zeros = words.new_zeros(1, words.shape[1])
        bias = torch.cat([convolve.get_parameter("bias") for convolve in encoder.convolutions])
        return cls(torch.cat([words, zeros]), bias, len(kernels[0]))

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


def _changes(classifier: Classifier, taps: _Taps, batch: Batch) -> NDArray[np.float64]:
    """Change of the probability and its magnitude for every token of a batch."""
    read = _Read(batch, classifier.read_questions(batch))
    output = classifier(batch, query=read.query)
    before = probabilities(output.logits.double())
    # Up to a factor per document, and as large as they may be in any document without one token.
    states = classifier.encoder(classifier.embedding(batch.token_ids), batch.lengths)
    scores = _scores(classifier, states, batch.imposed, read.query)
    scores = scores.masked_fill(~batch.real, -torch.inf)
    largest = scores.amax(dim=1)
    weight = (scores - largest[:, None]).exp()[..., None]
    far = _far_from(torch.cat([weight, weight * output.projected.double()], dim=-1))
    found = []
    for deleted in torch.split(batch.real.nonzero(), _AT_ONCE):
        rows, at = deleted.T
        near = _Near.of(classifier, taps, read, rows, at)
        top = torch.maximum(largest[rows], near.scores.amax(dim=1))
        weights = (near.scores - top[:, None]).exp()[..., None]
        fresh = torch.cat([weights, weights * near.projected], dim=-1).sum(dim=1)
        total = far[rows, at] * (largest[rows] - top).exp()[:, None] + fresh
        after = classifier.decide(total[:, 1:] / total[:, :1], batch, read.query, rows)
        found.append(changes_of(before[rows], after).cpu().numpy())
    return np.concatenate(found)


class _Read(NamedTuple):
    """Documents, and what their questions say."""

    batch: Batch
    query: Float[Tensor, "batch width"] | None


@dataclass(frozen=True)
class _Near:
    """The tokens around deleted ones, in the documents without them.

    Attributes:
        scores: logarithms of their attention up to a factor; −∞ where no token is.
        projected: what the decoder makes of their states.
    """

    scores: Float[Tensor, "deleted near"]
    projected: Float[Tensor, "deleted near projection"]

    @classmethod
    def of(
        cls,
        classifier: Classifier,
        taps: _Taps,
        read: _Read,
        rows: Int[Tensor, " deleted"],
        at: Int[Tensor, " deleted"],
    ) -> _Near:
        batch = read.batch
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
        query = None if read.query is None else read.query[rows]
        scores = _scores(classifier, states, given, query).masked_fill(~real, -torch.inf)
        return cls(scores, classifier.decoder.project(states).double())


def _scores(
    classifier: Classifier,
    states: Float[Tensor, "rows places width"],
    imposed: Float[Tensor, "rows places"] | None,
    query: Float[Tensor, "rows width"] | None,
) -> Float[Tensor, "rows places"]:
    """Logarithms of attention weights up to a factor per document."""
    attention = classifier.attention
    if isinstance(attention, Additive | Dot | QuestionDot):
        return attention.scores(states, query).double()
    if isinstance(attention, Imposed):
        if imposed is None:
            raise ValueError("imposed attention needs the weights to impose")
        return imposed.double().log()
    return states.new_zeros(states.shape[:2], dtype=torch.float64)


def _far_from(
    values: Float[Tensor, "batch length projection"],
) -> Float[Tensor, "batch length projection"]:
    """For every place, the sum over all that are more than `REACH` places away, none subtracted."""
    beyond = values.new_zeros(len(values), REACH + 1, values.shape[-1])
    before = torch.cat([beyond, values.cumsum(1)], dim=1)[:, : values.shape[1]]
    behind = torch.cat([values.flip(1).cumsum(1).flip(1), beyond], dim=1)[:, REACH + 1 :]
    return before + behind
