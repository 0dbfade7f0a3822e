"""Leave-one-out of the BiLSTM, sharing all that a deletion leaves as it was.

Deleting token i changes the left-to-right states after i and the right-to-left states before i, and no
others. A variant (a document without one token) is therefore two runs that begin beside the deleted
token with the whole document's state: one to the end, one to the beginning. At every token that such
a run reads, the other direction's state is the whole document's, so that the token's attention score
and contribution are known on the spot, and a variant needs two sums of them: no state is kept.

Runs of many variants advance as rows of one matrix. Word vectors are projected once a word, and
rows that have ended make place for others.
"""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from attnnn.importance.reading import Items, Reading, read_both_ways
from attnnn.importance.variant_runs import STEPS, Runs, Scoring, Way
from attnnn.models.attention import Additive, Dot, Imposed, Uniform, Without
from attnnn.models.batches import EVALUATION_TOKENS, length_sorted_batches
from attnnn.models.classifier import Classifier
from attnnn.models.encoders import BiLSTM
from attnnn.ragged import Ragged

# Steps between two looks at which runs have rejoined the whole document's.
STEPS_TO_REJOIN = 8
# |score| is at most Σ|v|, and e^300 summed over any document is a finite double.
LARGEST_SCORE = 300.0


def shares_prefixes(classifier: Classifier) -> bool:
    """Whether `by_prefix_sharing` can explain this classifier: a BiLSTM, scores within e^±300."""
    attention = classifier.attention
    if isinstance(attention, Dot | Without):
        return False
    if isinstance(attention, Additive) and attention.score.weight.abs().sum() > LARGEST_SCORE:
        return False
    return isinstance(classifier.encoder, BiLSTM)


@torch.inference_mode()
def by_prefix_sharing(
    classifier: Classifier,
    tokens: Ragged,
    *,
    imposed: Ragged | None = None,
    deleted: Bool[NDArray[np.bool_], " tokens"] | None = None,
    tolerance: float | None = None,
    max_tokens: int = EVALUATION_TOKENS,
) -> Ragged:
    """Signed change p(x without token i) − p(x), for a classifier that `shares_prefixes`.

    Args:
        classifier: works on the device and in the precision that it has.
        tokens: ids of the n tokens of each document.
        imposed: attention weights for a classifier with imposed attention.
        deleted: the tokens to delete; None: every one.
        tolerance: a run rejoins the whole document's once no element of its h and c differs by
            more: what it has yet to read then counts as in the whole document. None: never.
        max_tokens: tokens of documents that are read at once. Memory grows with it (or with the longest
            document), about 7 kB a token at hidden size 128, and not with the deletions.

    Returns:
        One number for every token; NaN where it was not to be deleted or where nothing is left to read.
    """
    found = np.full(len(tokens.values), np.nan)
    wanted = np.ones(len(found), dtype=np.bool_) if deleted is None else deleted
    concerned = np.unique(tokens.documents[wanted])
    batches = length_sorted_batches(tokens.take(concerned), max_tokens=max_tokens)
    for rows in tqdm(batches, desc="leave-one-out", unit="batch", disable=None, leave=False):
        chosen = concerned[rows]
        part = tokens.take(chosen)
        here = tokens.offsets[chosen][part.documents] + part.positions
        given = None if imposed is None else imposed.take(chosen)
        first = np.flatnonzero(wanted[here])
        found[here[first]] = _changes(classifier, part, given, first, tolerance)
    return tokens.with_values(found)


def _changes(
    classifier: Classifier,
    tokens: Ragged,
    imposed: Ragged | None,
    deleted: NDArray[np.int64],
    tolerance: float | None,
) -> NDArray[np.float64]:
    """Change of the probability for each of the flat indices `deleted`."""
    assert isinstance(classifier.encoder, BiLSTM)
    items = Items(tokens)
    readings = read_both_ways(classifier.encoder, classifier.embedding, items)
    ways = _both_ways(classifier, readings, items, imposed)
    item = items.of_tokens[deleted]
    sums = sum(
        _sums_of_changed(way, items, begin, tolerance)
        for way, begin in zip(ways, (item, items.mirror[item]), strict=True)
    )
    assert isinstance(sums, Tensor)
    bias = classifier.decoder.bias.double()
    whole = _sums_of_whole(ways[0], items)
    # Imposed weights are used as they are until some are deleted.
    share = 1.0 if isinstance(classifier.attention, Imposed) else whole[0]
    before = (whole[1] / share + bias).sigmoid().cpu().numpy()
    after = (sums[1] / sums[0] + bias).sigmoid().cpu().numpy()
    return np.asarray(after - before[tokens.documents[deleted]])


def _both_ways(
    classifier: Classifier, readings: list[Reading], items: Items, imposed: Ragged | None
) -> list[Way]:
    mirror = torch.from_numpy(items.mirror).to(readings[0].words.device)
    decoders = classifier.decoder.weight[0].chunk(2)
    parts = [
        reading.hidden.mv(decoder).double()
        for reading, decoder in zip(readings, decoders, strict=True)
    ]
    attention = classifier.attention
    scorings: list[Scoring] | list[None] = [None, None]
    if isinstance(attention, Additive):
        scorings = _scorings(attention, readings, mirror)
        weight = _additive_weights(scorings[0], readings[0], items)
    else:
        assert isinstance(attention, Uniform | Imposed)
        weight = _fixed_weights(attention, items, imposed).to(mirror.device)
    whole = torch.stack([weight, weight * (parts[0] + parts[1][mirror])])
    return [
        Way(readings[0], decoders[0], parts[1][mirror], scorings[0], whole),
        Way(readings[1], decoders[1], parts[0][mirror], scorings[1], whole[:, mirror]),
    ]


def _scorings(attention: Additive, readings: list[Reading], mirror: Tensor) -> list[Scoring]:
    halves = [half.t().contiguous() for half in attention.hidden.weight.chunk(2, dim=1)]
    rests = [
        torch.addmm(attention.hidden.bias, reading.hidden, half).index_select(0, mirror)
        for reading, half in zip(readings, halves, strict=True)
    ]
    score = attention.score.weight[0]
    return [Scoring(halves[0], rests[1], score), Scoring(halves[1], rests[0], score)]


def _additive_weights(scoring: Scoring, reading: Reading, items: Items) -> Float[Tensor, " items"]:
    inner = torch.addmm(scoring.rest, reading.hidden, scoring.weight).tanh_()
    real = torch.from_numpy(items.local > 0).to(inner.device)
    return inner.mv(scoring.score).double().exp_() * real


def _fixed_weights(
    attention: Uniform | Imposed, items: Items, imposed: Ragged | None
) -> Float[Tensor, " items"]:
    weights = np.zeros(len(items.local))
    if isinstance(attention, Imposed):
        if imposed is None:
            raise ValueError("imposed attention needs the weights to impose")
        weights[items.of_tokens] = imposed.values
    else:
        weights[items.of_tokens] = 1.0
    return torch.from_numpy(weights)


def _sums_of_whole(way: Way, items: Items) -> Float[Tensor, "2 documents"]:
    sums = way.whole.new_zeros(2, len(items.lengths))
    return sums.index_add_(1, torch.from_numpy(items.document).to(sums.device), way.whole)


def _sums_of_rest(way: Way, items: Items) -> Float[Tensor, "2 items"]:
    """For every item, the sums over all later items of its document, none of them subtracted."""
    padded = way.whole.new_zeros(2, len(items.lengths), int(items.lengths.max()) + 2)
    document, local = (torch.from_numpy(x).to(padded.device) for x in (items.document, items.local))
    padded[:, document, local] = way.whole
    return padded.flip(-1).cumsum(-1).flip(-1)[:, document, local + 1]


def _sums_of_changed(
    way: Way, items: Items, deleted: NDArray[np.int64], tolerance: float | None
) -> Float[Tensor, "2 deleted"]:
    """Σ weight and Σ weight · contribution over the items that a run reads after each deleted one."""
    runs = Runs(way, items, deleted)
    rest = None if tolerance is None else _sums_of_rest(way, items)
    while runs.begin():
        if rest is None:
            runs.advance(STEPS)
            runs.end(runs.left[: runs.rows] == 0)
        else:
            runs.advance(STEPS_TO_REJOIN)
            ended = runs.left[: runs.rows] == 0
            assert tolerance is not None
            rejoined = runs.distance() <= tolerance
            runs.add(rest[:, runs.at[: runs.rows] - 1] * (rejoined & ~ended))
            runs.end(ended | rejoined)
    return runs.sums
