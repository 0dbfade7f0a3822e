"""The single weights that are erased, each against random others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attnnn.erasure.blocks import Ints
from attnnn.erasure.rankings import RANKINGS, parts
from attnnn.erasure.reasons import Reason, untestable
from attnnn.erasure.single_weight import Among, Erased, erase_each, random_others, ranked
from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged

# By name: a ranking, and the place in it, from 0, of the token that is erased.
CHOICES = {
    "highest": ("attention", 0),
    "second_highest": ("attention", 1),
    "lowest": ("ascending_attention", 0),
    "second_lowest": ("ascending_attention", 1),
    "gradient": ("gradient", 0),
    "attention_gradient": ("attention_gradient", 0),
    "contribution": ("contribution", 0),
}


class SingleWeight(NamedTuple):
    """What erasing one weight of each document does, and what erasing random others of it does.

    Attributes:
        chosen: m = 1.
        others: m = draws.
    """

    chosen: Erased
    others: Erased


def single_weights(
    attention: Ragged,
    readout: Readout,
    *,
    generator: np.random.Generator,
    draws: int = 5,
    among: Among = "others",
    erase_all: bool = False,
) -> dict[str, SingleWeight]:
    """Erase one weight of each document, by every rule of choosing it, in bounded memory.

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.
        generator: of the others. Every rule has the same draws: with ``positions`` the same tokens, as in the
            released code, otherwise the same but for leaving out the chosen one.
        draws: others of each document.
        among: as for `random_others`.
        erase_all: as for `erase_each`.

    Returns:
        By name of the rule, those of `CHOICES`.

    Source: Serrano & Smith 2019, section 4; released code. The rule ``contribution`` is not in the paper.
    """
    position = _positions(attention, readout, erase_all=erase_all)
    seed = int(generator.integers(1 << 62))
    others = {}
    for name, chosen in position.items():
        generator = np.random.default_rng(seed)
        others[name] = random_others(chosen, attention.lengths, generator, draws=draws, among=among)
        # Where the rule chooses none, there is nothing to compare with.
        others[name][chosen[:, 0] < 0] = -1
    one = erase_each(attention, readout, position, erase_all=erase_all)
    other = erase_each(attention, readout, others, erase_all=erase_all)
    return {name: SingleWeight(one[name], other[name]) for name in position}


def _positions(attention: Ragged, readout: Readout, *, erase_all: bool) -> dict[str, Ints]:
    """The chosen position of each document by name of the rule, shape (documents, 1); -1 for none."""
    reason = untestable(attention, readout, erase_all=erase_all)
    found = {name: np.full((len(attention), 1), -1, dtype=np.int64) for name in CHOICES}
    for rows, own, after in parts(attention, readout, np.flatnonzero(reason == Reason.NONE)):
        scores = {name: rank(own, after) for name, rank in RANKINGS.items()}
        for name, (ranking, place) in CHOICES.items():
            found[name][rows] = ranked(scores[ranking], place)
    return found
