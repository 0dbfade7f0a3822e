"""How much each word speaks for a class: logistic regression on bags of words (Jain & Wallace 2019)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.corpora.vocabulary import SPECIAL
from attnnn.tables.ragged import Ragged

# The fit stops when its violation of optimality is this share of the first one (liblinear's criterion).
_TOLERANCE, _ROUNDS = 1e-6, 1000


@dataclass(frozen=True)
class WordWeights:
    """The fitted regression.

    Attributes:
        weight: shape (V,): how much a word changes the log-odds of class 1, in a bag of length 1; 0 for a
            word without influence, NaN for one that is not counted (stop words, symbols).
        intercept: the log-odds of class 1 for an empty bag.
        converged: whether the fit converged.
        empty: how many documents have no counted word.
    """

    weight: NDArray[np.float64]
    intercept: float
    converged: bool
    empty: int


def counted_words(words: Sequence[str]) -> NDArray[np.bool_]:
    """Which entries of a vocabulary a bag of words counts: all but symbols and English stop words.

    The list of stop words is scikit-learn's; their case is ignored.
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    counted = np.array([word.lower() not in ENGLISH_STOP_WORDS for word in words], dtype=np.bool_)
    counted[: len(SPECIAL)] = False
    return counted


def fit_log_odds(
    tokens: Ragged,
    label: NDArray[np.int64],
    counted: NDArray[np.bool_],
    *,
    inverse_strength: float = 1.0,
) -> WordWeights:
    """L1 logistic regression, classes balanced, on L2-normalised binary bags of words.

    Args:
        tokens: vocabulary ids of the training documents.
        label: shape (documents,): their classes, 0 and 1.
        counted: shape (V,): the words that count, see `counted_words`.
        inverse_strength: C, as in scikit-learn; a smaller C leaves fewer words with a weight.

    Source: Jain & Wallace 2019, released code: scikit-learn's ``TfidfVectorizer`` without the IDF and
    ``LogisticRegression`` with an L1 penalty, solved by liblinear, which penalises the intercept too.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    bags = _bags(tokens, counted)
    words = np.flatnonzero(counted).astype(np.int32)
    regression = LogisticRegression(
        l1_ratio=1.0,
        solver="liblinear",
        C=inverse_strength,
        class_weight="balanced",
        tol=_TOLERANCE,
        max_iter=_ROUNDS,
        random_state=0,  # the order of coordinates, which does not affect a fit that converges
    )
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ConvergenceWarning)
        regression.fit(bags[:, words], label)
    weight = np.full(len(counted), np.nan)
    weight[words] = regression.coef_[0]
    return WordWeights(
        weight,
        float(regression.intercept_[0]),
        not any(issubclass(each.category, ConvergenceWarning) for each in warned),
        int((np.diff(bags.indptr) == 0).sum()),
    )


def _bags(tokens: Ragged, counted: NDArray[np.bool_]) -> Any:
    """One row per document, of length 1 (or 0): 1/√k at each of its k different counted words."""
    from scipy.sparse import csr_array

    kept = counted[tokens.values]
    cells = tokens.documents[kept] * len(counted) + tokens.values[kept].astype(np.int64)
    documents, words = np.divmod(np.unique(cells), len(counted))
    values = 1 / np.sqrt(np.bincount(documents, minlength=len(tokens))[documents])
    # scikit-learn accepts 32-bit indices only.
    where = documents.astype(np.int32), words.astype(np.int32)
    return csr_array((values, where), shape=(len(tokens), len(counted)))


def log_odds_columns(
    words: Sequence[str], tokens: Ragged, label: NDArray[np.int64], *, inverse_strength: float
) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """The columns of `schemas.LOG_ODDS`, facts to keep with them, and messages for the user.

    Args:
        words: the vocabulary by id.
        tokens: vocabulary ids of the training documents.
        label: shape (documents,): their classes, 0 and 1.
        inverse_strength: see `fit_log_odds`.
    """
    found = fit_log_odds(tokens, label, counted_words(words), inverse_strength=inverse_strength)
    counted, weighted = np.isfinite(found.weight), np.abs(found.weight) > 0
    weight = [w if c else None for w, c in zip(found.weight.tolist(), counted, strict=True)]
    columns = {"id": np.arange(len(words)), "token": list(words), "weight": weight}
    facts = {
        "intercept": found.intercept,
        "converged": found.converged,
        "empty": found.empty,
    }
    messages = [f"{weighted.sum()} of {counted.sum()} words of the bag have a weight"]
    if found.empty:
        messages.append(f"{found.empty} training documents hold only stop words and unknown words")
    if not found.converged:
        messages.append("the logistic regression did not converge; lower log_odds.inverse_strength")
    return columns, facts, messages
