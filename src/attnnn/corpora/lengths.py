"""Which documents are kept, by their number of tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attnnn.corpora.texts import SPLITS, Dropped, Texts, counted_by_split
from attnnn.errors import UserError


def kept_documents(
    documents: Texts,
    lengths: NDArray[np.int64],
    asked: NDArray[np.int64] | None,
    *,
    min_length: int | None,
    max_length: int | None,
    strict: bool,
) -> tuple[NDArray[np.bool_], list[Dropped]]:
    """Which documents are kept, and what is left out of which split.

    Single texts pass through `length_filter`, and one without tokens is an error. Pairs pass through it
    only if a bound is given (the released code of Jain & Wallace 2019 does not filter pairs); those
    without tokens on one side are counted and left out, as users cannot correct published corpora.

    Args:
        documents: all of them.
        lengths: shape (documents,): n, the tokens of each document.
        asked: shape (documents,): the tokens of each question; None for single texts.
        min_length: lower bound of n.
        max_length: upper bound of n.
        strict: switch strict_length_filter.

    Raises:
        UserError: a single text without tokens, which is named.
    """
    if asked is not None and min_length is None and max_length is None:
        strict = False
    keep, dropped = length_filter(
        lengths, documents.splits, min_length=min_length, max_length=max_length, strict=strict
    )
    if asked is None:
        require_tokens(lengths, keep, documents.places)
        return keep, dropped
    for reason, empty in (
        ("no token in the document", lengths == 0),
        ("no token in the question or hypothesis", asked == 0),
    ):
        dropped += counted_by_split(documents.splits, empty & keep, reason)
        keep = keep & ~empty
    return keep, dropped


def length_filter(
    lengths: NDArray[np.int64],
    splits: NDArray[np.str_],
    *,
    min_length: int | None,
    max_length: int | None,
    strict: bool,
) -> tuple[NDArray[np.bool_], list[Dropped]]:
    """Which documents are kept, by their number of tokens n, and what is dropped from which split.

    The strict filter keeps min_length < n < max_length. A missing bound is the split's own extreme, so
    the shortest and longest documents are always dropped (Jain & Wallace 2019, released code). The other
    filter keeps min_length <= n <= max_length, and a missing bound drops nothing.

    Args:
        lengths: shape (documents,): n.
        splits: shape (documents,).
        min_length: lower bound.
        max_length: upper bound.
        strict: switch strict_length_filter.
    """
    keep = np.ones(len(lengths), dtype=np.bool_)
    dropped = []
    for members in (splits == split for split in SPLITS if split in splits):
        for reason, gone in _out_of_bounds(lengths, members, min_length, max_length, strict):
            dropped += counted_by_split(splits, gone & members & keep, reason)
            keep &= ~(gone & members)
    return keep, dropped


def _out_of_bounds(
    lengths: NDArray[np.int64],
    members: NDArray[np.bool_],
    low: int | None,
    high: int | None,
    strict: bool,
) -> list[tuple[str, NDArray[np.bool_]]]:
    if not strict:
        return [
            (f"fewer than {low} tokens", lengths < (0 if low is None else low)),
            (f"more than {high} tokens", lengths > (lengths.max() if high is None else high)),
        ]
    own_low, own_high = int(lengths[members].min()), int(lengths[members].max())
    at_most = f"at most {low} tokens" if low is not None else f"shortest of the split ({own_low})"
    at_least = (
        f"at least {high} tokens" if high is not None else f"longest of the split ({own_high})"
    )
    return [
        (f"{at_most} (strict filter)", lengths <= (own_low if low is None else low)),
        (f"{at_least} (strict filter)", lengths >= (own_high if high is None else high)),
    ]


def require_tokens(
    lengths: NDArray[np.int64], keep: NDArray[np.bool_], places: Sequence[str]
) -> None:
    """Refuse a document without tokens, unless the length filter has dropped it.

    Raises:
        UserError: the first such document is named.
    """
    empty = np.flatnonzero((lengths == 0) & keep)
    if len(empty):
        raise UserError(
            f"{places[empty[0]]}: expected at least one token after tokenising, found none "
            f"({len(empty)} such documents); remove them, choose another tokenizer or set min_length: 1"
        )
