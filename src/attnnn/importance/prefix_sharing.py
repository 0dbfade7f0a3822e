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
from attnnn.importance.scores import Importance, changes_of
from attnnn.importance.variant_runs import STEPS, Direction, DotScoring, Runs, Scoring
from attnnn.models.attention import (
    Additive,
    Dot,
    Imposed,
    NoAttention,
    QuestionAdditive,
    QuestionDot,
    Uniform,
)
from attnnn.models.batches import EVALUATION_TOKENS, length_sorted_batches
from attnnn.models.classifier import Classifier
from attnnn.models.decoders import PairDecoder
from attnnn.models.encoders import BiLSTM
from attnnn.models.inputs import Inputs, Part
from attnnn.tables.ragged import Ragged

# Steps between two looks at which runs have rejoined the whole document's.
STEPS_TO_REJOIN = 8
# |score| is at most Σ|v|, and e^300 summed over any document is a finite double.
LARGEST_SCORE = 300.0


def shares_prefixes(classifier: Classifier) -> bool:
    """Whether `by_prefix_sharing` can: a BiLSTM with attention whose scores are within e^±300."""
    attention = classifier.attention
    if isinstance(attention, NoAttention) or not isinstance(classifier.encoder, BiLSTM):
        return False
    if isinstance(attention, Additive | Dot):
        # Inner values and states are within ±1; a question's are too.
        return bool(attention.score.weight.abs().sum() <= LARGEST_SCORE)
    return True


@torch.inference_mode()
def by_prefix_sharing(
    classifier: Classifier,
    inputs: Inputs,
    *,
    deleted: Bool[NDArray[np.bool_], " tokens"] | None = None,
    tolerance: float | None = None,
    max_tokens: int = EVALUATION_TOKENS,
) -> Importance:
    """Change p(x without token i) − p(x), for a classifier that `shares_prefixes`.

    Args:
        classifier: works on the device and in the precision that it has.
        inputs: the documents.
        deleted: the tokens to delete; None: every one.
        tolerance: a run rejoins the whole document's once no element of its h and c differs by
            more: what it has yet to read then counts as in the whole document. None: never.
        max_tokens: tokens of documents that are read at once. Memory grows with it (or with the longest
            document), about 7 kB a token at hidden size 128, and not with the deletions.

    Returns:
        NaN where a token was not to be deleted or where nothing is left to read.
    """
    tokens = inputs.tokens
    found = np.full((len(tokens.values), 2), np.nan)
    wanted = np.ones(len(found), dtype=np.bool_) if deleted is None else deleted
    concerned = np.unique(tokens.documents[wanted])
    batches = length_sorted_batches(tokens.take(concerned), max_tokens=max_tokens)
    for rows in tqdm(batches, desc="leave-one-out", unit="batch", disable=None, leave=False):
        part = Part(inputs, concerned[rows])
        first = np.flatnonzero(wanted[part.flat])
        found[part.flat[first]] = _changes(classifier, part.inputs, first, tolerance)
    return Importance.of_changes(tokens, found)


def _changes(
    classifier: Classifier, inputs: Inputs, deleted: NDArray[np.int64], tolerance: float | None
) -> NDArray[np.float64]:
    """Change of the probability, and its magnitude, for each of the flat indices `deleted`."""
    assert isinstance(classifier.encoder, BiLSTM)
    items, batch = Items(inputs.tokens), inputs.batch(classifier.device)
    readings = read_both_ways(classifier.encoder, classifier.embedding, items)
    query = classifier.read_questions(batch)
    ways = _both_ways(classifier, readings, items, inputs.imposed, query)
    item = items.of_tokens[deleted]
    sums = sum(
        _sums_of_changed(way, items, begin, tolerance)
        for way, begin in zip(ways, (item, items.mirror[item]), strict=True)
    )
    assert isinstance(sums, Tensor)
    whole = _sums_of_whole(ways[0], items)
    # Imposed weights are used as they are until some are deleted.
    if isinstance(classifier.attention, Imposed):
        whole[:, 0] = 1.0
    device = classifier.device
    every = torch.arange(len(whole), device=device)
    before = classifier.decide(whole[:, 1:] / whole[:, :1], batch, query, every)
    rows = torch.from_numpy(inputs.tokens.documents[deleted]).to(device)
    after = classifier.decide(sums[:, 1:] / sums[:, :1], batch, query, rows)
    return np.asarray(changes_of(before[rows], after).cpu().numpy())


def _both_ways(
    classifier: Classifier,
    readings: list[Reading],
    items: Items,
    imposed: Ragged | None,
    query: Float[Tensor, "documents width"] | None,
) -> list[Direction]:
    mirror = torch.from_numpy(items.mirror).to(readings[0].words.device)
    decoder = classifier.decoder
    matrix = decoder.document.weight if isinstance(decoder, PairDecoder) else decoder.weight
    halves = [half.t().contiguous() for half in matrix.chunk(2, dim=1)]
    parts = [
        (reading.hidden @ half).double() for reading, half in zip(readings, halves, strict=True)
    ]
    attention = classifier.attention
    scorings: list[Scoring] | list[DotScoring] | list[None] = [None, None]
    if isinstance(attention, Additive):
        scorings = _scorings(attention, readings, mirror, _offsets(attention, items, query))
    elif isinstance(attention, Dot | QuestionDot):
        scorings = _dot_scorings(attention, readings, mirror, items, query)
    if scorings[0] is not None:
        weight = _scored_weights(scorings[0], readings[0], items)
    else:
        assert isinstance(attention, Uniform | Imposed)
        weight = _fixed_weights(attention, items, imposed).to(mirror.device)
    projected = parts[0] + parts[1][mirror]
    whole = torch.cat([weight[:, None], weight[:, None] * projected], dim=1)
    return [
        Direction(readings[0], halves[0], parts[1][mirror], scorings[0], whole),
        Direction(readings[1], halves[1], parts[0][mirror], scorings[1], whole[mirror]),
    ]


def _offsets(
    attention: Additive, items: Items, query: Float[Tensor, "documents width"] | None
) -> Float[Tensor, "items inner"] | Float[Tensor, " inner"]:
    """What is added to W h before the tanh: b, and with questions W_q q + b_q of each document."""
    if not isinstance(attention, QuestionAdditive):
        return attention.hidden.bias
    assert query is not None
    document = torch.from_numpy(items.document).to(query.device)
    from_question: Tensor = attention.query(query)
    return (from_question + attention.hidden.bias)[document]


def _scorings(
    attention: Additive,
    readings: list[Reading],
    mirror: Tensor,
    offsets: Float[Tensor, "items inner"] | Float[Tensor, " inner"],
) -> list[Scoring]:
    halves = [half.t().contiguous() for half in attention.hidden.weight.chunk(2, dim=1)]
    # An item and its mirror image are of one document.
    rests = [
        (reading.hidden @ half + offsets).index_select(0, mirror)
        for reading, half in zip(readings, halves, strict=True)
    ]
    score = attention.score.weight[0]
    return [Scoring(halves[0], rests[1], score), Scoring(halves[1], rests[0], score)]


def _dot_scorings(
    attention: Dot | QuestionDot,
    readings: list[Reading],
    mirror: Tensor,
    items: Items,
    query: Float[Tensor, "documents width"] | None,
) -> list[DotScoring]:
    if isinstance(attention, Dot):
        vectors, document = attention.score.weight, torch.zeros_like(mirror)
    else:
        assert query is not None
        vectors, document = query, torch.from_numpy(items.document).to(mirror.device)
    halves = (vectors * attention.scale).chunk(2, dim=1)
    rests = [
        (reading.hidden * half[document]).sum(dim=1).index_select(0, mirror)
        for reading, half in zip(readings, halves, strict=True)
    ]
    return [
        DotScoring(halves[0].contiguous(), document, rests[1]),
        DotScoring(halves[1].contiguous(), document, rests[0]),
    ]


def _scored_weights(
    scoring: Scoring | DotScoring, reading: Reading, items: Items
) -> Float[Tensor, " items"]:
    every = torch.arange(len(reading.hidden), device=reading.hidden.device)
    scores = reading.hidden.new_empty(len(every))
    room = reading.hidden.new_empty(len(every), scoring.width)
    scoring.into(scores, reading.hidden, every, room)
    real = torch.from_numpy(items.local > 0).to(scores.device)
    return scores.double().exp_() * real


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


def _sums_of_whole(way: Direction, items: Items) -> Float[Tensor, "documents sums"]:
    sums = way.whole.new_zeros(len(items.lengths), way.whole.shape[1])
    return sums.index_add_(0, torch.from_numpy(items.document).to(sums.device), way.whole)


def _sums_of_rest(way: Direction, items: Items) -> Float[Tensor, "items sums"]:
    """For every item, the sums over all later items of its document, none of them subtracted."""
    shape = (len(items.lengths), int(items.lengths.max()) + 2, way.whole.shape[1])
    padded = way.whole.new_zeros(shape)
    document, local = (torch.from_numpy(x).to(padded.device) for x in (items.document, items.local))
    padded[document, local] = way.whole
    return padded.flip(1).cumsum(1).flip(1)[document, local + 1]


def _sums_of_changed(
    way: Direction, items: Items, deleted: NDArray[np.int64], tolerance: float | None
) -> Float[Tensor, "deleted sums"]:
    """Σ weight and Σ weight · projected state over the items that a run reads after each deleted one."""
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
            runs.add(rest[runs.at[: runs.rows] - 1] * (rejoined & ~ended)[:, None])
            runs.end(ended | rejoined)
    return runs.sums
