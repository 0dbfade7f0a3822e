"""Leave-one-out: how the probability changes when a token is deleted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Protocol

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from attnnn.importance.prefix_sharing import by_prefix_sharing, shares_prefixes
from attnnn.importance.rejoining import rejoining_tokens
from attnnn.importance.scores import Importance, changes_of
from attnnn.importance.windows import by_windows
from attnnn.models.attention import NoAttention
from attnnn.models.batches import EVALUATION_TOKENS
from attnnn.models.classifier import Classifier, probabilities
from attnnn.models.encoders import Average, Cnn
from attnnn.models.inputs import Inputs
from attnnn.tables.ragged import Ragged


class Method(Protocol):
    """A way to leave tokens out: what `leave_one_out` chooses among."""

    def __call__(  # noqa: D102
        self,
        classifier: Classifier,
        inputs: Inputs,
        /,
        *,
        max_tokens: int,
    ) -> Importance: ...


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
    its sum. A token-level encoder's states do not change, so its result is had without a rerun; the
    CNN and the BiLSTM read only what the deletion changes.

    Args:
        classifier: a trained classifier; works on the device and in the precision that it has.
        inputs: the documents. Questions stay as they are and are read once.
        rejoin_from: in documents of so many tokens or more, the BiLSTM's runs without a token stop once
            their states are the whole document's again. None: every run reads to the end.
        tolerance: largest difference of any element of the states h and c at which they are.
        max_tokens: tokens of a batch, which bounds memory.

    Returns:
        Numbers between −1 and 1 (magnitudes of several classes: up to 2). NaN where nothing is left to
        read: the token of a one-token document, or the only token with any imposed attention.

    Source: Jain & Wallace 2019, section 4.1 (their released code computes |·| of this).
    """
    method: Method = by_deletion
    if isinstance(classifier.encoder, Average):
        method = _by_renormalising
    elif isinstance(classifier.encoder, Cnn):
        method = by_windows
    elif shares_prefixes(classifier):
        method = partial(_by_sharing, rejoin_from=rejoin_from, tolerance=tolerance)
    if isinstance(classifier.attention, NoAttention):
        method = by_deletion
    return method(classifier, inputs, max_tokens=max_tokens)


def _by_sharing(
    classifier: Classifier,
    inputs: Inputs,
    *,
    max_tokens: int,
    rejoin_from: int | None,
    tolerance: float,
) -> Importance:
    share = partial(by_prefix_sharing, classifier, inputs, max_tokens=max_tokens)
    rejoining = rejoining_tokens(inputs.tokens, rejoin_from)
    found = share(deleted=~rejoining)
    if rejoining.any():
        rejoined = share(deleted=rejoining, tolerance=tolerance)
        for scores, others in zip(found, rejoined, strict=True):
            scores.values[rejoining] = others.values[rejoining]
    return found


@torch.inference_mode()
def by_deletion(
    classifier: Classifier, inputs: Inputs, *, max_tokens: int = EVALUATION_TOKENS
) -> Importance:
    """`leave_one_out` by running the model on every shortened document, for any encoder.

    The plain algorithm: what faster ways are held against.
    """
    tokens = inputs.tokens
    whole, queries = _read_whole(classifier, inputs, max_tokens)
    found = np.full((len(tokens.values), 2), np.nan)
    batches = list(_deletion_batches(tokens, max_tokens))
    for deleted in tqdm(batches, desc="leave-one-out", unit="batch", disable=None, leave=False):
        rest = _without(tokens, deleted)
        imposed = inputs.imposed
        if imposed is not None:
            imposed = _normalised(rest.with_values(imposed.values[rest.values]))
        rows = tokens.documents[deleted]
        questions = None if inputs.questions is None else inputs.questions.take(rows)
        shortened = Inputs(rest.with_values(tokens.values[rest.values]), imposed, questions)
        batch = shortened.batch(classifier.device)
        own = torch.from_numpy(rows).to(classifier.device)
        query = None if queries is None else queries[own]
        after = probabilities(classifier(batch, query=query).logits.double())
        found[deleted] = changes_of(whole[own], after).cpu().numpy()
    return Importance.of_changes(tokens, found)


def _read_whole(
    classifier: Classifier, inputs: Inputs, max_tokens: int
) -> tuple[Float[Tensor, "documents outputs"], Float[Tensor, "documents width"] | None]:
    """Probabilities of whole documents, and what their questions say."""
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


@torch.inference_mode()
def _by_renormalising(classifier: Classifier, inputs: Inputs, *, max_tokens: int) -> Importance:
    """`leave_one_out` of an encoder that reads each token alone: only attention changes."""
    found = np.zeros((len(inputs.tokens.values), 2))
    for part, batch in inputs.batches(classifier.device, max_tokens):
        query = classifier.read_questions(batch)
        output = classifier(batch, query=query)
        log_attention = output.log_attention.double()
        weight = (log_attention - log_attention.amax(dim=-1, keepdim=True)).exp()[..., None]
        context = _sum_of_others(weight * output.projected.double()) / _sum_of_others(weight)
        own = torch.from_numpy(part.cells[0]).to(classifier.device)
        after = classifier.decide(context[part.cells], batch, query, own)
        before = probabilities(output.logits.double())[own]
        part.scatter(changes_of(before, after).cpu().numpy(), found)
    return Importance.of_changes(inputs.tokens, found)


def _sum_of_others(
    values: Float[Tensor, "batch length projection"],
) -> Float[Tensor, "batch length projection"]:
    """Sum over all other positions, without subtracting what may be nearly all of it."""
    before = values.cumsum(dim=1).roll(1, dims=1)
    after = values.flip(1).cumsum(dim=1).roll(1, dims=1)
    before[:, 0] = 0
    after[:, 0] = 0
    return before + after.flip(1)


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
