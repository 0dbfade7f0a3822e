"""Attention by the log-odds of words, as models are given it. No torch here."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import read_table


@dataclass(frozen=True)
class WordLogOdds:
    """What each word of a vocabulary says of the class in a bag of words.

    Attributes:
        weight: shape (V,): change of the log-odds of class 1; NaN for words that are not counted.
    """

    weight: NDArray[np.float64]

    def counted(self, tokens: Ragged) -> NDArray[np.int64]:
        """How many tokens of each document are counted, shape (documents,)."""
        return tokens.with_values(~np.isnan(self.weight[tokens.values])).sums().astype(np.int64)

    def attention(self, tokens: Ragged) -> Ragged:
        """Softmax of |weight| over the tokens of each document, 0 on words that are not counted.

        A document of such words alone gets uniform attention, where the softmax of nothing but −∞ would
        be undefined.

        Args:
            tokens: vocabulary ids of the n tokens of each document.

        Source: Jain & Wallace 2019, released code (log-odds attention).
        """
        strength = np.abs(self.weight[tokens.values])
        strength[(self.counted(tokens) == 0)[tokens.documents]] = 0.0
        scores = np.where(np.isnan(strength), -np.inf, strength)
        powers = np.exp(scores - tokens.with_values(scores).maxima()[tokens.documents])
        return tokens.with_values(powers / tokens.with_values(powers).sums()[tokens.documents])

    def strongest(self, class_: int, count: int) -> NDArray[np.int64]:
        """Ids of the words that speak most for a class, 0 or 1, strongest first; fewer where no more do."""
        towards = self.weight if class_ else -self.weight
        speaking = np.flatnonzero(towards > 0)
        order = np.argsort(-towards[speaking], kind="stable")
        return np.asarray(speaking[order][:count])


def read_word_weights(path: str | os.PathLike[str]) -> WordLogOdds:
    """Read ``log_odds.parquet``.

    Raises:
        UserError: the file is missing or of another kind.
    """
    weight = read_table(path, schemas.LOG_ODDS)["weight"].to_numpy()
    return WordLogOdds(np.asarray(weight, dtype=np.float64))
