"""Rank correlation between attention and token importance, document by document. No torch here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.measures import kendall_tau, top_k_distance, top_k_of
from attnnn.tables.ragged import Ragged

PAIRS = (
    ("attention", "gradient"),
    ("attention", "leave_one_out"),
    ("gradient", "leave_one_out"),
)


def correlate_pairs(
    document: NDArray[np.int64],
    predicted: NDArray[np.int64],
    per_token: dict[str, Ragged],
    *,
    generator: np.random.Generator,
) -> dict[str, Any]:
    """The columns of the correlation table: how every pair of `PAIRS` agrees in every document.

    Kendall's τ-b with its p-value; the same of shuffled scores, which is what τ looks like where two
    scores have nothing to do with each other; and the distance between the k highest tokens.

    Args:
        document: shape (documents,): their numbers.
        predicted: shape (documents,): predicted classes.
        per_token: attention, gradient and leave_one_out: magnitudes, one for every token.
        generator: source of randomness of the shuffles, one of every document and pair.

    Source: Jain & Wallace 2019, section 4.1 and Table 2; top-k distance: their released code.
    """
    k = top_k_of(next(iter(per_token.values())).lengths)
    rows = {"document": document.tolist(), "predicted": predicted.tolist()}
    rows["class"] = [None] * len(document)
    return joined(
        rows | _agreement({name: per_token[name] for name in pair}, k, generator) for pair in PAIRS
    )


def correlate_classes(
    document: NDArray[np.int64],
    predicted: NDArray[np.int64],
    per_token: dict[str, Ragged],
    by_class: dict[str, Ragged],
    kept: NDArray[np.bool_],
    *,
    k: int,
    generator: np.random.Generator,
) -> dict[str, Any]:
    """The same columns for every score of `per_token` with every score that is about a class.

    Scores about a class are taken as they are, signed: a token that speaks against the class ranks
    below one that does nothing, as in Serrano & Smith's order of erasure. The other score of a pair is a
    magnitude, the same for every class. So of two classes the τ of one is about the τ of the other, negated.

    Args:
        document: shape (documents,): their numbers.
        predicted: shape (documents,): predicted classes.
        per_token: magnitudes, one for every token.
        by_class: other scores of the same tokens, shape (tokens, classes): higher where a token supports
            the class; NaN where the score is not defined.
        kept: shape (documents, classes): which classes get rows, class after class in a document.
        k: of the top-k distance, which `correlate_pairs` takes from all documents.
        generator: source of randomness of the shuffles, one of every document, class and pair.

    Source: Serrano & Smith 2019, section 5.1, for attention × gradient of the predicted class.
    """
    rows, classes = np.nonzero(kept)
    columns = {
        "document": document[rows].tolist(),
        "predicted": predicted[rows].tolist(),
        "class": classes.tolist(),
    }
    magnitudes = {name: score.take(rows) for name, score in per_token.items()}
    parts = []
    for name, score in by_class.items():
        token = score.with_values(np.arange(len(score.values))).take(rows)
        about = token.with_values(score.values[token.values, classes[token.documents]])
        for other, magnitude in magnitudes.items():
            found = _agreement({other: magnitude, name: about}, k, generator)
            parts.append(columns | found)
    return joined(parts)


def joined(parts: Iterable[dict[str, list[Any]]]) -> dict[str, Any]:
    """The rows of some parts of a table, one part after the other."""
    listed = list(parts)
    return {name: [cell for part in listed for cell in part[name]] for name in listed[0]}


def _agreement(
    pair: dict[str, Ragged], k: int, generator: np.random.Generator
) -> dict[str, list[Any]]:
    """What the table says of two scores, by name, of some documents."""
    x, y = pair.values()
    tau, p_value = kendall_tau(x, y)
    tau_shuffled, p_value_shuffled = kendall_tau(x, shuffled(y, generator))
    return {
        "pair": ["~".join(pair)] * len(tau),
        "tokens": x.lengths.tolist(),
        "tau": _null_for_nan(tau),
        "p_value": _null_for_nan(p_value),
        "tau_shuffled": _null_for_nan(tau_shuffled),
        "p_value_shuffled": _null_for_nan(p_value_shuffled),
        "top_k_distance": _null_for_nan(top_k_distance(x, y, k)),
        "excluded": reasons(pair, tau),
    }


def shuffled(values: Ragged, generator: np.random.Generator) -> Ragged:
    """The values of each document in an order drawn uniformly at random."""
    order = np.lexsort((generator.random(len(values.values)), values.documents))
    return values.with_values(values.values[order])


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
