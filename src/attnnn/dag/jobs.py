"""Which runs one job of the workflow trains or analyses.

A job spends up to two seconds on starting, whatever it does, and on a cluster waits in a queue. Runs of a
corpus that wait for the same things are therefore done together, `jobs.runs` of them in a job.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from attnnn.study import design
from attnnn.study.config import Study
from attnnn.study.design import Run


@dataclass(frozen=True)
class Job:
    """Runs of one corpus that are done together.

    Attributes:
        corpus: theirs.
        number: of the job among those of its corpus, from 1.
        runs: none of them learns from another.
    """

    corpus: str
    number: int
    runs: tuple[Run, ...]

    @property
    def name(self) -> str:
        """The name of its first run, which its log is named by too."""
        return self.runs[0].name

    @property
    def options(self) -> str:
        """Its runs as options of a verb."""
        return " ".join(f"--run {run.name}" for run in self.runs)

    def rule(self, kind: str) -> str:
        """The name of the rule that does it."""
        return f"{kind}_{self.corpus}_{self.number}"


def training_jobs(study: Study) -> list[Job]:
    """All trainings of a study, each in one job, jobs in an order in which they could run."""
    return [job for corpus in study.corpora for job in _jobs_of(study, corpus)]


def analysis_jobs(study: Study, runs_of: Callable[[Study, str], Sequence[Run]]) -> list[Job]:
    """The runs that an analysis is made of, as jobs make it.

    Args:
        study: the configuration.
        runs_of: these runs of a corpus: one of `design.explained_runs`, `attacked_runs`, `replaced_runs`.
    """
    size = study.jobs.runs
    return [
        Job(corpus, start // size + 1, tuple(runs[start : start + size]))
        for corpus in study.corpora
        if (runs := runs_of(study, corpus))
        for start in range(0, len(runs), size)
    ]


def compared(study: Study, job: Job) -> Job | None:
    """The part of a job whose runs are compared with the base model; None where there is none."""
    wanted = set(design.compared_runs(study, job.corpus))
    runs = tuple(run for run in job.runs if run in wanted)
    return replace(job, runs=runs) if runs else None


def _waits_for(study: Study, run: Run) -> tuple[int, bool]:
    return design.distance_from_labels(study, run), run.model.uses_log_odds


def _jobs_of(study: Study, corpus: str) -> list[Job]:
    size = study.jobs.runs
    parts: list[tuple[Run, ...]] = []
    runs = design.all_runs(study, corpus)
    for _, together in groupby(runs, key=lambda run: _waits_for(study, run)):
        waiting = list(together)
        parts += [tuple(waiting[i : i + size]) for i in range(0, len(waiting), size)]
    return [Job(corpus, number, part) for number, part in enumerate(parts, start=1)]
