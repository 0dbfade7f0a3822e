"""Tables of corpora and models: names, types, units, and what may be null."""

from __future__ import annotations

import pyarrow as pa

from attnnn.tables.store import Column, Schema

_DOCUMENT = Column(pa.int64(), "document's number, unique over all splits of the corpus")
_SPLIT = Column(pa.string(), "train, dev or test")
_PER_TOKEN = pa.list_(pa.float32())

DOCUMENTS = Schema(
    "documents",
    {
        "document": _DOCUMENT,
        "split": _SPLIT,
        "label": Column(pa.int64(), "gold class, 0-based"),
        "tokens": Column(pa.list_(pa.string()), "the n tokens as the tokenizer gave them"),
        "token_ids": Column(
            pa.list_(pa.int32()), "vocabulary ids of the n tokens, without start and end symbols"
        ),
        "truth": Column(
            pa.list_(pa.int8()), "1 where a token decides the label, by construction", nullable=True
        ),
    },
)

SENTENCES = Schema(
    "sentences",
    {
        "document": _DOCUMENT,
        "split": _SPLIT,
        "sentences": Column(
            pa.list_(pa.int32()),
            "lengths of its sentences in tokens, one after the other; their sum is n",
        ),
    },
)

PAIRS = Schema(
    "pairs",
    {
        **DOCUMENTS.columns,
        "question": Column(
            pa.list_(pa.string()), "tokens of the question, or of the hypothesis, of the document"
        ),
        "question_ids": Column(
            pa.list_(pa.int32()), "their vocabulary ids, without start and end symbols"
        ),
        "candidates": Column(
            pa.list_(pa.int32()),
            "classes among which the answer is, ascending; null: all classes",
            nullable=True,
        ),
        "sentence": Column(
            pa.list_(pa.int32()),
            "for each of the n tokens its sentence in the document, 0-based; null where unknown",
            nullable=True,
        ),
        "evidence": Column(
            pa.list_(pa.int8()),
            "1 where a token is in a sentence that supports the answer; null where unknown",
            nullable=True,
        ),
    },
)

VOCABULARY = Schema(
    "vocabulary",
    {
        "id": Column(pa.int32(), "0 padding, 1 unknown, 2 start, 3 end, words from 4"),
        "token": Column(pa.string(), "the word"),
        "document_frequency": Column(pa.int64(), "documents of the counted splits that hold it"),
    },
)

LOG_ODDS = Schema(
    "log_odds",
    {
        "id": VOCABULARY.columns["id"],
        "token": VOCABULARY.columns["token"],
        "weight": Column(
            pa.float64(),
            "change of the log-odds of class 1 by the word in an L2-normalised bag of words; null for "
            "symbols and stop words",
            nullable=True,
        ),
    },
)

HISTORY = Schema(
    "history",
    {
        "epoch": Column(pa.int64(), "0-based"),
        "train_loss": Column(pa.float64(), "sum over documents of the training objective"),
        "score": Column(
            pa.float64(), "selecting metric: ROC-AUC, or minus the loss of an adversary"
        ),
        "selected": Column(pa.bool_(), "whether this epoch's weights were kept"),
    },
)

PREDICTIONS = Schema(
    "predictions",
    {
        "document": _DOCUMENT,
        "split": _SPLIT,
        "label": Column(pa.int64(), "gold class"),
        "logit": Column(pa.float32(), "log-odds of class 1"),
        "probability": Column(pa.float32(), "probability of class 1"),
        "attention": Column(
            _PER_TOKEN,
            "attention weight of each of the n tokens, or sentences of a hierarchical model; sums to 1; null "
            "in a model without attention",
            nullable=True,
        ),
        "contribution": Column(
            _PER_TOKEN,
            "w·h of each of these (test split only): Σ attention·contribution + bias = logit, "
            "the bias being in the file's metadata",
            nullable=True,
        ),
    },
)

MULTICLASS_PREDICTIONS = Schema(
    "multiclass_predictions",
    {
        "document": _DOCUMENT,
        "split": _SPLIT,
        "label": Column(pa.int64(), "gold class"),
        "predicted": Column(pa.int64(), "predicted class"),
        "probabilities": Column(
            _PER_TOKEN,
            "of every class, 0 where it is no candidate; null but in the test split",
            nullable=True,
        ),
        "attention": Column(
            _PER_TOKEN,
            "attention weight of each of the n tokens, or sentences of a hierarchical model; sums to 1; null "
            "in a model without attention",
            nullable=True,
        ),
        "projected": Column(
            _PER_TOKEN,
            "projected states, one of these after the other (test split only): softmax logits are "
            "Σ attention·projected + bias, or with questions W tanh(Σ attention·projected + offset) + bias; "
            "bias and W are in the file's metadata",
            nullable=True,
        ),
        "candidates": Column(
            pa.list_(pa.int32()),
            "classes among which the answer is; null: all classes",
            nullable=True,
        ),
        "offset": Column(
            _PER_TOKEN,
            "what the question adds to the sum of projected states; null without questions",
            nullable=True,
        ),
    },
)
