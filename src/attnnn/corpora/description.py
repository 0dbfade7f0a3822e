"""The facts about a prepared corpus that ``description.json`` holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.corpora.encoded import Encoded, Survey
from attnnn.corpora.prepare_settings import PrepareSettings
from attnnn.corpora.texts import SPLITS, Texts
from attnnn.corpora.vocabulary import Vocabulary


def describe(
    settings: PrepareSettings,
    corpus: str,
    *,
    documents: Texts,
    encoded: Encoded,
    questions: Encoded | None,
    vocabulary: Vocabulary,
    fitted_on: int,
) -> dict[str, Any]:
    """The content of ``description.json``.

    Args:
        settings: of the corpus.
        corpus: its name.
        documents: those that are kept.
        encoded: their tokens.
        questions: the tokens of their questions; None for single texts.
        vocabulary: of the corpus.
        fitted_on: how many documents it was counted on.
    """
    dumped = settings.model_dump(mode="json")
    survey = encoded.survey()
    asked = None if questions is None else questions.survey()
    return {
        "corpus": corpus,
        "source": documents.facts,
        "classes": documents.classes,
        "splits": {
            split: _split(members, documents, survey, asked)
            for split in SPLITS
            if (members := np.flatnonzero(documents.splits == split)).size
        },
        "dropped": [asdict(item) for item in documents.dropped],
        "made_splits": documents.made_splits,
        "overlap_with_train": _overlap(documents, survey, asked),
        "vocabulary": {
            "size": len(vocabulary),
            "fitted_on": settings.vocab_fit,
            "documents": fitted_on,
            "min_df": settings.min_df,
        },
        "settings": dumped,
    }


def _split(
    members: NDArray[np.int64], documents: Texts, survey: Survey, asked: Survey | None
) -> dict[str, Any]:
    classes = documents.classes
    counts = np.bincount(documents.labels[members], minlength=len(classes))
    questions = {} if asked is None else {"question_tokens": _tokens(asked, members)}
    return {
        "documents": len(members),
        "per_class": dict(zip(classes, counts.tolist(), strict=True)),
        "tokens": _tokens(survey, members),
        **questions,
        # n_neg / n_pos for two classes: the weight of the positive class in the papers' loss
        "pos_weight": float(counts[0] / counts[1]) if len(classes) == 2 else None,
    }


def _tokens(survey: Survey, members: NDArray[np.int64]) -> dict[str, float | int]:
    lengths = survey.lengths[members]
    return {
        "mean": float(lengths.mean()),
        "min": int(lengths.min()),
        "max": int(lengths.max()),
        "unknown": int(survey.unknown[members].sum()),
    }


def _overlap(documents: Texts, survey: Survey, asked: Survey | None) -> dict[str, int]:
    """How many dev and test documents equal a training document, all unknown words counting as equal.

    In a corpus of pairs, the questions must be equal too.
    """
    questions = [b""] * len(documents) if asked is None else asked.digests
    read = {
        split: [
            survey.digests[row] + questions[row]
            for row in np.flatnonzero(documents.splits == split).tolist()
        ]
        for split in SPLITS
    }
    train = set(read["train"])
    return {
        split: sum(document in train for document in read[split])
        for split in ("dev", "test")
        if read[split]
    }
