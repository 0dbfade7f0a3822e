"""What every job of a study will take, and the sums over stages and corpora."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from attnnn.dag.costs.disk import bytes_of, checkpoint_bytes
from attnnn.dag.costs.rates import Rates
from attnnn.dag.costs.sizes import CorpusSize, sizes_of
from attnnn.dag.costs.work import ON_DEVICE, STAGES, PlannedJob, planned_jobs
from attnnn.study.config import Study


@dataclass(frozen=True)
class Cost:
    """What one job takes.

    Attributes:
        job: which.
        seconds: from its start to its end.
        cpu_seconds: of all its CPU threads.
        bytes: of the files that it leaves.
        checkpoint_bytes: of the checkpoints that it keeps until it ends.
    """

    job: PlannedJob
    seconds: float
    cpu_seconds: float
    bytes: float
    checkpoint_bytes: float


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
            sum(cost.seconds for cost in costs if cost.job.gpu) / 3600,
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
        sums = self._sums(lambda job: job.stage)
        return {stage: sums[stage] for stage in STAGES if stage in sums}

    @property
    def of_corpora(self) -> dict[str, Sum]:
        """By corpus, and last under the empty name the jobs that read all of them."""
        sums = self._sums(lambda job: job.corpus or "")
        return {name: sums[name] for name in (*self.sizes, "")}

    @property
    def longest(self) -> Cost:
        """The job that takes longest."""
        return max(self.costs, key=lambda cost: cost.seconds)

    @property
    def untimed_on_gpu(self) -> list[str]:
        """Stages that ask for a GPU, and of which no job was timed on one."""
        asking = {cost.job.stage for cost in self.costs if cost.job.gpu}
        return [
            stage
            for stage in STAGES
            if stage in asking & ON_DEVICE and not self.rates.knows_gpu(stage)
        ]

    def longest_chain(self) -> list[Cost]:
        """Jobs of which each waits for the one before, longest together: no study ends earlier."""
        ending: dict[str, tuple[float, list[Cost]]] = {}
        longest: tuple[float, list[Cost]] = (0.0, [])
        for cost in self.costs:
            awaited = [ending[path] for path in cost.job.needs if path in ending]
            start, before = max(awaited, key=lambda chain: chain[0], default=(0.0, []))
            chain = (start + cost.seconds, [*before, cost])
            ending.update(dict.fromkeys(cost.job.makes, chain))
            longest = max(longest, chain, key=lambda chain: chain[0])
        return longest[1]

    def _sums(self, key: Callable[[PlannedJob], str]) -> dict[str, Sum]:
        groups: dict[str, list[Cost]] = {}
        for cost in self.costs:
            groups.setdefault(key(cost.job), []).append(cost)
        return {name: Sum.of(costs) for name, costs in groups.items()}


def estimate(study: Study, rates: Rates) -> Estimate:
    """What all jobs of a study take, from nothing to its last figure.

    Raises:
        UserError: nothing is known of the size of a corpus.
    """
    sizes, left_out = sizes_of(study)
    study = study.model_copy(update={"corpora": {name: study.corpora[name] for name in sizes}})
    costs = [
        Cost(
            job,
            rates.seconds(job),
            rates.cpu_seconds(job),
            bytes_of(study, job, sizes),
            checkpoint_bytes(study, job, sizes),
        )
        for job in planned_jobs(study, sizes)
    ]
    return Estimate(study, sizes, left_out, costs, rates)
