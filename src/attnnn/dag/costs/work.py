"""All jobs of a study, as the workflow runs them: what each needs, makes, and how much work it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from attnnn.dag import layout, targets
from attnnn.dag.costs import amounts
from attnnn.dag.costs.sizes import CorpusSize
from attnnn.dag.jobs import Job, analysis_jobs, compared, training_jobs
from attnnn.machine import wants_gpu
from attnnn.study import design
from attnnn.study.config import Study
from attnnn.study.design import Run

STAGES = (
    "prepare",
    "check",
    "embed",
    "weigh",
    "train",
    "measure",
    "correlate",
    "permute",
    "search",
    "solve",
    "replace",
    "diverge",
    "table",
    "figure",
)
# Stages whose jobs ask for a GPU where the study's device is one.
ON_DEVICE = frozenset({"train", "measure", "search", "replace"})


@dataclass(frozen=True)
class PlannedJob:
    """One job of the workflow.

    Attributes:
        stage: one of `STAGES`.
        corpus: that it works on; None where it is all of them.
        place: its name within the stage, as the path of its benchmark file spells it.
        amounts: of work, by kind (see `amounts`).
        needs: files that it reads and another job makes.
        makes: files that it writes.
        gpu: whether it asks for a GPU.
        at_once: runs that it does at the same time.
        threads: CPU threads that it reserves.
        runs: those it is about, if any.
    """

    stage: str
    corpus: str | None
    place: tuple[str, ...]
    amounts: Mapping[str, float]
    needs: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()
    gpu: bool = False
    at_once: int = 1
    threads: int = 1
    runs: tuple[Run, ...] = ()

    @property
    def name(self) -> str:
        """As people read it."""
        return " ".join((self.stage, *self.place))


def planned_jobs(study: Study, sizes: Mapping[str, CorpusSize]) -> list[PlannedJob]:
    """Every job of a study from nothing to its last figure, those that others wait for before them.

    Args:
        study: the configuration, with corpora of known size alone.
        sizes: of its corpora.
    """
    return list(_Jobs(study, sizes).all())


@dataclass(frozen=True)
class _Jobs:
    study: Study
    sizes: Mapping[str, CorpusSize]

    @property
    def paths(self) -> layout.Layout:
        return layout.Layout(self.study.results_dir)

    def all(self) -> Iterator[PlannedJob]:
        yield from self.of_corpora()
        for job in training_jobs(self.study):
            yield self.training(job)
        yield from self.analyses()
        for job in training_jobs(self.study):
            part = compared(self.study, job)
            if part is not None:
                yield self.comparing(part)
        yield from self.published()

    def of_corpora(self) -> Iterator[PlannedJob]:
        prepared = {name: self.paths.corpus(name, "documents.parquet") for name in self.sizes}
        for name, size in self.sizes.items():
            work = amounts.preparing(self.study, name, size)
            yield PlannedJob("prepare", name, (name,), work, (), (prepared[name],))
        needs = tuple(prepared.values())
        yield PlannedJob("check", None, (), amounts.checking(), needs, (self.paths.checked(),))
        for name, size in self.sizes.items():
            if self.study.corpora[name].embedding.kind != "random":
                work = amounts.embedding(self.study, name, size)
                made = (self.paths.corpus(name, "embedding.safetensors"),)
                yield PlannedJob("embed", name, (name,), work, (self.paths.checked(),), made)
            if design.has_log_odds(self.study, name):
                work = amounts.weighing(size)
                made = (self.paths.corpus(name, "log_odds.parquet"),)
                yield PlannedJob("weigh", name, (name,), work, (self.paths.checked(),), made)

    def training(self, job: Job) -> PlannedJob:
        at_once = min(self.study.jobs.runs_at_once, len(job.runs))
        needs = targets.guides(self.study, job.runs)
        if self.study.corpora[job.corpus].embedding.kind != "random":
            needs.append(self.paths.corpus(job.corpus, "embedding.safetensors"))
        return PlannedJob(
            "train",
            job.corpus,
            (job.corpus, job.name),
            amounts.training(self.study, job.runs, self.sizes[job.corpus]),
            (self.paths.checked(), *needs),
            tuple(self.paths.predictions_of(run) for run in job.runs),
            gpu=wants_gpu(self.study.device),
            at_once=at_once,
            threads=self.study.threads * at_once,
            runs=job.runs,
        )

    def analyses(self) -> Iterator[PlannedJob]:
        for stage, (runs_of, tables) in _ANALYSES.items():
            for job in analysis_jobs(self.study, runs_of):
                yield self.analysis(stage, job, tables)

    def analysis(self, stage: str, job: Job, tables: tuple[str, ...]) -> PlannedJob:
        on_device = stage in ON_DEVICE
        scores = [
            self.paths.importance_of(run, method)
            for run in job.runs
            for method in layout.IMPORTANCE_METHODS
        ]
        needs = [self.paths.predictions_of(run) for run in job.runs]
        if stage == "replace":
            needs.append(self.paths.corpus(job.corpus, "log_odds.parquet"))
        if stage == "solve" and not self.study.corpora[job.corpus].source.two_classes:
            needs += [self.paths.analysis_of("searched_adversary", run) for run in job.runs]
        makes = [self.paths.analysis_of(table, run) for run in job.runs for table in tables]
        return PlannedJob(
            stage,
            job.corpus,
            (job.corpus, job.name),
            amounts.of_runs(stage, self.study, job.runs, self.sizes[job.corpus]),
            tuple(needs + (scores if stage == "correlate" else [])),
            tuple(scores if stage == "measure" else makes),
            gpu=on_device and wants_gpu(self.study.device),
            threads=self.study.threads if on_device else 1,
            runs=job.runs,
        )

    def comparing(self, job: Job) -> PlannedJob:
        read = (*job.runs, design.base_run(self.study, job.corpus))
        return PlannedJob(
            "diverge",
            job.corpus,
            (job.corpus, job.name),
            amounts.comparing(self.study, job.runs, self.sizes[job.corpus]),
            tuple(self.paths.predictions_of(run) for run in read),
            tuple(self.paths.analysis_of("divergence", run) for run in job.runs),
            runs=job.runs,
        )

    def published(self) -> Iterator[PlannedJob]:
        made = targets.all_targets(self.study)
        for stage, place, names, form in (
            ("table", self.paths.table, layout.TABLES, layout.TABLE_FORMATS[0]),
            ("figure", self.paths.figure, layout.FIGURES, layout.FIGURE_FORMATS[0]),
        ):
            for name in names:
                if place(name, form) not in made:
                    continue
                needs = tuple(targets.needs(self.study, name))
                work = amounts.publishing(self.study, len(needs), self.sizes.values())
                yield PlannedJob(stage, None, (name,), work, needs)


_ANALYSES: dict[str, tuple[Callable[[Study, str], list[Run]], tuple[str, ...]]] = {
    "measure": (design.explained_runs, ()),
    "correlate": (design.explained_runs, ("correlation",)),
    "permute": (design.attacked_runs, ("permutation",)),
    "search": (design.attacked_runs, ("searched_adversary", "searched_candidates")),
    "solve": (design.attacked_runs, ("exact_adversary",)),
    "replace": (design.replaced_runs, ("replacement",)),
}
