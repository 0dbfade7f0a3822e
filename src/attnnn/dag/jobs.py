"""All jobs of a study: what its exhibits need, and what that needs, back to the corpora."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from attnnn.dag import catalogue
from attnnn.dag.stage import Artifact, Stage, Subject, corpus_of
from attnnn.dag.work import FOOTER, Amounts, CorpusSize, publishing
from attnnn.study.config import Study
from attnnn.study.model import Run


@dataclass(frozen=True)
class PlannedJob:
    """One job of the workflow.

    Attributes:
        verb: of its stage, or ``table`` or ``figure``.
        subject: the corpus or run that it is about, or the name of the exhibit.
        needs: what it reads and another job makes.
        makes: what it writes for others.
        stage: None for an exhibit.
    """

    verb: str
    subject: Subject
    needs: tuple[Artifact, ...]
    makes: tuple[Artifact, ...]
    stage: Stage[Any] | None = None

    @property
    def corpus(self) -> str | None:
        """The corpus that it works on; None for an exhibit, which may show all."""
        return None if self.stage is None else corpus_of(self.subject)

    @property
    def place(self) -> tuple[str, ...]:
        """Its name within its stage, as the paths of its log and benchmark file spell it."""
        if isinstance(self.subject, Run):
            run = self.subject
            return run.corpus, run.model.name, f"seed-{run.seed}"
        return (self.subject.removesuffix(f"_{self.verb}"),)

    @property
    def name(self) -> str:
        """As people read it."""
        return f"{self.verb} {'/'.join(self.place)}"

    @property
    def on_device(self) -> bool:
        """Whether it runs on a GPU where there is one."""
        return self.stage is not None and self.stage.on_device

    def work(self, study: Study, sizes: Mapping[str, CorpusSize]) -> Amounts:
        """How much work it is, by kind (see `dag.work`), on corpora of such sizes."""
        if self.stage is not None:
            return dict(self.stage.work(study, self.subject, sizes[corpus_of(self.subject)]))
        shown = catalogue.exhibit(str(self.subject)).corpora(study)
        documents = sum(len(sizes[corpus].lengths("test")) for corpus in shown)
        return publishing(study, len(self.needs), documents)

    def size(self, study: Study, sizes: Mapping[str, CorpusSize]) -> float:
        """Bytes of the files that it leaves, its log and benchmark file among them."""
        if self.stage is not None:
            return FOOTER + self.stage.size(study, self.subject, sizes[corpus_of(self.subject)])
        return FOOTER + float(catalogue.exhibit(str(self.subject)).size_per_corpus * len(sizes))

    def scratch(self, study: Study, sizes: Mapping[str, CorpusSize]) -> float:
        """Bytes of the files that it keeps only while it runs."""
        if self.stage is None:
            return 0.0
        return self.stage.scratch(study, self.subject, sizes[corpus_of(self.subject)])


def planned_jobs(study: Study) -> list[PlannedJob]:
    """Every job of a study from nothing to its last exhibit, those that others wait for before them."""
    exhibits = catalogue.exhibits(study)
    needs = {name: tuple(one.inputs(study)) for name, one in exhibits.items()}
    jobs = jobs_for(study, (made for needed in needs.values() for made in needed))
    return jobs + [PlannedJob(one.kind, name, needs[name], ()) for name, one in exhibits.items()]


def jobs_for(study: Study, wanted: Iterable[Artifact]) -> list[PlannedJob]:
    """The jobs that make some files, and all that these need, in an order in which they could run."""
    ordered: dict[tuple[str, Subject], PlannedJob] = {}

    def visit(made: Artifact) -> None:
        key = made.verb, made.subject
        if key in ordered:
            return
        stage = catalogue.stage(made.verb)
        job = stage.job(study, made.subject)
        for needed in job.inputs.values():
            visit(needed)
        needs, makes = tuple(job.inputs.values()), tuple(job.outputs.values())
        ordered[key] = PlannedJob(made.verb, made.subject, needs, makes, stage)

    for made in wanted:
        visit(made)
    return list(ordered.values())


def longest_chain(timed: Iterable[tuple[PlannedJob, float]]) -> tuple[float, list[PlannedJob]]:
    """Jobs of which each waits for the one before, longest together: no study ends earlier.

    Args:
        timed: jobs, in an order in which they could run, with what each takes.

    Returns:
        What they take together, and the jobs.
    """
    ending: dict[str, tuple[float, list[PlannedJob]]] = {}
    longest: tuple[float, list[PlannedJob]] = (0.0, [])
    for job, seconds in timed:
        awaited = [ending[made.path] for made in job.needs if made.path in ending]
        start, before = max(awaited, key=lambda chain: chain[0], default=(0.0, []))
        chain = (start + seconds, [*before, job])
        ending.update({made.path: chain for made in job.makes})
        longest = max(longest, chain, key=lambda chain: chain[0])
    return longest
