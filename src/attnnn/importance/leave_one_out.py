"""Leave-one-out: how the probability changes when a token is deleted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from attnnn.importance.prefix_sharing import by_prefix_sharing, shares_prefixes
from attnnn.importance.rejoining import rejoining_tokens
from attnnn.importance.windows import by_windows
from attnnn.models.attention import Without
from attnnn.models.batches import EVALUATION_TOKENS, length_sorted_batches, make_batch
from attnnn.models.classifier import Classifier
from attnnn.models.encoders import Average, Cnn
from attnnn.ragged import Ragged


def leave_one_out(
    classifier: Classifier,
    tokens: Ragged,
    *,
    imposed: Ragged | None = None,
    rejoin_from: int | None = None,
    tolerance: float = 1e-5,
    max_tokens: int = EVALUATION_TOKENS,
) -> Ragged:
    """Signed change p(x without token i) − p(x) of the probability of class 1, for every token i.

    The token is deleted from the document, and the whole model reads what is left: attention is
    computed anew; uniform attention becomes 1/(n−1); imposed attention is what is left of it, divided by
    its sum. A token-level encoder's states do not change, so its result is had without a rerun; the
    CNN and the BiLSTM read only what the deletion changes.

    Args:
        classifier: a trained classifier; works on the device and in the precision that it has.
        tokens: ids of the n tokens of each document, without start and end symbols.
        imposed: attention weights for a classifier with imposed attention.
        rejoin_from: in documents of so many tokens or more, the BiLSTM's runs without a token stop once
            their states are the whole document's again. None: every run reads to the end.
        tolerance: largest difference of any element of the states h and c at which they are.
        max_tokens: tokens of a batch, which bounds memory.

    Returns:
        One number for every token, between −1 and 1. NaN where nothing is left to read: the token of a
        one-token document, or the only token with any imposed attention.

    Source: Jain & Wallace 2019, section 4.1 (their released code computes |·| of this).
    """
    if isinstance(classifier.attention, Without):
        return by_deletion(classifier, tokens, max_tokens=max_tokens)
    if isinstance(classifier.encoder, Average):
        return _by_renormalising(classifier, tokens, imposed=imposed, max_tokens=max_tokens)
    if isinstance(classifier.encoder, Cnn):
        return by_windows(classifier, tokens, imposed=imposed, max_tokens=max_tokens)
    if not shares_prefixes(classifier):
        return by_deletion(classifier, tokens, imposed=imposed, max_tokens=max_tokens)
    share = partial(by_prefix_sharing, classifier, tokens, imposed=imposed, max_tokens=max_tokens)
    rejoining = rejoining_tokens(tokens, rejoin_from)
    found = share(deleted=~rejoining).values
    found[rejoining] = share(deleted=rejoining, tolerance=tolerance).values[rejoining]
    return tokens.with_values(found)


@torch.inference_mode()
def by_deletion(
    classifier: Classifier,
    tokens: Ragged,
    *,
    imposed: Ragged | None = None,
    max_tokens: int = EVALUATION_TOKENS,
) -> Ragged:
    """`leave_one_out` by running the model on every shortened document, for any encoder.

    The plain algorithm: what faster ways are held against.
    """
    whole = np.zeros(len(tokens))
    for rows in length_sorted_batches(tokens, max_tokens=max_tokens):
        given = None if imposed is None else imposed.take(rows)
        whole[rows] = _probabilities(classifier, tokens.take(rows), given)
    shortened = np.full(len(tokens.values), np.nan)
    documents = tokens.documents
    batches = list(_deletion_batches(tokens, max_tokens))
    for deleted in tqdm(batches, desc="leave-one-out", unit="batch", disable=None, leave=False):
        rest = _without(tokens, deleted)
        given = None
        if imposed is not None:
            given = _normalised(rest.with_values(imposed.values[rest.values]))
        variants = rest.with_values(tokens.values[rest.values])
        shortened[deleted] = _probabilities(classifier, variants, given)
    return tokens.with_values(shortened - whole[documents])


@torch.inference_mode()
def _by_renormalising(
    classifier: Classifier,
    tokens: Ragged,
    *,
    imposed: Ragged | None,
    max_tokens: int,
) -> Ragged:
    """`leave_one_out` of an encoder that reads each token alone: only attention changes."""
    device = classifier.decoder.weight.device
    found = np.zeros(len(tokens.values))
    for rows in length_sorted_batches(tokens, max_tokens=max_tokens):
        part = tokens.take(rows)
        given = None if imposed is None else imposed.take(rows)
        output = classifier(make_batch(part, device=device, imposed=given))
        log_attention = output.log_attention.double()
        weight = (log_attention - log_attention.amax(dim=-1, keepdim=True)).exp()
        rest = _sum_of_others(weight * output.contribution.double()) / _sum_of_others(weight)
        bias = classifier.decoder.bias.double()
        change = (rest + bias).sigmoid() - output.logit.double().sigmoid()[:, None]
        here = tokens.offsets[rows][part.documents] + part.positions
        found[here] = change.cpu().numpy()[part.documents, part.positions + 1]
    return tokens.with_values(found)


def _sum_of_others(values: Float[Tensor, "batch length"]) -> Float[Tensor, "batch length"]:
    """Sum over all other positions, without subtracting what may be nearly all of it."""
    before = values.cumsum(dim=1).roll(1, dims=1)
    after = values.flip(1).cumsum(dim=1).roll(1, dims=1)
    before[:, 0] = 0
    after[:, 0] = 0
    return before + after.flip(1)


def _probabilities(
    classifier: Classifier, tokens: Ragged, imposed: Ragged | None
) -> NDArray[np.float64]:
    batch = make_batch(tokens, device=classifier.decoder.weight.device, imposed=imposed)
    probability: NDArray[np.float64] = classifier(batch).logit.double().sigmoid().cpu().numpy()
    return probability


def _deletion_batches(tokens: Ragged, max_tokens: int) -> Iterator[NDArray[np.int64]]:
    """Flat indices of tokens to delete, those of documents of about one length together.

    A batch holds at most `max_tokens` padded tokens, but one shortened document at least.
    """
    lengths = tokens.lengths[tokens.documents]
    order = np.argsort(lengths, kind="stable")
    order = order[np.searchsorted(lengths[order], 2) :]
    padded = lengths[order] - 1 + 2
    start = 0
    while start < len(order):
        longest = padded[start : start + max(1, max_tokens // padded[start])]
        size = np.arange(1, len(longest) + 1) * longest
        stop = start + max(1, int(np.searchsorted(size, max_tokens, side="right")))
        yield order[start:stop]
        start = stop


def _without(tokens: Ragged, deleted: NDArray[np.int64]) -> Ragged:
    """For each token to delete, the flat indices of the other tokens of its document."""
    document = tokens.documents[deleted]
    kept, first = tokens.lengths[document] - 1, tokens.offsets[document]
    shape = Ragged.from_lengths(np.zeros(kept.sum()), kept)
    source = first[shape.documents] + shape.positions
    return shape.with_values(source + (source >= deleted[shape.documents]))


def _normalised(weights: Ragged) -> Ragged:
    with np.errstate(invalid="ignore"):
        share = weights.values.astype(np.float64) / weights.sums()[weights.documents]
    return weights.with_values(share)
