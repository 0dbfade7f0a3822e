"""Batches: documents of similar length, padded to the longest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Shaped
from numpy.typing import NDArray
from torch import Tensor

from attnnn.models.documents import END, PADDING, START, EncodedQuestions
from attnnn.tables.ragged import Ragged

# Padded tokens of a batch that is only evaluated: bounds memory on long documents.
EVALUATION_TOKENS = 16_384


@dataclass(frozen=True)
class Batch:
    """Padded documents.

    Attributes:
        token_ids: start symbol, the n tokens, end symbol, padding. Where attention is to sentences, 1 + the
            row of each among `sentences` in place of tokens, 0 elsewhere.
        lengths: n + 2 of each document.
        imposed: attention weights from outside, 0 outside the n tokens; None unless imposed.
        question: the questions, padded by themselves; None unless every document comes with one.
        candidates: True for each class that may be the answer; None where all may be.
        sentences: those of all documents, as documents of their own, the shorter ones first, in batches of
            about one length; empty unless sentences are what attention is to.
    """

    token_ids: Int[Tensor, "batch length"]
    lengths: Int[Tensor, " batch"]
    imposed: Float[Tensor, "batch length"] | None = None
    question: Batch | None = None
    candidates: Bool[Tensor, "batch outputs"] | None = None
    sentences: tuple[Batch, ...] = ()

    @property
    def real(self) -> Bool[Tensor, "batch length"]:
        """True where one of the n items is: attention covers these and nothing else."""
        position = positions(self.token_ids.shape[1], self.lengths)
        return (position >= 1) & (position < self.lengths[:, None] - 1)


def positions(longest: int, lengths: Int[Tensor, " batch"]) -> Int[Tensor, " length"]:
    """0 … longest − 1, where the lengths are."""
    return torch.arange(longest, device=lengths.device)


def make_batch(
    tokens: Ragged,
    *,
    device: torch.device | str = "cpu",
    imposed: Ragged | None = None,
    questions: EncodedQuestions | None = None,
) -> Batch:
    """Pad documents of token ids (without start and end symbols) into one batch."""
    lengths = tokens.lengths
    ids = np.full((len(tokens), int(lengths.max(initial=0)) + 2), PADDING, dtype=np.int64)
    ids[:, 0] = START
    ids[tokens.documents, tokens.positions + 1] = tokens.values
    ids[np.arange(len(tokens)), lengths + 1] = END
    return Batch(
        token_ids=to_device(ids, device),
        lengths=to_device(lengths + 2, device),
        imposed=None if imposed is None else align(imposed, device=device),
        question=None if questions is None else make_batch(questions.tokens, device=device),
        candidates=None if questions is None else _allowed(questions, device),
    )


def make_sentence_batch(
    tokens: Ragged,
    sentences: Ragged,
    *,
    device: torch.device | str = "cpu",
    imposed: Ragged | None = None,
) -> Batch:
    """Pad documents of sentences into one batch.

    Args:
        tokens: token ids of each document.
        sentences: lengths of its sentences.
        device: where the batch is wanted.
        imposed: attention weights of the sentences.
    """
    every = Ragged.from_lengths(tokens.values, sentences.values)
    order = np.argsort(every.lengths, kind="stable")
    row = np.empty(len(order), dtype=np.int64)
    row[order] = np.arange(len(order))
    ids = align(sentences.with_values(row + 1), device=device, dtype=np.int64)
    # Padded to at most √2 times their lengths, in a number of batches that grows with the logarithm of these.
    cuts = np.flatnonzero(np.diff((2 * np.log2(every.lengths[order])).astype(np.int64))) + 1
    return Batch(
        token_ids=ids,
        lengths=to_device(sentences.lengths + 2, device),
        imposed=None if imposed is None else align(imposed, device=device),
        sentences=tuple(
            make_batch(every.take(rows), device=device) for rows in np.split(order, cuts)
        ),
    )


def _allowed(
    questions: EncodedQuestions, device: torch.device | str
) -> Bool[Tensor, "batch outputs"] | None:
    if questions.candidates is None:
        return None
    allowed = np.zeros((len(questions.tokens), questions.classes), dtype=np.bool_)
    allowed[questions.candidates.documents, questions.candidates.values] = True
    return to_device(allowed, device)


def align(
    per_token: Ragged,
    *,
    device: torch.device | str = "cpu",
    dtype: type[np.generic] = np.float32,
) -> Shaped[Tensor, "batch length"]:
    """Lay one value a token, or an item, where `make_batch` lays it; 0 elsewhere."""
    width = int(per_token.lengths.max(initial=0)) + 2
    out = np.zeros((len(per_token), width), dtype=dtype)
    out[per_token.documents, per_token.positions + 1] = per_token.values
    return to_device(out, device)


def to_device(values: NDArray[np.generic], device: torch.device | str) -> Tensor:
    """An array on a device. A GPU copies it from pinned memory, so that nobody waits for its queue."""
    tensor = torch.from_numpy(values)
    if torch.device(device).type == "cuda":
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)


def noisy_length_batches(
    lengths: NDArray[np.int64],
    batch_size: int,
    rng: np.random.Generator,
    *,
    most: int | None = None,
) -> list[NDArray[np.int64]]:
    """Batches of one epoch: documents of about one length together, in random order.

    Each document draws a length within 10 % of its own, documents are sorted by it and cut into
    consecutive batches, and the batches are shuffled (Jain & Wallace's released code; AllenNLP's bucket
    iterator, which Serrano & Smith use, does the same with several lengths).

    Args:
        lengths: shape (documents,): length with start and end symbols; or (lengths, documents), to sort by
            the first and, where that is equal, by the next.
        batch_size: documents in a batch; the last cut may hold fewer.
        rng: source of randomness.
        most: bound on the documents of a batch times their longest (last) length; batches beyond it are cut
            further, down to a single document. None: there is no such bound.
    """
    keys = np.atleast_2d(lengths)
    order = np.lexsort([_noisy(key, rng) for key in keys][::-1])
    batches = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
    if most is not None:
        batches = [part for batch in batches for part in _within(batch, keys[-1][batch], most)]
    return [batches[index] for index in rng.permutation(len(batches))]


def _noisy(lengths: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    low = np.floor(-0.1 * lengths).astype(np.int64)
    high = np.maximum(np.ceil(0.1 * lengths).astype(np.int64), low + 1)
    return np.asarray(lengths + rng.integers(low, high))


def _within(
    batch: NDArray[np.int64], lengths: NDArray[np.int64], most: int
) -> list[NDArray[np.int64]]:
    """A batch cut so that no part is larger than `most`, padded, or it has one document."""
    parts, start, longest = [], 0, 0
    for stop, length in enumerate(lengths.tolist()):
        longest = max(longest, length)
        if stop > start and longest * (stop + 1 - start) > most:
            parts.append(batch[start:stop])
            start, longest = stop, length
    return [*parts, batch[start:]]


def length_sorted_batches(documents: Ragged, *, max_tokens: int) -> list[NDArray[np.int64]]:
    """Batches without randomness: by length, each at most `max_tokens` padded tokens large.

    A document longer than that makes a batch of its own.
    """
    order = np.argsort(documents.lengths, kind="stable")
    batches: list[NDArray[np.int64]] = []
    start = 0
    for stop in range(1, len(order) + 1):
        full = stop == len(order)
        if full or (stop + 1 - start) * (documents.lengths[order[stop]] + 2) > max_tokens:
            batches.append(order[start:stop])
            start = stop
    return batches
