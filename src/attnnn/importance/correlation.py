"""Rank correlation between attention and token importance, document by document. No torch here."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.measures import kendall_tau
from attnnn.ragged import Ragged

PAIRS = (
    ("attention", "gradient"),
    ("attention", "leave_one_out"),
    ("gradient", "leave_one_out"),
)


def correlate_pairs(
    document: NDArray[np.int64], predicted: NDArray[np.int64], per_token: dict[str, Ragged]
) -> dict[str, Any]:
    """The columns of the correlation table: Kendall's τ-b of every document and every one of `PAIRS`.

    Args:
        document: shape (documents,): their numbers.
        predicted: shape (documents,): predicted classes.
        per_token: attention, gradient and leave_one_out: magnitudes, one for every token.

    Source: Jain & Wallace 2019, section 4.1 and Table 2.
    """
    columns: dict[str, list[Any]] = {
        name: []
        for name in ("document", "predicted", "pair", "tokens", "tau", "p_value", "excluded")
    }
    for first, second in PAIRS:
        x, y = per_token[first], per_token[second]
        tau, p_value = kendall_tau(x, y)
        columns["document"].extend(document.tolist())
        columns["predicted"].extend(predicted.tolist())
        columns["pair"].extend([f"{first}~{second}"] * len(document))
        columns["tokens"].extend(x.lengths.tolist())
        columns["tau"].extend(_null_for_nan(tau))
        columns["p_value"].extend(_null_for_nan(p_value))
        columns["excluded"].extend(reasons({first: x, second: y}, tau))
    return columns


def reasons(pair: dict[str, Ragged], tau: NDArray[np.float64]) -> list[str | None]:
    """Why each undefined τ is undefined; None where it is defined.

    Args:
        pair: the two values that were correlated, by name.
        tau: shape (documents,).

    Returns:
        ``one token``, or for each vector to blame ``constant NAME`` or ``undefined NAME``.
    """
    found: list[str | None] = [None] * len(tau)
    for row in np.flatnonzero(np.isnan(tau)):
        vectors = {name: values[int(row)] for name, values in pair.items()}
        if any(len(vector) < 2 for vector in vectors.values()):
            found[row] = "one token"
            continue
        faults = [(name, _fault(vector)) for name, vector in vectors.items()]
        found[row] = ", ".join(f"{fault} {name}" for name, fault in faults if fault)
    return found


def _fault(vector: NDArray[np.generic]) -> str | None:
    if np.isnan(vector).any():
        return "undefined"
    return "constant" if (vector == vector[0]).all() else None


def _null_for_nan(values: NDArray[np.float64]) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]
