"""What every job of a study will take, the sums over stages and corpora, and all of it as people read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from attnnn.costs.rates import Finished, Rates
from attnnn.costs.sizes import sizes_of
from attnnn.dag import catalogue
from attnnn.dag.jobs import PlannedJob, longest_chain, planned_jobs
from attnnn.dag.work import CorpusSize
from attnnn.machine import wants_gpu
from attnnn.study.config import Study


@dataclass(frozen=True)
class Cost:
    """What one job takes.

    Attributes:
        job: which.
        gpu: whether it asks for a GPU.
        seconds: from its start to its end, on a machine that does nothing else.
        cpu_seconds: of its CPU thread.
        bytes: of the files that it leaves.
        scratch: bytes of those that it keeps only while it runs.
    """

    job: PlannedJob
    gpu: bool
    seconds: float
    cpu_seconds: float
    bytes: float
    scratch: float = 0.0


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


def estimate(study: Study, rates: Rates) -> Estimate:
    """What all jobs of a study take, from nothing to its last figure.

    Raises:
        UserError: nothing is known of the size of a corpus.
    """
    sizes, left_out = sizes_of(study)
    study, costs = study.of_corpora(sizes), []
    for job in planned_jobs(study):
        amounts, gpu = job.work(study, sizes), job.on_device and wants_gpu(study.device)
        seconds = rates.seconds(job.verb, amounts, gpu=gpu), rates.seconds(job.verb, amounts)
        costs.append(Cost(job, gpu, *seconds, job.size(study, sizes), job.scratch(study, sizes)))
    return Estimate(study, sizes, left_out, costs, rates)


def report(found: Estimate, finished: Sequence[Finished] = ()) -> str:
    """The printout of `attnnn plan`, without a line break at its end.

    Args:
        found: the estimate.
        finished: the results folders that its rates were fitted on.
    """
    parts = _head(found), _corpora(found), _sums(found), _lengths(found), _origin(found, finished)
    return "\n\n".join("\n".join(lines) for lines in parts)


def _head(found: Estimate) -> Iterator[str]:
    corpora = f"{len(found.sizes)} {'corpus' if len(found.sizes) == 1 else 'corpora'}"
    trainings = sum(cost.job.verb == "train" for cost in found.costs)
    yield f"{corpora}, {trainings} trainings, {len(found.costs)} jobs"
    asking, device = sum(cost.gpu for cost in found.costs), found.study.device
    auto = ", as there is one here" if asking else ", as there is none here: on a cluster, name it"
    yield f"device: {device}; {asking or 'no'} jobs ask for a GPU{auto if device == 'auto' else ''}"


def _corpora(found: Estimate) -> Iterator[str]:
    rows = [("corpus", "train", "dev", "test", "mean tokens", "vocabulary", "known from")]
    for name, size in found.sizes.items():
        train, dev, test = (f"{len(size.lengths(split)):,}" for split in ("train", "dev", "test"))
        mean = size.all_lengths.mean() if len(size.all_lengths) else 0
        rows.append((name, train, dev, test, f"{mean:.0f}", f"{size.vocabulary:,}", size.origin))
    yield from _aligned(rows, left=(0, 6))
    yield from (f"left out: {line}" for line in found.left_out)


def _sums(found: Estimate) -> Iterator[str]:
    rows: list[tuple[str, ...]] = [("", "jobs", "GPU-hours", "CPU-hours", "disk")]
    for sums in (found.of_stages, found.of_corpora, {"total": Sum.of(found.costs)}):
        for name, one in sums.items():
            hours = (f"{h:.3f}" if h < 10 else f"{h:,.1f}" for h in (one.gpu_hours, one.cpu_hours))
            rows.append((name or "(all corpora)", f"{one.jobs:,}", *hours, shown_bytes(one.bytes)))
        rows.append(("",) * 5)
    yield from _aligned(rows[:-1], left=(0,))


def _lengths(found: Estimate) -> Iterator[str]:
    longest = max(found.costs, key=lambda cost: cost.seconds)
    yield f"longest job: {shown_time(longest.seconds)}, {longest.job.name}"
    seconds, chain = longest_chain((cost.job, cost.seconds) for cost in found.costs)
    verbs = " > ".join(job.verb for job in chain)
    yield f"longest chain of jobs that wait for one another: {shown_time(seconds)}, {verbs}"
    largest = shown_bytes(max(cost.scratch for cost in found.costs))
    yield f"checkpoints: up to {largest} more for each training job while it runs"


def _origin(found: Estimate, finished: Sequence[Finished]) -> Iterator[str]:
    yield f"times from {found.rates.origin}"
    for one in finished:
        unused = "".join(f"; {number} {reason}" for reason, number in one.unused.items())
        yield f"  {one.folder}: {len(one.timings)} jobs used{unused}"
    timed, stages = found.rates.rates.get("cuda", {}), found.of_stages.items()
    untimed = [verb for verb, one in stages if one.gpu_hours and verb not in timed]
    if untimed:
        yield (
            f"no job of {', '.join(untimed)} was ever timed on a GPU: these GPU-hours are what "
            "one CPU thread would take, likely far too many; learn from a study run on yours (--fitted-on)"
        )


def shown_time(seconds: float) -> str:
    """Hours and minutes, or minutes and seconds below an hour."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    return f"{minutes} min {rest:02d} s"


def shown_bytes(number: float) -> str:
    """In a decimal unit, three digits or so."""
    value = number / 1000
    for unit in ("kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.3g} {unit}" if value < 100 else f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:,.1f} TB"


def _aligned(rows: Sequence[tuple[str, ...]], *, left: tuple[int, ...]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
