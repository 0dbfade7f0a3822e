"""What there is to know about a prepared corpus, in ``description.json``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn import identity
from attnnn.config import Study
from attnnn.corpora.texts import SPLITS, Texts
from attnnn.corpora.vocabulary import UNKNOWN, Vocabulary
from attnnn.protocol import Protocol
from attnnn.ragged import Ragged


def describe(
    study: Study,
    corpus: str,
    *,
    documents: Texts,
    ids: Ragged,
    vocabulary: Vocabulary,
    fitted_on: int,
) -> dict[str, Any]:
    """The content of ``description.json``.

    Args:
        study: the configuration.
        corpus: its name.
        documents: those that are kept.
        ids: vocabulary ids of their tokens.
        vocabulary: of the corpus.
        fitted_on: number of documents it was counted on.
    """
    settings = identity.of_corpus(study, corpus)
    protocol = study.protocol_of(corpus)
    return {
        "corpus": corpus,
        "source": documents.facts,
        "classes": documents.classes,
        "splits": {
            split: _split(documents.labels[members], ids.take(members), documents.classes)
            for split in SPLITS
            if (members := np.flatnonzero(documents.splits == split)).size
        },
        "dropped": [asdict(item) for item in documents.dropped],
        "made_splits": documents.made_splits,
        "overlap_with_train": _overlap(documents, ids),
        "vocabulary": {
            "size": len(vocabulary),
            "fitted_on": protocol.vocab_fit,
            "documents": fitted_on,
            "min_df": study.corpora[corpus].min_df,
        },
        "protocol": study.protocol_name_of(corpus),
        "switches": {name: settings[name] for name in Protocol.model_fields if name in settings},
        "identity": settings,
    }


def _split(labels: NDArray[np.int64], ids: Ragged, classes: list[str]) -> dict[str, Any]:
    counts = np.bincount(labels, minlength=len(classes))
    lengths = ids.lengths
    return {
        "documents": len(labels),
        "per_class": dict(zip(classes, counts.tolist(), strict=True)),
        "tokens": {
            "mean": float(lengths.mean()),
            "min": int(lengths.min()),
            "max": int(lengths.max()),
            "unknown": int((ids.values == UNKNOWN).sum()),
        },
        # n_neg / n_pos of two classes (METHODS of the papers: weight of the positive class's loss)
        "pos_weight": float(counts[0] / counts[1]) if len(classes) == 2 else None,
    }


def _overlap(documents: Texts, ids: Ragged) -> dict[str, int]:
    """Documents of dev and test that read like a training document, unknown words being alike."""
    rows = {split: np.flatnonzero(documents.splits == split) for split in SPLITS}
    spelled = {split: [ids[row].tobytes() for row in rows[split].tolist()] for split in SPLITS}
    train = set(spelled["train"])
    return {
        split: sum(document in train for document in spelled[split])
        for split in ("dev", "test")
        if spelled[split]
    }
