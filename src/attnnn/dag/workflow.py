"""What the workflow's rule files ask of a study, answered for Snakemake's wildcards.

Rule files hold no logic of their own: inputs that depend on the model, the settings that a job
depends on, and what it needs of the machine are all methods of `Plan`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from attnnn import machine as device
from attnnn.corpora.readers import without_missing
from attnnn.corpora.stage import check_sources
from attnnn.dag import cluster, layout, targets
from attnnn.dag.jobs import Job, analysis_jobs, compared, training_jobs
from attnnn.errors import UserError
from attnnn.study import design, identity
from attnnn.study.config import Study, validate
from attnnn.study.design import Run
from attnnn.study.identity import Identity

Amount = Callable[[Any, int], int]


def _of_importances(study: Study, run: Run) -> Identity:
    return {
        method: identity.of_importance(study, run, method) for method in layout.IMPORTANCE_METHODS
    }


_OF_RUN: dict[str, Callable[[Study, Run], Identity]] = {
    "train": identity.of_run,
    "measure": _of_importances,
    "correlate": identity.of_comparison,
    "permute": identity.of_permutation,
    "search": identity.of_search,
    "solve": identity.of_exact,
    "replace": identity.of_replacement,
    "diverge": identity.of_comparison,
}

_ANALYSED: dict[str, Callable[[Study, str], list[Run]]] = {
    "measure": design.explained_runs,
    "correlate": design.explained_runs,
    "permute": design.attacked_runs,
    "search": design.attacked_runs,
    "solve": design.attacked_runs,
    "replace": design.replaced_runs,
}
# Kinds of rules that do several runs.
KINDS = tuple(_OF_RUN)


@dataclass(frozen=True)
class Plan:
    """One study as its workflow sees it. `wildcards` are Snakemake's.

    Attributes:
        study: the study.
        submitted: whether jobs run on the nodes of a cluster, and not on this machine.
    """

    study: Study
    submitted: bool = False

    @cached_property
    def paths(self) -> layout.Layout:
        """The study's paths."""
        return layout.Layout(self.study.results_dir)

    @property
    def gpu(self) -> int:
        """GPUs of a job that trains or needs gradients.

        On a cluster ``auto`` asks for one: the node that gets the job decides whether torch can use it.
        """
        if self.submitted:
            return int(self.study.device != "cpu")
        return int(device.wants_gpu(self.study.device))

    def sources(self, wildcards: Any) -> list[str]:
        """Files that a corpus is read from; none for planted ones and those that may be fetched."""
        source = self.study.corpora[wildcards.corpus].source
        if source.may_fetch:
            return []
        return [str(self.study.source_path(file)) for file in source.files()]

    def vectors(self, wildcards: Any) -> list[str]:
        """The file of word vectors of a corpus, if it names one."""
        path = self.study.corpora[wildcards.corpus].embedding.path
        return [] if path is None else [str(self.study.source_path(path))]

    @cached_property
    def jobs(self) -> list[Job]:
        """All trainings, as jobs do them."""
        return training_jobs(self.study)

    @cached_property
    def diverging(self) -> list[Job]:
        """The same jobs, with the runs alone that are compared with the base model."""
        return [job for whole in self.jobs if (job := compared(self.study, whole)) is not None]

    def jobs_of(self, kind: str) -> list[Job]:
        """The jobs of a kind of rule that does several runs."""
        if kind == "train":
            return self.jobs
        if kind == "diverge":
            return self.diverging
        return analysis_jobs(self.study, _ANALYSED[kind])

    def embedding(self, job: Job) -> list[str]:
        """The word vectors that training starts from, unless they are drawn at random."""
        if self.study.corpora[job.corpus].embedding.kind == "random":
            return []
        return [self.paths.corpus(job.corpus, "embedding.safetensors")]

    def guides(self, job: Job) -> list[str]:
        """What the runs of a job learn from beside labels: predictions of runs, and log-odds of words."""
        return targets.guides(self.study, job.runs)

    def trained(self, job: Job) -> list[str]:
        """What a training job writes."""
        return [
            self.paths.model(run.corpus, run.model.name, run.seed, file)
            for run in job.runs
            for file in layout.MODEL_FILES
        ]

    def predictions(self, job: Job) -> list[str]:
        """Predictions of the runs of a job."""
        return [self.paths.predictions_of(run) for run in job.runs]

    def starts(self, job: Job) -> list[str]:
        """What the exact adversary starts from: of several classes, what the search has found."""
        if self.study.corpora[job.corpus].source.two_classes:
            return []
        return [self.paths.analysis_of("searched_adversary", run) for run in job.runs]

    def at_once(self, job: Job) -> int:
        """Runs of a job that are trained at the same time."""
        return min(self.study.jobs.runs_at_once, len(job.runs))

    def importances(self, job: Job) -> list[str]:
        """Token importance of the runs of a job, by every method."""
        return [
            self.paths.importance_of(run, method)
            for run in job.runs
            for method in layout.IMPORTANCE_METHODS
        ]

    def analyses(self, job: Job, *stages: str) -> list[str]:
        """Tables about the runs of a job."""
        return [self.paths.analysis_of(stage, run) for run in job.runs for stage in stages]

    def base(self, job: Job) -> str:
        """Predictions of the base model of a job's corpus."""
        return self.paths.predictions_of(design.base_run(self.study, job.corpus))

    def shown(self, wildcards: Any) -> list[str]:
        """What a table or figure `{name}` is made from."""
        return targets.needs(self.study, wildcards.name)

    def urgency(self, job: Job) -> int:
        """Base models first: most other jobs wait for them."""
        return int(design.base_run(self.study, job.corpus) in job.runs)

    def settings(self, stage: str) -> Callable[[Any], Identity]:
        """For `params`: the settings that the result of a stage depends on, given its inputs."""
        answers: dict[str, Callable[[Any], Identity]] = {
            "prepare": lambda wildcards: identity.of_corpus(self.study, wildcards.corpus),
            "embed": lambda wildcards: identity.of_embedding(self.study, wildcards.corpus),
            "weigh": lambda wildcards: identity.of_log_odds(self.study),
            "publish": lambda wildcards: identity.of_publication(self.study),
        }
        return answers[stage]

    def settings_of(self, kind: str, job: Job) -> dict[str, Identity]:
        """The same for a job of several runs, by the run."""
        return {run.name: _OF_RUN[kind](self.study, run) for run in job.runs}


def growing(amount: int) -> Amount:
    """For `resources`: an amount that grows with every attempt of a job."""
    return lambda wildcards, attempt: amount * attempt


def read_plan(config: Mapping[str, Any], *, check: bool, resources: Any = None) -> Plan:
    """The plan of a Snakemake config; a user's mistake ends the process with one line.

    Args:
        config: Snakemake's merged configuration.
        check: whether to look at the sources, and at the cluster that jobs are submitted to, which one
            process of a workflow does for all.
        resources: Snakemake's resource settings.
    """
    try:
        study = validate(config, where="configuration")
        left_out: list[str] = []
        if study.missing_corpora == "leave_out":
            study, left_out = without_missing(study)
        if check:
            check_sources(study)
            for corpus in left_out:
                print(f"attnnn: left out corpus {corpus}", file=sys.stderr)
        plan = Plan(study, submitted=resources is not None and cluster.submits(resources))
        if check and plan.submitted:
            cluster.check(cluster.asks(resources, gpus=plan.gpu))
    except UserError as error:
        _refuse(error)
    return plan


def _refuse(error: UserError) -> NoReturn:
    sys.exit(f"attnnn: {error}")
