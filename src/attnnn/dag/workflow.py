"""What the workflow's rule files ask of a study, derived from the declarations of stages and exhibits.

Rule files hold no logic of their own: a rule names its verb, and everything else of it is a method of `Dag`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from attnnn import machine
from attnnn.dag import catalogue, cluster, exhibit, layout
from attnnn.dag.stage import Stage, Subject
from attnnn.errors import UserError
from attnnn.study.config import Study, validate
from attnnn.study.model import MODEL_PATTERN, Run
from attnnn.study.papers import PAPERS
from attnnn.study.resolved import CONFIG

# Snakemake's wildcards of one job.
Wildcards = Any


@dataclass(frozen=True)
class Dag:
    """One study as its workflow sees it.

    Attributes:
        study: the study.
        submitted: whether jobs run on the nodes of a cluster, and not on this machine.
    """

    study: Study
    submitted: bool = False

    @property
    def config(self) -> str:
        """The resolved configuration that jobs read."""
        return self._path(CONFIG)

    @property
    def constraints(self) -> dict[str, str]:
        """What the wildcards of stages look like."""
        corpora = "|".join(map(re.escape, self.study.corpora))
        return {"corpus": corpora, "model": MODEL_PATTERN, "seed": "[0-9]+"}

    def targets(self) -> list[str]:
        """Every exhibit that the study has something to show in, in every format."""
        return [
            self._path(layout.exhibit_path(name, one, form))
            for name, one in catalogue.exhibits(self.study).items()
            for form in one.formats
        ]

    def inputs(self, verb: str) -> Callable[[Wildcards], dict[str, Any]]:
        """By name the files that a job of a stage reads."""
        stage = catalogue.stage(verb)

        def of(wildcards: Wildcards) -> dict[str, Any]:
            job = stage.job(self.study, _subject(stage, wildcards))
            found: dict[str, Any] = {n: self._path(made.path) for n, made in job.inputs.items()}
            files = stage.files(self.study, wildcards.corpus)
            return found | ({"files": [str(file) for file in files]} if files else {})

        return of

    def outputs(self, verb: str) -> dict[str, str]:
        """By name the files that a job of a stage writes, with its wildcards."""
        writes = catalogue.stage(verb).writes
        return {name: self._path(output.path) for name, output in writes.items()}

    def log(self, verb: str) -> str:
        """The log of a job of a stage."""
        return self._path(layout.log_path(verb, *catalogue.stage(verb).place))

    def benchmark(self, verb: str) -> str:
        """Time and memory of a job of a stage."""
        return self._path(layout.benchmark_path(verb, *catalogue.stage(verb).place))

    def settings(self, verb: str) -> Callable[[Wildcards], dict[str, Any]]:
        """For `params`: all of the configuration that a job's result depends on, given its inputs."""
        stage = catalogue.stage(verb)

        def of(wildcards: Wildcards) -> dict[str, Any]:
            subject = _subject(stage, wildcards)
            dumped: dict[str, Any] = stage.settings(self.study, subject).model_dump(mode="json")
            return dumped

        return of

    def threads(self, verb: str) -> int:
        """CPU threads of a job of a stage."""
        return self.study.threads if catalogue.stage(verb).on_device else 1

    def resources(self, verb: str) -> dict[str, Any]:
        """What a job of a stage needs of the machine; time and memory grow with every attempt."""
        stage = catalogue.stage(verb)
        found: dict[str, Any] = {
            "mem_mb": _growing(stage.memory),
            "runtime": _growing(stage.minutes),
        }
        return {"gpu": self.gpu, **found} if stage.on_device else found

    def priority(self, verb: str) -> Callable[[Wildcards], int]:
        """Of a job of a stage among those that could start."""
        stage = catalogue.stage(verb)
        return lambda wildcards: stage.priority(self.study, _subject(stage, wildcards))

    @property
    def gpu(self) -> int:
        """GPUs of a job that trains or needs gradients.

        On a cluster ``auto`` asks for one: the node that gets the job decides whether torch can use it.
        """
        if self.submitted:
            return int(self.study.device != "cpu")
        return int(machine.wants_gpu(self.study.device))

    def names(self, kind: str) -> str:
        """What the files of tables or figures are called, as a regular expression."""
        return "|".join(catalogue.files(kind))

    def shown(self, kind: str) -> Callable[[Wildcards], list[str]]:
        """What a table or figure {name} is made from."""

        def of(wildcards: Wildcards) -> list[str]:
            name, one = catalogue.exhibit_of(kind, wildcards.name)
            if not one.corpora(self.study):
                raise UserError(exhibit.nothing_to_show(name, one))
            return [self._path(made.path) for made in one.inputs(self.study)]

        return of

    def exhibit_settings(self, kind: str) -> Callable[[Wildcards], dict[str, Any]]:
        """For `params`: all of the configuration that a table or figure {name} shows beside its inputs."""
        return lambda wildcards: exhibit.identity(
            self.study, catalogue.exhibit_of(kind, wildcards.name)[1]
        )

    def caption(self, kind: str) -> Callable[[Wildcards], str]:
        """The caption of a table or figure {name} in Snakemake's report, which is reStructuredText."""
        return lambda wildcards: re.sub(
            r"[\\*`|_]", r"\\\g<0>", catalogue.exhibit_of(kind, wildcards.name)[1].caption
        )

    def category(self, kind: str) -> Callable[[Wildcards], str]:
        """Its category there: the papers whose experiments it shows."""

        def of(wildcards: Wildcards) -> str:
            papers = catalogue.exhibit_of(kind, wildcards.name)[1].papers
            return ", ".join(PAPERS[name].authors for name in papers)

        return of

    def labels(self, kind: str) -> Callable[[Wildcards], dict[str, str]]:
        """Its labels there: its name and the question that it answers."""
        return lambda wildcards: {
            kind: wildcards.name,
            "question": catalogue.exhibit_of(kind, wildcards.name)[1].question,
        }

    def exhibit_file(self, kind: str, form: str) -> str:
        """A table or figure {name} in one format."""
        return self._path(f"{kind}s/{{name}}.{form}")

    def exhibit_log(self, kind: str) -> str:
        """The log of a table or figure {name}."""
        return self._path(layout.log_path(kind, "{name}"))

    def exhibit_benchmark(self, kind: str) -> str:
        """Time and memory of making it."""
        return self._path(layout.benchmark_path(kind, "{name}"))

    def _path(self, path: str) -> str:
        return f"{self.study.results_dir}/{path}"


def _subject(stage: Stage[Any], wildcards: Wildcards) -> Subject:
    corpus = str(wildcards.corpus)
    if stage.about == "corpus":
        return corpus
    try:
        return Run.parse(corpus, f"{wildcards.model}/seed-{wildcards.seed}")
    except ValueError as error:
        raise UserError(str(error)) from None


def _growing(amount: int) -> Callable[[Wildcards, int], int]:
    """For `resources`: an amount that grows with every attempt of a job."""
    return lambda wildcards, attempt: amount * attempt


def check_files(study: Study) -> None:
    """Look at every file from outside the results folder without reading it whole.

    Raises:
        UserError: a missing file or column, vectors of the wrong width, or settings that cannot be met.
    """
    stages = [stage for stage in catalogue.stages() if stage.about == "corpus"]
    for corpus in study.corpora:
        for stage in stages:
            stage.check(study, corpus)


def without_missing(study: Study) -> tuple[Study, list[str]]:
    """The study of the corpora that exist, and where the others were looked for.

    Raises:
        UserError: none exists.
    """
    folder = Path(study.corpora_dir)
    places = {name: corpus.source.missing(folder) for name, corpus in study.corpora.items()}
    found = [name for name, missing in places.items() if missing is None]
    told = [f"{name}: {missing} does not exist" for name, missing in places.items() if missing]
    if not found:
        raise UserError(f"no corpus was found: {'; '.join(told)}; set corpora_dir")
    return study.of_corpora(found), told


def read_dag(config: Mapping[str, Any], *, check: bool, resources: Any = None) -> Dag:
    """The study of a Snakemake config; a user's mistake ends the process with one line.

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
            check_files(study)
            for corpus in left_out:
                print(f"attnnn: left out corpus {corpus}", file=sys.stderr)
        dag = Dag(study, submitted=resources is not None and cluster.submits(resources))
        if check and dag.submitted:
            cluster.check(cluster.asks(resources, gpus=dag.gpu))
    except UserError as error:
        _refuse(error)
    return dag


def _refuse(error: UserError) -> NoReturn:
    sys.exit(f"attnnn: {error}")
