"""The rankings whose order attention weights are erased in, and all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from attnnn.erasure.class_scores import (
    class_contributions,
    decision_gradient,
    of_class,
    predicted_classes,
    weighted,
)
from attnnn.erasure.flips import Flips, first_flips
from attnnn.erasure.reasons import Reason, untestable
from attnnn.erasure.smallest import smallest_flips
from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged, blocks

# Numbers of projected states in a part of the documents, which bounds memory.
_PART = 1 << 22

SMALLEST = "smallest"
RANDOM = "random"


def contribution(attention: Ragged, readout: Readout) -> Ragged:
    """α_t (s_t^y − mean of the others): what a token adds to the predicted class's logit against them.

    NaN where the readout is not linear: such logits are no sum over tokens.
    """
    if not readout.linear:
        return attention.with_values(np.full(len(attention.values), np.nan))
    predicted = predicted_classes(attention, readout)
    return weighted(attention, of_class(class_contributions(readout), predicted))


# By name, the highest score erased first. Random, given and smallest ones are added below.
RANKINGS: dict[str, Callable[[Ragged, Readout], Ragged]] = {
    "attention": lambda attention, _: attention,
    "gradient": decision_gradient,
    "attention_gradient": lambda attention, readout: weighted(
        attention, decision_gradient(attention, readout)
    ),
    "contribution": contribution,
    "ascending_attention": lambda attention, _: attention.with_values(
        np.negative(attention.values)
    ),
}


def random_score(like: Ragged, generator: np.random.Generator) -> Ragged:
    """A score whose order is random, each order equally likely; one draw per token, in their order."""
    return like.with_values(generator.random(len(like.values)))


def ranking_flips(
    attention: Ragged,
    readout: Readout,
    *,
    generator: np.random.Generator,
    given: Mapping[str, Ragged] | None = None,
    erase_all: bool = False,
) -> dict[str, Flips]:
    """First flips of every ranking, and of the smallest set, in memory that is bounded but for the results.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.
        generator: of the random ranking; one draw per token, in their order.
        given: other scores of the tokens, the highest erased first: leave-one-out, or a planted truth.
        erase_all: as for `first_flips`.

    Returns:
        By name: ``random``, those of `RANKINGS`, the given ones, ``smallest``.

    Raises:
        ValueError: a given score has the name of another.

    Source: Serrano & Smith 2019, section 5; contribution, leave-one-out and smallest are not in the paper.
    """
    given = given or {}
    if taken := {RANDOM, SMALLEST, *RANKINGS} & set(given):
        raise ValueError(f"expected scores under names of their own, found {sorted(taken)}")
    drawn = random_score(attention, generator)
    reason = untestable(attention, readout, erase_all=erase_all)
    names = (RANDOM, *RANKINGS, *given, SMALLEST)
    found = {name: Flips.none(reason) for name in names}
    for rows, own, after in parts(attention, readout, np.flatnonzero(reason == Reason.NONE)):
        scores = {name: rank(own, after) for name, rank in RANKINGS.items()}
        others = {name: score.take(rows) for name, score in {RANDOM: drawn, **given}.items()}
        flips = first_flips(own, after, others | scores, erase_all=erase_all)
        flips[SMALLEST] = smallest_flips(own, after, erase_all=erase_all)
        for name in names:
            _copy(flips[name], found[name], rows)
    return found


def parts(
    attention: Ragged, readout: Readout, documents: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], Ragged, Readout]]:
    """Some of the given documents at a time, in order: which, their attention and their readout."""
    width = max(readout.projected.values.shape[1], readout.classes)
    for part in blocks(attention.lengths[documents], max(1, _PART // width)):
        rows = documents[part]
        yield rows, attention.take(rows), readout.take(rows)


def _copy(part: Flips, whole: Flips, rows: NDArray[np.int64]) -> None:
    for field in fields(Flips):
        getattr(whole, field.name)[rows] = getattr(part, field.name)
