"""What every job of a study will take, and the sums over stages and corpora."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from attnnn.costs.rates import Rates
from attnnn.costs.sizes import sizes_of
from attnnn.dag import catalogue
from attnnn.dag.jobs import PlannedJob, planned_jobs
from attnnn.dag.work import FOOTER, CorpusSize, publishing
from attnnn.machine import wants_gpu
from attnnn.stages.train import checkpoint_size
from attnnn.study.config import Study
from attnnn.study.model import Run

# Bytes of a table in three formats and of a figure in two, for each corpus that it shows.
_EXHIBIT = {"table": 3_000, "figure": 100_000}


@dataclass(frozen=True)
class Cost:
    """What one job takes.

    Attributes:
        job: which.
        gpu: whether it asks for a GPU.
        seconds: from its start to its end, on a machine that does nothing else.
        cpu_seconds: of its CPU thread.
        bytes: of the files that it leaves.
    """

    job: PlannedJob
    gpu: bool
    seconds: float
    cpu_seconds: float
    bytes: float


@dataclass(frozen=True)
class Sum:
    """What some jobs take together."""

    jobs: int
    gpu_hours: float
    cpu_hours: float
    bytes: float

    @classmethod
    def of(cls, costs: Sequence[Cost]) -> Sum:
        """The sum of some jobs."""
        return cls(
            len(costs),
            sum(cost.seconds for cost in costs if cost.gpu) / 3600,
            sum(cost.cpu_seconds for cost in costs) / 3600,
            sum(cost.bytes for cost in costs),
        )


@dataclass(frozen=True)
class Estimate:
    """What a study takes.

    Attributes:
        study: of the corpora whose size is known.
        sizes: theirs.
        left_out: in words, the other corpora.
        costs: of every job, in an order in which they could run.
        rates: that times are reckoned by.
    """

    study: Study
    sizes: Mapping[str, CorpusSize]
    left_out: Sequence[str]
    costs: Sequence[Cost]
    rates: Rates

    @property
    def total(self) -> Sum:
        """Of all jobs."""
        return Sum.of(self.costs)

    @property
    def of_stages(self) -> dict[str, Sum]:
        """By stage, in the order of the study; those without jobs left out."""
        sums = self._sums(lambda job: job.verb)
        verbs = [*(stage.verb for stage in catalogue.stages()), *_EXHIBIT]
        return {verb: sums[verb] for verb in verbs if verb in sums}

    @property
    def of_corpora(self) -> dict[str, Sum]:
        """By corpus, and last under the empty name the exhibits, which show all of them."""
        sums = self._sums(lambda job: job.corpus or "")
        return {name: sums[name] for name in (*self.sizes, "")}

    @property
    def longest(self) -> Cost:
        """The job that takes longest."""
        return max(self.costs, key=lambda cost: cost.seconds)

    @property
    def untimed_on_gpu(self) -> list[str]:
        """Stages that ask for a GPU, and of which no job was timed on one."""
        asking = {cost.job.verb for cost in self.costs if cost.gpu}
        return [
            verb for verb in self.of_stages if verb in asking and not self.rates.knows_gpu(verb)
        ]

    @property
    def largest_checkpoint(self) -> float:
        """Bytes of the largest checkpoint that a training keeps while it runs."""
        sizes = [
            checkpoint_size(self.study, cost.job.subject, self.sizes[cost.job.subject.corpus])
            for cost in self.costs
            if cost.job.verb == "train" and isinstance(cost.job.subject, Run)
        ]
        return max(sizes, default=0.0)

    def longest_chain(self) -> list[Cost]:
        """Jobs of which each waits for the one before, longest together: no study ends earlier."""
        ending: dict[str, tuple[float, list[Cost]]] = {}
        longest: tuple[float, list[Cost]] = (0.0, [])
        for cost in self.costs:
            awaited = [ending[made.path] for made in cost.job.needs if made.path in ending]
            start, before = max(awaited, key=lambda chain: chain[0], default=(0.0, []))
            chain = (start + cost.seconds, [*before, cost])
            ending.update({made.path: chain for made in cost.job.makes})
            longest = max(longest, chain, key=lambda chain: chain[0])
        return longest[1]

    def _sums(self, key: Callable[[PlannedJob], str]) -> dict[str, Sum]:
        groups: dict[str, list[Cost]] = {}
        for cost in self.costs:
            groups.setdefault(key(cost.job), []).append(cost)
        return {name: Sum.of(costs) for name, costs in groups.items()}


def amounts_of(
    study: Study, job: PlannedJob, sizes: Mapping[str, CorpusSize]
) -> Mapping[str, float]:
    """How much work a job is."""
    if job.stage is None or job.corpus is None:
        shown = catalogue.exhibit(str(job.subject)).corpora(study)
        documents = sum(len(sizes[corpus].lengths("test")) for corpus in shown)
        return publishing(study, len(job.needs), documents)
    return job.stage.work(study, job.subject, sizes[job.corpus])


def estimate(study: Study, rates: Rates) -> Estimate:
    """What all jobs of a study take, from nothing to its last figure.

    Raises:
        UserError: nothing is known of the size of a corpus.
    """
    sizes, left_out = sizes_of(study)
    study = study.of_corpora(sizes)
    costs = [_cost(study, job, sizes, rates) for job in planned_jobs(study)]
    return Estimate(study, sizes, left_out, costs, rates)


def _cost(study: Study, job: PlannedJob, sizes: Mapping[str, CorpusSize], rates: Rates) -> Cost:
    amounts = amounts_of(study, job, sizes)
    gpu = job.stage is not None and job.stage.on_device and wants_gpu(study.device)
    if job.stage is None or job.corpus is None:
        size = float(_EXHIBIT[job.verb] * len(sizes))
    else:
        size = job.stage.size(study, job.subject, sizes[job.corpus])
    seconds = rates.seconds(job.verb, amounts, gpu=gpu)
    return Cost(job, gpu, seconds, rates.seconds(job.verb, amounts), size + FOOTER)
