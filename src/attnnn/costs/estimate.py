"""What every job of a study will take, and the sums over stages and corpora."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from attnnn.costs.rates import Rates
from attnnn.costs.sizes import sizes_of
from attnnn.dag import catalogue
from attnnn.dag.jobs import PlannedJob, planned_jobs
from attnnn.dag.work import CorpusSize
from attnnn.machine import wants_gpu
from attnnn.stages.train import checkpoint_size
from attnnn.study.config import Study
from attnnn.study.model import Run


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
        """By stage, in the order of the study, and last tables and figures; those without jobs left out."""
        verbs = [stage.verb for stage in catalogue.stages()]
        return self._sums([*verbs, "table", "figure"], lambda job: job.verb)

    @property
    def of_corpora(self) -> dict[str, Sum]:
        """By corpus, and last under the empty name the exhibits, which show all of them."""
        return self._sums([*self.sizes, ""], lambda job: job.corpus or "")

    def _sums(self, names: Iterable[str], key: Callable[[PlannedJob], str]) -> dict[str, Sum]:
        groups = {name: [cost for cost in self.costs if key(cost.job) == name] for name in names}
        return {name: Sum.of(costs) for name, costs in groups.items() if costs}

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
        trained = (cost.job.subject for cost in self.costs if cost.job.verb == "train")
        runs = (run for run in trained if isinstance(run, Run))
        sizes = (checkpoint_size(self.study, run, self.sizes[run.corpus]) for run in runs)
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


def estimate(study: Study, rates: Rates) -> Estimate:
    """What all jobs of a study take, from nothing to its last figure.

    Raises:
        UserError: nothing is known of the size of a corpus.
    """
    sizes, left_out = sizes_of(study)
    study, costs = study.of_corpora(sizes), []
    for job in planned_jobs(study):
        amounts, gpu = job.work(study, sizes), job.on_device and wants_gpu(study.device)
        seconds = (rates.seconds(job.verb, amounts, gpu=on) for on in (gpu, False))
        costs.append(Cost(job, gpu, *seconds, job.size(study, sizes)))
    return Estimate(study, sizes, left_out, costs, rates)
