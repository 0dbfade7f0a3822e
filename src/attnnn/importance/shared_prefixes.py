"""Leave-one-out of the BiLSTM, sharing all that a deletion leaves as it was.

Deleting token i changes the left-to-right states after i and the right-to-left states before i, and no
others. A variant (a document without one token) is therefore two runs that begin beside the deleted
token with the whole document's state: one to the end, one to the beginning. At every token that such
a run reads, the other direction's state is the whole document's, so that the token's attention score and
projected state are known at once, and a variant needs two sums of them: no state is kept.

Runs of many variants advance as rows of one matrix (`lstm_runs`). Word vectors are projected once per word,
and rows that have ended make place for others.
"""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from attnnn.importance.lstm_runs import (
    STEPS,
    AdditiveScorer,
    Direction,
    DotScorer,
    Items,
    Reading,
    Runs,
    read_both_ways,
)
from attnnn.importance.scores import Importance, changes_of
from attnnn.models.attention import Additive, Dot, Imposed, QuestionAdditive, QuestionDot
from attnnn.models.batches import EVALUATION_TOKENS, length_sorted_batches
from attnnn.models.classifier import Classifier
from attnnn.models.encoders import BiLSTM
from attnnn.models.inputs import Inputs, Part

# Steps between two looks at which runs have rejoined the whole document's.
STEPS_TO_REJOIN = 8
# |score| is at most Σ|v|, and e^300 summed over any document is a finite double.
LARGEST_SCORE = 300.0


def shares_prefixes(classifier: Classifier) -> bool:
    """Whether `by_shared_prefixes` applies: a BiLSTM with attention whose scores are within ±300."""
    attention = classifier.attention
    if not classifier.attends or classifier.encoder.reads != "both directions":
        return False
    if isinstance(attention, Additive | Dot):
        # Inner values and states are within ±1; a question's are too.
        return bool(attention.score.weight.abs().sum() <= LARGEST_SCORE)
    return True


@torch.inference_mode()
def by_shared_prefixes(
    classifier: Classifier,
    inputs: Inputs,
    *,
    deleted: NDArray[np.bool_] | None = None,
    tolerance: float | None = None,
    max_tokens: int = EVALUATION_TOKENS,
) -> Importance:
    """Change p(x without token i) − p(x), for a classifier that `shares_prefixes`.

    Args:
        classifier: works on the device and in the precision that it has.
        inputs: the documents.
        deleted: shape (tokens,): True for the tokens to delete; None: all of them.
        tolerance: a run rejoins the whole document's once no element of its h and c differs by
            more: what it has yet to read then counts as in the whole document. None: never.
        max_tokens: tokens of documents that are read at once. Memory grows with it (or with the longest
            document), about 7 kB per token at hidden size 128, and not with the number of deletions.

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
    """Change of the probability, and its magnitude, for each of the flat indices `deleted`.

    Args:
        classifier: one that `shares_prefixes`.
        inputs: some documents.
        deleted: flat indices of tokens.
        tolerance: of rejoining.
    """
    items, batch = Items(inputs.tokens), inputs.batch(classifier.device)
    query = classifier.read_questions(batch)
    weights = _fixed_weights(classifier, inputs, items)
    left_to_right, right_to_left = _directions(classifier, items, weights, query)
    item = items.of_tokens[deleted]
    sums = _sums_of_changed(left_to_right, items, item, tolerance)
    sums = sums + _sums_of_changed(right_to_left, items, items.mirror[item], tolerance)
    whole = _sums_of_whole(left_to_right, items)
    # Imposed weights are used as they are until some are deleted.
    if isinstance(classifier.attention, Imposed):
        whole[:, 0] = 1.0
    every = torch.arange(len(whole), device=whole.device)
    before = classifier.decide(whole[:, 1:] / whole[:, :1], batch, query, every)
    rows = torch.from_numpy(inputs.tokens.documents[deleted]).to(whole.device)
    after = classifier.decide(sums[:, 1:] / sums[:, :1], batch, query, rows)
    return np.asarray(changes_of(before[rows], after).cpu().numpy())


def _fixed_weights(
    classifier: Classifier, inputs: Inputs, items: Items
) -> Float[Tensor, " items"] | None:
    """Unnormalised weights that do not depend on states, 0 at symbols; None for scored attention."""
    attention = classifier.attention
    if isinstance(attention, Additive | Dot | QuestionDot):
        return None
    weights = np.zeros(len(items.local))
    if not isinstance(attention, Imposed):
        weights[items.of_tokens] = 1.0
    elif inputs.imposed is None:
        raise ValueError("imposed attention needs the weights to impose")
    else:
        weights[items.of_tokens] = inputs.imposed.values
    return torch.from_numpy(weights).to(classifier.device)


def _directions(
    classifier: Classifier,
    items: Items,
    weights: Float[Tensor, " items"] | None,
    query: Float[Tensor, "documents width"] | None,
) -> list[Direction]:
    """Both directions, left to right first; `weights` where attention does not depend on states."""
    assert isinstance(classifier.encoder, BiLSTM)
    readings = read_both_ways(classifier.encoder, classifier.embedding, items)
    device = classifier.device
    mirror, document = (torch.from_numpy(x).to(device) for x in (items.mirror, items.document))
    halves = _halves(classifier.decoder.projection)
    parts = [
        (reading.hidden @ half).double() for reading, half in zip(readings, halves, strict=True)
    ]
    scorers: list[AdditiveScorer] | list[DotScorer] | list[None] = [None, None]
    if isinstance(classifier.attention, Additive):
        scorers = _additive_scorers(classifier.attention, readings, mirror, document, query)
    elif isinstance(classifier.attention, Dot | QuestionDot):
        scorers = _dot_scorers(classifier.attention, readings, mirror, document, query)
    if weights is None:
        assert scorers[0] is not None
        weights = _scored_weights(scorers[0], readings[0], items)
    projected = parts[0] + parts[1][mirror]
    whole = torch.cat([weights[:, None], weights[:, None] * projected], dim=1)
    return [
        Direction(readings[0], halves[0], parts[1][mirror], scorers[0], whole),
        Direction(readings[1], halves[1], parts[0][mirror], scorers[1], whole[mirror]),
    ]


def _halves(matrix: Float[Tensor, "inner width"]) -> list[Float[Tensor, "size inner"]]:
    """What either direction's half of a state is multiplied by."""
    return [half.t().contiguous() for half in matrix.chunk(2, dim=1)]


def _additive_scorers(
    attention: Additive,
    readings: list[Reading],
    mirror: Tensor,
    document: Tensor,
    query: Float[Tensor, "documents width"] | None,
) -> list[AdditiveScorer]:
    # Added to W h before the tanh: b, and with questions W_q q + b_q of each document.
    offsets: Tensor = attention.hidden.bias
    if isinstance(attention, QuestionAdditive):
        assert query is not None
        offsets = (attention.query(query) + attention.hidden.bias)[document]
    halves = _halves(attention.hidden.weight)
    # An item and its mirror image are of one document.
    rests = [
        (reading.hidden @ half + offsets).index_select(0, mirror)
        for reading, half in zip(readings, halves, strict=True)
    ]
    score = attention.score.weight[0]
    return [AdditiveScorer(halves[0], rests[1], score), AdditiveScorer(halves[1], rests[0], score)]


def _dot_scorers(
    attention: Dot | QuestionDot,
    readings: list[Reading],
    mirror: Tensor,
    document: Tensor,
    query: Float[Tensor, "documents width"] | None,
) -> list[DotScorer]:
    if isinstance(attention, Dot):
        vectors, document = attention.score.weight, torch.zeros_like(mirror)
    else:
        assert query is not None
        vectors = query
    halves = [half.contiguous() for half in (vectors * attention.scale).chunk(2, dim=1)]
    rests = [
        (reading.hidden * half[document]).sum(dim=1).index_select(0, mirror)
        for reading, half in zip(readings, halves, strict=True)
    ]
    return [DotScorer(halves[0], document, rests[1]), DotScorer(halves[1], document, rests[0])]


def _scored_weights(
    scorer: AdditiveScorer | DotScorer, reading: Reading, items: Items
) -> Float[Tensor, " items"]:
    scores = reading.hidden.new_empty(len(reading.hidden))
    every = torch.arange(len(scores), device=scores.device)
    scorer.into(scores, reading.hidden, every)
    return scores.double().exp_() * torch.from_numpy(items.local > 0).to(scores.device)


def _sums_of_whole(direction: Direction, items: Items) -> Float[Tensor, "documents sums"]:
    whole = direction.whole
    sums = whole.new_zeros(len(items.lengths), whole.shape[1])
    return sums.index_add_(0, torch.from_numpy(items.document).to(sums.device), whole)


def _sums_of_rest(direction: Direction, items: Items) -> Float[Tensor, "items sums"]:
    """For every item, the sums over all later items of its document, none of them subtracted."""
    shape = (len(items.lengths), int(items.lengths.max()) + 2, direction.whole.shape[1])
    padded = direction.whole.new_zeros(shape)
    document, local = (torch.from_numpy(x).to(padded.device) for x in (items.document, items.local))
    padded[document, local] = direction.whole
    return padded.flip(1).cumsum(1).flip(1)[document, local + 1]


def _sums_of_changed(
    direction: Direction, items: Items, deleted: NDArray[np.int64], tolerance: float | None
) -> Float[Tensor, "deleted sums"]:
    """Σ weight and Σ weight · projected state over the items that a run reads after each deleted one."""
    runs = Runs(direction, items, deleted)
    rest = None if tolerance is None else _sums_of_rest(direction, items)
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
