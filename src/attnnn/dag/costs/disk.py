"""What the files of a study take on disk, by formula."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2

from attnnn.dag.costs.amounts import outputs, parameters
from attnnn.dag.costs.sizes import CorpusSize
from attnnn.dag.costs.work import PlannedJob
from attnnn.study.config import Study
from attnnn.study.design import Run

# Distinct numbers that parquet still keeps in a dictionary beside a column (pyarrow: 1 MiB of floats).
_DICTIONARY = 1 << 18
# Footer and metadata of a table; log, benchmark and description of a job or model.
_FOOTER = 7_000
_SMALL_FILES = 6_000
# Bytes a document of the tables about documents, as measured.
_CORRELATION, _PERMUTATION, _CANDIDATE, _ADVERSARY, _DIVERGENCE = 60, 45, 20, 35, 28
# Bytes a token of prepared documents: its word and its id; a word of the vocabulary.
_TOKEN, _WORD = 3.4, 11
# A word with its log-odds; a document of the table of replacements.
_WEIGHED, _REPLACEMENT = 13, 45
# Uniform attention has few distinct values.
_UNIFORM = 0.35
# A table in three formats, a figure in two; both a corpus.
_TABLE, _FIGURE = 3_000, 100_000
# Parameters, the selected ones, and three moments of the optimiser.
_COPIES_IN_CHECKPOINT = 5


def bytes_of(study: Study, job: PlannedJob, sizes: Mapping[str, CorpusSize]) -> float:
    """What the files that a job leaves behind take."""
    if job.corpus is None:
        shown = {"table": _TABLE, "figure": _FIGURE}.get(job.stage, 0)
        return _SMALL_FILES + shown * len(sizes)
    size = sizes[job.corpus]
    return _SMALL_FILES + _OF_STAGE[job.stage](study, job, size)


def checkpoint_bytes(study: Study, job: PlannedJob, sizes: Mapping[str, CorpusSize]) -> float:
    """What a training job keeps while it runs: a checkpoint of each of its runs."""
    if job.stage != "train" or job.corpus is None:
        return 0.0
    vocabulary = sizes[job.corpus].vocabulary
    return sum(4.0 * _COPIES_IN_CHECKPOINT * parameters(study, run, vocabulary) for run in job.runs)


def numbers(count: float) -> float:
    """Bytes of a column of distinct single-precision numbers: the first also pass a dictionary."""
    within = min(count, _DICTIONARY)
    return 4 * count + within * log2(max(within, 1)) / 8


def _prepare(study: Study, job: PlannedJob, size: CorpusSize) -> float:
    return _FOOTER + _TOKEN * float(size.all_lengths.sum()) + _WORD * size.vocabulary


def _embed(study: Study, job: PlannedJob, size: CorpusSize) -> float:
    assert job.corpus is not None
    return (4.0 * study.corpora[job.corpus].embedding.dimension + 1) * size.vocabulary


def _weigh(study: Study, job: PlannedJob, size: CorpusSize) -> float:
    return float(_FOOTER + _WEIGHED * size.vocabulary)


def _train(study: Study, job: PlannedJob, size: CorpusSize) -> float:
    return sum(_model(study, run, size) for run in job.runs)


def _model(study: Study, run: Run, size: CorpusSize) -> float:
    tokens, tested = float(size.all_lengths.sum()), float(size.lengths("test").sum())
    uniform = run.model.attention == "uniform"
    attention = _UNIFORM * tokens if uniform else numbers(tokens)
    documents = numbers(2.0 * len(size.all_lengths))
    weights = 4.0 * parameters(study, run, size.vocabulary)
    pieces = numbers(outputs(study, run.corpus) * tested)
    return weights + attention + pieces + documents + _FOOTER + _SMALL_FILES


def _measure(study: Study, job: PlannedJob, size: CorpusSize) -> float:
    # Two methods, each a magnitude and a signed score.
    return len(job.runs) * 2 * (_FOOTER + 2 * numbers(float(size.lengths("test").sum())))


def _search(study: Study, job: PlannedJob, size: CorpusSize) -> float:
    documents, tokens = len(size.lengths("test")), float(size.lengths("test").sum())
    candidates = _CANDIDATE * study.searched_adversary.adversaries * documents
    each = _ADVERSARY * documents
    return len(job.runs) * (
        2 * _FOOTER
        + candidates
        + len(study.epsilons) * each
        + numbers(len(study.epsilons) * tokens)
    )


def _solve(study: Study, job: PlannedJob, size: CorpusSize) -> float:
    each = _FOOTER + len(study.epsilons) * _ADVERSARY * len(size.lengths("test"))
    return len(job.runs) * each


def _diverge(study: Study, job: PlannedJob, size: CorpusSize) -> float:
    return len(job.runs) * (_FOOTER + _DIVERGENCE * len(size.all_lengths))


_OF_STAGE = {
    "prepare": _prepare,
    "embed": _embed,
    "weigh": _weigh,
    "train": _train,
    "measure": _measure,
    "correlate": lambda study, job, size: (
        len(job.runs) * (_FOOTER + _CORRELATION * len(size.lengths("test")))
    ),
    "permute": lambda study, job, size: (
        len(job.runs) * (_FOOTER + _PERMUTATION * len(size.lengths("test")))
    ),
    "search": _search,
    "solve": _solve,
    "replace": lambda study, job, size: (
        len(job.runs) * (_FOOTER + _REPLACEMENT * len(size.lengths("test")))
    ),
    "diverge": _diverge,
}
