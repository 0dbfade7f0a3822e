"""How much work every stage does: numbers that its time is proportional to, each for a reason.

Each function gives an amount of work by the name of its kind. Kinds, and the unit of each:

- ``starts``: processes that start and import what they need;
- ``spacy_starts``: of these, with spaCy;
- ``runs``: models that are built, read or written;
- ``lstm_multiply_adds``, ``multiply_adds``: in matrix products of a BiLSTM and of anything else, 10⁹;
- ``lstm_steps``: time steps that one batch after the other takes, 10³;
- ``vectors``: numbers looked up in the table of word vectors or added to its gradient, 10⁹;
- ``updates``: parameters updated by the optimiser, which is dense, 10⁹;
- ``batches``: training steps, 10³;
- ``deletion_multiply_adds``, ``deletion_steps``: leave-one-out of the BiLSTM, 10⁹ and, tokens read, 10⁶;
- ``searched``, ``search_steps``: attention weights that a search moves, 10⁹, and its steps over batches, 10³;
- ``pairs``: pairs of tokens, 10⁹; ``climbed``: tokens whose weight a climb moves, 10⁶;
- ``shuffled``: permuted weights, 10⁹;
- ``tokens``, ``tokens_read``, ``spacy_tokens``, ``documents``: 10⁶;
- ``word2vec``: multiply-adds of gensim, 10⁹; ``vector_bytes``: of a file of vectors, 10⁹;
- ``files``: tables that are read; ``resampled``: documents drawn by the bootstrap, 10⁹.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from attnnn.dag.costs.sizes import CorpusSize
from attnnn.study.config import Study
from attnnn.study.design import Run

Amounts = dict[str, float]
Lengths = NDArray[np.int64]

# A training step is a pass forward and, twice as dear, one back.
_FORWARD_AND_BACK = 3
# Tokens that a run without a token reads until it rejoins the whole document's, in long documents.
_REJOINING = 40
# Padded tokens of a batch of the search, on a CPU.
_SEARCHED_AT_ONCE = 8192
# Negative samples and context words beside the word itself in gensim's word2vec.
_NEGATIVES = 5
_SPACY = {"papers", "sst", "20news"}


def preparing(study: Study, corpus: str, size: CorpusSize) -> Amounts:
    """Of reading, tokenising and writing a corpus."""
    kept = float(size.all_lengths.sum()) / 1e6
    spacy = study.corpora[corpus].tokenizer in _SPACY
    amounts = {"starts": 1.0, "tokens": kept, "tokens_read": size.read / 1e6}
    return amounts | ({"spacy_starts": 1.0, "spacy_tokens": size.read / 1e6} if spacy else {})


def embedding(study: Study, corpus: str, size: CorpusSize) -> Amounts:
    """Of word vectors: trained, or read from a file (of unknown size where it does not exist)."""
    settings = study.corpora[corpus].embedding
    if settings.path is not None:
        path = study.source_path(settings.path)
        return {"starts": 1.0, "vector_bytes": (path.stat().st_size if path.exists() else 0) / 1e9}
    tokens = float(size.lengths("train").sum())
    touched = settings.window + 1 + _NEGATIVES
    return {
        "starts": 1.0,
        "word2vec": settings.epochs * tokens * settings.dimension * touched / 1e9,
    }


def weighing(size: CorpusSize) -> Amounts:
    """Of the logistic regression on bags of words: rounds over the words of the training split."""
    return {"starts": 1.0, "tokens": float(size.lengths("train").sum()) / 1e6}


def training(study: Study, runs: Iterable[Run], size: CorpusSize) -> Amounts:
    """Of the trainings of one job: the sum over its runs, and one start."""
    amounts: Amounts = {"starts": 1.0}
    for run in runs:
        for kind, amount in _training(study, run, size).items():
            amounts[kind] = amounts.get(kind, 0.0) + amount
    return amounts


def _training(study: Study, run: Run, size: CorpusSize) -> Amounts:
    settings, protocol = study.training_of(run.corpus), study.protocol_of(run.corpus)
    adversary = run.model.lambda_ is not None
    epochs = protocol.adv_epochs if adversary else settings.epochs
    split = protocol.adv_select.removesuffix("_loss") if adversary else protocol.select_split
    trained = _read(size.lengths("train"))
    scored = 0.0 if adversary and split == "train" else _read(size.lengths(split))
    tokens = epochs * (_FORWARD_AND_BACK * trained + scored) + _read(size.all_lengths)
    batches = epochs * -(-len(size.lengths("train")) // settings.batch_size)
    dimension = study.corpora[run.corpus].embedding.dimension
    amounts = {
        "runs": 1.0,
        "vectors": 2 * epochs * trained * dimension / 1e9,
        "updates": batches * parameters(study, run, size.vocabulary) / 1e9,
        "batches": batches / 1e3,
    }
    products = tokens * _multiply_adds(study, run) / 1e9
    if run.model.encoder != "bilstm":
        return amounts | {"multiply_adds": products}
    steps = epochs * trained / settings.batch_size / 1e3
    return amounts | {"lstm_multiply_adds": products, "lstm_steps": steps}


def measuring(study: Study, run: Run, size: CorpusSize) -> Amounts:
    """Of gradients and leave-one-out of the test split."""
    lengths = size.lengths("test")
    products = _FORWARD_AND_BACK * _read(lengths) * _multiply_adds(study, run) / 1e9
    if run.model.encoder != "bilstm":
        return {"starts": 1.0, "multiply_adds": products}
    steps = deletion_steps(study, lengths)
    hidden = study.training_of(run.corpus).hidden_size
    return {
        "starts": 1.0,
        "lstm_multiply_adds": products,
        # The four gates of a state, and its attention score.
        "deletion_multiply_adds": steps * 5 * hidden**2 / 1e9,
        "deletion_steps": steps / 1e6,
    }


def deletion_steps(study: Study, lengths: Lengths) -> float:
    """Tokens that the BiLSTM reads again: n for each of n deletions, fewer where runs rejoin."""
    settings = study.leave_one_out
    long = lengths >= (settings.rejoin_from or np.inf)
    deletions = lengths[long].sum()
    checked = min(settings.checked_deletions, int(deletions))
    mean = lengths[long].mean() if long.any() else 0.0
    quadratic = (lengths[~long].astype(np.float64) ** 2).sum()
    return float(quadratic + 2 * _REJOINING * deletions + checked * mean)


def correlating(study: Study, run: Run, size: CorpusSize) -> Amounts:
    """Of Kendall's τ-b of three pairs of measures."""
    lengths = size.lengths("test")
    return {"starts": 1.0, "documents": len(lengths) / 1e6, "tokens": float(lengths.sum()) / 1e6}


def permuting(study: Study, run: Run, size: CorpusSize) -> Amounts:
    """Of random permutations."""
    tokens = float(size.lengths("test").sum())
    return {"starts": 1.0, "shuffled": tokens * study.permutations / 1e9}


def searching(study: Study, run: Run, size: CorpusSize) -> Amounts:
    """Of the search: every step moves K attention vectors and compares each with the others."""
    settings, tokens = study.searched_adversary, float(size.lengths("test").sum())
    vectors = settings.adversaries * (settings.adversaries + 1) / 2
    batches = np.ceil(tokens / _SEARCHED_AT_ONCE)
    return {
        "starts": 1.0,
        "searched": settings.steps * tokens * vectors / 1e9,
        "search_steps": float(settings.steps * batches / 1e3),
    }


def solving(study: Study, run: Run, size: CorpusSize) -> Amounts:
    """Of the exact adversary, for every ε: pairs of tokens, or of several classes a climb over all tokens."""
    lengths = size.lengths("test").astype(np.float64)
    if not study.corpora[run.corpus].source.two_classes:
        return {"starts": 1.0, "climbed": len(study.epsilons) * float(lengths.sum()) / 1e6}
    return {"starts": 1.0, "pairs": len(study.epsilons) * float((lengths**2).sum()) / 1e9}


def replacing(study: Study, run: Run, size: CorpusSize) -> Amounts:
    """Of reading every test document once more, with other words."""
    tokens = _read(size.lengths("test"))
    products = tokens * _multiply_adds(study, run) / 1e9
    kind = "lstm_multiply_adds" if run.model.encoder == "bilstm" else "multiply_adds"
    return {"starts": 1.0, kind: products}


def comparing(study: Study, runs: Iterable[Run], size: CorpusSize) -> Amounts:
    """Of the divergences of one job's runs."""
    number, lengths = len(tuple(runs)), size.all_lengths
    return {
        "starts": 1.0,
        "tokens": (1 + number) * float(lengths.sum()) / 1e6,
        "documents": number * len(lengths) / 1e6,
    }


def publishing(study: Study, files: int, sizes: Iterable[CorpusSize]) -> Amounts:
    """Of one table or figure."""
    documents = sum(len(size.lengths("test")) for size in sizes) if files else 0
    return {
        "starts": 1.0,
        "files": float(files),
        "resampled": study.bootstrap * documents / 1e9,
    }


def checking() -> Amounts:
    """Of the check of all corpora."""
    return {"starts": 1.0}


def parameters(study: Study, run: Run, vocabulary: int) -> int:
    """Trainable numbers of a model."""
    dimension = study.corpora[run.corpus].embedding.dimension
    hidden = hidden_size(study, run)
    width, inputs = encoder_of(run.model.encoder, dimension, hidden)
    biases = {"bilstm": 2 * 2 * 4 * hidden, "average": hidden, "cnn": hidden}[run.model.encoder]
    inner = width // 2
    attention = {"additive": width * inner + 2 * inner, "dot": width}.get(run.model.attention, 0)
    decoder = outputs(study, run.corpus) * (width + 1)
    return vocabulary * dimension + inputs + biases + attention + decoder


def outputs(study: Study, corpus: str) -> int:
    """Logits of a model of single texts: one for two classes, else one a class. Of pairs 1 is counted."""
    source = study.corpora[corpus].source
    several = source.class_count is not None and source.class_count > 2 and not source.pairs
    return source.class_count if several and source.class_count else 1


def _multiply_adds(study: Study, run: Run) -> float:
    """Of one token's state, its attention score and its contribution to the logits."""
    dimension = study.corpora[run.corpus].embedding.dimension
    width, encoder = encoder_of(run.model.encoder, dimension, hidden_size(study, run))
    inner = width // 2
    attention = {"additive": width * inner + inner, "dot": width}.get(run.model.attention, 0)
    return encoder + attention + width * outputs(study, run.corpus)


def encoder_of(encoder: str, dimension: int, hidden: int) -> tuple[int, int]:
    """Width of an encoder's states, and the weights that a token is multiplied by for one."""
    if encoder == "bilstm":
        return 2 * hidden, 2 * 4 * hidden * (dimension + hidden)
    if encoder == "cnn":  # kernels of widths 1, 3, 5 and 7, a quarter of the states each
        return hidden, hidden // 4 * (1 + 3 + 5 + 7) * dimension
    return hidden, dimension * hidden


def hidden_size(study: Study, run: Run) -> int:
    """The hidden size of a model (switch cnn_width)."""
    size = study.training_of(run.corpus).hidden_size
    double = run.model.encoder == "cnn" and study.protocol_of(run.corpus).cnn_width == "double"
    return 2 * size if double else size


def _read(lengths: Lengths) -> float:
    """Tokens that an encoder reads: the start and end symbols are among them."""
    return float(lengths.sum() + 2 * len(lengths))


def of_runs(stage: str, study: Study, runs: Iterable[Run], size: CorpusSize) -> Amounts:
    """Of an analysis of several runs in one job: the sum over them, and one start."""
    amounts: Amounts = {}
    for run in runs:
        for kind, amount in OF_ONE_RUN[stage](study, run, size).items():
            amounts[kind] = amounts.get(kind, 0.0) + amount
    return amounts | {"starts": 1.0}


OF_ONE_RUN: dict[str, Callable[[Study, Run, CorpusSize], Amounts]] = {
    "measure": measuring,
    "correlate": correlating,
    "permute": permuting,
    "search": searching,
    "solve": solving,
    "replace": replacing,
}
