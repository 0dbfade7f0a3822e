"""What a per-instance adversary achieves, its ε-max JSD, in numpy alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.measures import jensen_shannon_divergence
from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged


@dataclass(frozen=True)
class Outcome:
    """One attention vector per document, compared with the model's own.

    Attributes:
        attention: these vectors.
        jsd: shape (documents,): their divergence from the model's attention, nats.
        probability: shape (documents,): probability of class 1 under them; for more than two classes, of the
            class predicted under the model's own attention.
        change: shape (documents,): |Δp|; for more than two classes, the total variation distance.
    """

    attention: Ragged
    jsd: NDArray[np.float64]
    probability: NDArray[np.float64]
    change: NDArray[np.float64]

    @classmethod
    def of(cls, attention: Ragged, own: Ragged, readout: Readout) -> Outcome:
        """The outcome of attending by `attention` instead of by `own`, computed in double precision."""
        jsd = jensen_shannon_divergence(attention, own)
        explained = readout.explained(attention, own)
        return cls(attention, jsd, explained, readout.change(attention, own))


def best_of(
    candidates: list[Outcome], own: Outcome, epsilon: float
) -> tuple[Outcome, NDArray[np.bool_]]:
    """For each document, the candidate of largest JSD with |Δp| ≤ ε; the model's own if there is none.

    Args:
        candidates: attention vectors of the same documents.
        own: the model's attention, JSD 0 and |Δp| 0.
        epsilon: the largest allowed |Δp|.

    Returns:
        The chosen vectors, and whether any candidate was feasible, shape (documents,).

    Source: Jain & Wallace 2019, section 4.2.2 (ε-max JSD).
    """
    jsd = np.stack([np.where(c.change <= epsilon, c.jsd, -np.inf) for c in candidates])
    found = np.isfinite(jsd).any(axis=0)
    # The model's own attention is the last candidate.
    choice = np.where(found, jsd.argmax(axis=0), len(candidates))
    everyone = [*candidates, own]
    rows = np.arange(len(choice))

    def chosen(values: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        return np.asarray(np.stack(values)[choice, rows])

    per_token = np.stack([candidate.attention.values for candidate in everyone])
    tokens = np.arange(per_token.shape[1])
    attention = own.attention.with_values(per_token[choice[own.attention.documents], tokens])
    return Outcome(
        attention,
        chosen([candidate.jsd for candidate in everyone]),
        chosen([candidate.probability for candidate in everyone]),
        chosen([candidate.change for candidate in everyone]),
    ), found
