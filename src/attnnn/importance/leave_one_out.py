"""Leave-one-out: how the probability changes when a token is deleted.

`leave_one_out` chooses among ways that give the same numbers, by what the encoder's states depend on:

- `by_deletion`, for any encoder: the model reads every shortened document;
- `by_renormalising`, where a state depends on its token alone: only attention changes;
- `neighbours`, for convolutions: only the states near the deleted token change;
- `shared_prefixes`, for the BiLSTM: each direction's states change on one side only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from attnnn.importance.neighbours import by_neighbours
from attnnn.importance.rejoining import by_rejoining
from attnnn.importance.scores import Importance, changes_of
from attnnn.importance.shared_prefixes import shares_prefixes
from attnnn.models.batches import EVALUATION_TOKENS
from attnnn.models.classifier import Classifier, probabilities
from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged


def leave_one_out(
    classifier: Classifier,
    inputs: Inputs,
    *,
    rejoin_from: int | None = None,
    tolerance: float = 1e-5,
    max_tokens: int = EVALUATION_TOKENS,
) -> Importance:
    """Change p(x without token i) − p(x) of the probability of class 1, for every token i.

    The token is deleted from the document, and the whole model reads what is left: attention is
    computed anew; uniform attention becomes 1/(n−1); imposed attention is what is left of it, divided by
    its sum. A question stays as it is. In a hierarchical model, sentences are deleted instead of tokens.

    Args:
        classifier: a trained classifier; works on the device and in the precision that it has.
        inputs: the documents.
        rejoin_from: in documents of this many tokens or more, the BiLSTM's runs without a token stop once
            their states equal the whole document's again. None: every run reads to the end.
        tolerance: largest difference of any element of the states h and c that counts as equal.
        max_tokens: tokens per batch, which bounds memory.

    Returns:
        Numbers between −1 and 1 (magnitudes with more than two classes: up to 2). NaN where nothing is left
        to read: the token of a one-token document, or the only token with any imposed attention.

    Source: Jain & Wallace 2019, section 4.1 (their released code computes |·| of this).
    """
    reads = classifier.encoder.reads
    if classifier.attends and reads == "token":
        return by_renormalising(classifier, inputs, max_tokens=max_tokens)
    if classifier.attends and reads == "neighbours":
        return by_neighbours(classifier, inputs, max_tokens=max_tokens)
    if shares_prefixes(classifier):
        return by_rejoining(
            classifier,
            inputs,
            rejoin_from=rejoin_from,
            tolerance=tolerance,
            max_tokens=max_tokens,
        )
    return by_deletion(classifier, inputs, max_tokens=max_tokens)


@torch.inference_mode()
def by_deletion(
    classifier: Classifier, inputs: Inputs, *, max_tokens: int = EVALUATION_TOKENS
) -> Importance:
    """`leave_one_out` by running the model on every shortened document, for any encoder.

    The plain algorithm, which the faster ways are tested against.
    """
    items = inputs.items
    whole, queries = _read_whole(classifier, inputs, max_tokens)
    found = np.full((len(items.values), 2), np.nan)
    batches = list(_deletion_batches(inputs, max_tokens))
    for deleted in tqdm(batches, desc="leave-one-out", unit="batch", disable=None, leave=False):
        batch = _without(inputs, deleted).batch(classifier.device)
        own = torch.from_numpy(items.documents[deleted]).to(classifier.device)
        query = None if queries is None else queries[own]
        after = probabilities(classifier(batch, query=query).logits.double())
        found[deleted] = changes_of(whole[own], after).cpu().numpy()
    return Importance.of_changes(items, found)


def _read_whole(
    classifier: Classifier, inputs: Inputs, max_tokens: int
) -> tuple[Float[Tensor, "documents outputs"], Float[Tensor, "documents width"] | None]:
    """Probabilities of whole documents, and the final states of their questions' encoder."""
    like = classifier.embedding.weight
    whole = like.new_zeros((len(inputs), classifier.outputs), dtype=torch.float64)
    queries = like.new_zeros((len(inputs), classifier.encoder.width))
    for part, batch in inputs.batches(classifier.device, max_tokens):
        query = classifier.read_questions(batch)
        here = torch.from_numpy(part.rows).to(classifier.device)
        whole[here] = probabilities(classifier(batch, query=query).logits.double())
        if query is not None:
            queries[here] = query
    return whole, None if inputs.questions is None else queries


def _deletion_batches(inputs: Inputs, max_tokens: int) -> Iterator[NDArray[np.int64]]:
    """Flat indices of items to delete, those of documents of similar length together.

    A batch holds at most `max_tokens` padded tokens, but at least one shortened document.
    """
    items = inputs.items
    lengths = inputs.tokens.lengths[items.documents]
    order = np.argsort(lengths, kind="stable")
    order = order[items.lengths[items.documents[order]] >= 2]
    padded = lengths[order] - 1 + 2
    start = 0
    while start < len(order):
        longest = padded[start : start + max(1, max_tokens // padded[start])]
        size = np.arange(1, len(longest) + 1) * longest
        stop = start + max(1, int(np.searchsorted(size, max_tokens, side="right")))
        yield order[start:stop]
        start = stop


def _without(inputs: Inputs, deleted: NDArray[np.int64]) -> Inputs:
    """For each item to delete, by its flat index, its document without it."""
    if inputs.sentences is not None:
        return _without_sentence(inputs, inputs.sentences, deleted)
    tokens = inputs.tokens
    document = tokens.documents[deleted]
    kept, first = tokens.lengths[document] - 1, tokens.offsets[document]
    rest = Ragged.from_lengths(np.zeros(kept.sum()), kept)
    source = first[rest.documents] + rest.positions
    source += source >= deleted[rest.documents]
    imposed = inputs.imposed
    return replace(
        inputs.take(document),
        tokens=rest.with_values(tokens.values[source]),
        imposed=None if imposed is None else _normalised(rest.with_values(imposed.values[source])),
    )


def _without_sentence(inputs: Inputs, sentences: Ragged, deleted: NDArray[np.int64]) -> Inputs:
    document = sentences.documents[deleted]
    whole, lengths = inputs.tokens.take(document), sentences.take(document)
    kept = lengths.positions != (deleted - sentences.offsets[document])[lengths.documents]
    left = Ragged.from_lengths(lengths.values[kept], lengths.lengths - 1)
    tokens = whole.values[np.repeat(kept, lengths.values.astype(np.int64))]
    weights = None if inputs.imposed is None else inputs.imposed.take(document).values[kept]
    return Inputs(
        Ragged.from_lengths(tokens, left.sums()),
        imposed=None if weights is None else _normalised(left.with_values(weights)),
        sentences=left,
    )


def _normalised(weights: Ragged) -> Ragged:
    with np.errstate(invalid="ignore"):
        share = weights.values.astype(np.float64) / weights.sums()[weights.documents]
    return weights.with_values(share)


@torch.inference_mode()
def by_renormalising(
    classifier: Classifier, inputs: Inputs, *, max_tokens: int = EVALUATION_TOKENS
) -> Importance:
    """`leave_one_out` of an encoder that reads each token alone: states stay, only attention changes."""
    found = np.zeros((len(inputs.items.values), 2))
    for part, batch in inputs.batches(classifier.device, max_tokens):
        query, real = classifier.read_questions(batch), batch.real
        output = classifier(batch, query=query)
        log_attention = output.log_attention.double()
        weight = (log_attention - log_attention.amax(dim=-1, keepdim=True)).exp()[..., None]
        context = _sum_of_others(weight * output.projected.double()) / _sum_of_others(weight)
        own = real.nonzero()[:, 0]
        after = classifier.decide(context[real], batch, query, own)
        before = probabilities(output.logits.double())[own]
        part.scatter(changes_of(before, after).cpu().numpy(), found)
    return Importance.of_changes(inputs.items, found)


def _sum_of_others(
    values: Float[Tensor, "batch length inner"],
) -> Float[Tensor, "batch length inner"]:
    """Sum over all other positions, without subtracting what may be nearly all of it."""
    before = values.cumsum(dim=1).roll(1, dims=1)
    after = values.flip(1).cumsum(dim=1).roll(1, dims=1)
    before[:, 0] = 0
    after[:, 0] = 0
    return before + after.flip(1)
