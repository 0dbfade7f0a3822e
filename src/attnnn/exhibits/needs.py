"""What exhibits read of one corpus, where several exhibits read the same."""

from __future__ import annotations

from collections.abc import Iterable

from attnnn.dag.stage import Artifact
from attnnn.stages.correlate import STAGE as CORRELATE
from attnnn.stages.permute import STAGE as PERMUTE
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.stages.search import STAGE as SEARCH
from attnnn.stages.solve import STAGE as SOLVE
from attnnn.stages.train import STAGE as TRAIN
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import average_run, base_run, seed_runs, swept_runs, uniform_run


def documents(study: Study, corpus: str) -> list[Artifact]:
    """The documents of a corpus."""
    return [PREPARE.made("documents", corpus)]


def described_documents(study: Study, corpus: str) -> list[Artifact]:
    """The documents of a corpus, with its class names, sizes and what was left out of it."""
    return [*documents(study, corpus), PREPARE.made("description", corpus)]


def predictions(runs: Iterable[Run]) -> list[Artifact]:
    """Predictions and attention of runs."""
    return [TRAIN.made("predictions", run) for run in runs]


def sweep(study: Study, corpus: str) -> list[Artifact]:
    """Predictions of the trained adversaries and of the base model that they diverge from."""
    return predictions([base_run(study, corpus), *swept_runs(study, corpus)])


def seeds(study: Study, corpus: str) -> list[Artifact]:
    """Predictions of the base model with its own and the other seeds."""
    return predictions([base_run(study, corpus), *seed_runs(study, corpus)])


def permutation(study: Study, corpus: str) -> list[Artifact]:
    """The base model under permuted attention."""
    return [PERMUTE.made("permutation", base_run(study, corpus))]


def adversaries(study: Study, corpus: str) -> list[Artifact]:
    """The base model's predictions, and its per-document adversaries, searched and exact."""
    base = base_run(study, corpus)
    return [
        *predictions([base]),
        SEARCH.made("adversary", base),
        SOLVE.made("adversary", base),
    ]


def shifts(study: Study, corpus: str) -> list[Artifact]:
    """What seeds and per-document adversaries do to attention."""
    return [*seeds(study, corpus), *adversaries(study, corpus)]


def plane(study: Study, corpus: str) -> list[Artifact]:
    """Everything that stands in the plane of TVD against JSD."""
    return [
        *sweep(study, corpus),
        *shifts(study, corpus),
        *predictions([uniform_run(study, corpus)]),
        SEARCH.made("candidates", base_run(study, corpus)),
    ]


def correlation(study: Study, corpus: str) -> list[Artifact]:
    """The base model's attention compared with other scores of tokens."""
    return [CORRELATE.made("correlation", base_run(study, corpus))]


def correlations(study: Study, corpus: str) -> list[Artifact]:
    """The same of the base model and of the average encoder."""
    runs = base_run(study, corpus), average_run(study, corpus)
    return [CORRELATE.made("correlation", run) for run in runs]
