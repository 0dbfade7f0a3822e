"""The cost model: seconds for every kind of work, fitted on finished jobs and drawn to what is shipped.

A job's time is a sum of amounts of work times non-negative rates, a set of rates for each stage. Rates
minimise

    Σ_jobs ((predicted − observed) / (σ expected))² + Σ_kinds ((rate / (speed · shipped) − 1) / τ)²,

speed being the geometric mean over the jobs of observed / predicted by the shipped rates. All jobs
count by their relative error, a handful of them sets the speed of the machine, and a kind of work that
no job tells about keeps its shipped proportion to the rest. What is expected of a job is first what was
observed and then, so that jobs that happened to be fast do not count for more, what was predicted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attnnn.costs.sizes import sizes_of
from attnnn.dag.benchmarks import seconds_of
from attnnn.dag.jobs import PlannedJob, planned_jobs
from attnnn.dag.layout import benchmark_path
from attnnn.dag.work import Amounts
from attnnn.errors import UserError
from attnnn.stages.train import STAGE as TRAIN
from attnnn.study.config import Study, load
from attnnn.study.model import Run
from attnnn.study.resolved import CONFIG
from attnnn.study.sources.base import Strict
from attnnn.tables.store import write_json

# The rates that come with the package.
SHIPPED = Path(__file__).with_name("shipped.json")
# σ: jobs of equal work differ by a quarter on a busy machine. τ: on another machine one kind of work may
# well cost twice as much, relative to the rest.
_NOISE, _FREEDOM = 0.25, 1.0
# Fits, each weighted by the one before.
_ROUNDS = 4


@dataclass(frozen=True)
class Timing:
    """How long one job took.

    Attributes:
        verb: of its stage, or ``table`` or ``figure``.
        amounts: of work, by kind.
        device: ``cpu`` or ``cuda``.
        seconds: of a CPU thread; on a GPU from start to end.
    """

    verb: str
    amounts: Mapping[str, float]
    device: str
    seconds: float


@dataclass(frozen=True)
class Finished:
    """What there is to learn from one results folder.

    Attributes:
        folder: it.
        timings: of its jobs.
        unused: how many other jobs its configuration has, by what is wrong with them, in words.
    """

    folder: Path
    timings: list[Timing]
    unused: Mapping[str, int]


class Rates(Strict):
    """Seconds per unit of work, as files hold them.

    Attributes:
        origin: in words, where they are from.
        rates: by device, stage and kind of work; ``cuda`` only where jobs on a GPU were timed.
    """

    origin: str
    rates: dict[str, dict[str, dict[str, float]]]

    def of_stage(self, verb: str, device: str = "cpu") -> Amounts:
        """Those of a stage on a device: of a CPU where none of its jobs was timed on it."""
        return self.rates.get(device, {}).get(verb) or self.rates["cpu"].get(verb, {})

    def seconds(self, verb: str, amounts: Mapping[str, float], *, gpu: bool = False) -> float:
        """Of a job that has its CPU thread, or its GPU, for itself: a thread is never idle."""
        rate = self.of_stage(verb, "cuda" if gpu else "cpu")
        return sum(rate.get(kind, 0.0) * amount for kind, amount in amounts.items())


def read_rates(path: str | Path = SHIPPED) -> Rates:
    """Rates that `write_rates` wrote, or those that come with the package.

    Raises:
        UserError: no such file, or another one.
    """
    try:
        found = Rates.model_validate_json(Path(path).read_bytes())
        found.rates["cpu"]["train"]
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; --write-rates writes one") from None
    except (ValueError, KeyError):
        raise UserError(
            f"{path}: expected rates of every stage as --write-rates writes them; write them anew"
        ) from None
    return found


def write_rates(path: str | Path, rates: Rates) -> None:
    """Write rates where `read_rates` finds them."""
    write_json(path, rates.model_dump())


def fitted(timings: Sequence[Timing], prior: Rates) -> Rates:
    """Rates fitted on finished jobs.

    Args:
        timings: of jobs on any device; those of a GPU are never mixed with those of a CPU.
        prior: what the rates are drawn to.
    """
    groups: dict[tuple[str, str], list[Timing]] = {}
    for timing in timings:
        groups.setdefault((timing.device, timing.verb), []).append(timing)
    found = {device: dict(of_device) for device, of_device in prior.rates.items()}
    for (device, verb), group in groups.items():
        # A stage of which nothing is known yet: every kind of work counts as much.
        start = prior.of_stage(verb, device) or {kind: 1.0 for t in group for kind in t.amounts}
        found.setdefault(device, {})[verb] = _fit(group, start)
    origin = f"{len(timings)} finished jobs; what they do not tell, from {prior.origin}"
    return Rates(origin=origin, rates=found) if timings else prior


def _fit(timings: Sequence[Timing], prior: Amounts) -> Amounts:
    from scipy.optimize import nnls

    observed = np.array([timing.seconds for timing in timings])
    work = np.array([[timing.amounts.get(kind, 0.0) for kind in prior] for timing in timings])
    scale = np.array(list(prior.values()))
    scale *= np.exp(np.log(observed / (work @ scale)).mean())
    # Unknowns are rate / (speed · shipped), so that all are about 1.
    drawn, target = np.eye(len(prior)) / _FREEDOM, np.full(len(prior), 1 / _FREEDOM)
    ratio, expected = np.ones(len(prior)), observed
    for _ in range(_ROUNDS):
        weight = 1 / (expected * _NOISE)
        rows = np.concatenate([work * scale * weight[:, None], drawn])
        ratio, _ = nnls(rows, np.concatenate([observed * weight, target]))
        expected = work @ (ratio * scale)
    # Three digits, so that rates which are kept plan as those that were fitted do.
    return {kind: float(f"{rate:.3g}") for kind, rate in zip(prior, ratio * scale, strict=True)}


def read_finished(folder: Path) -> Finished:
    """The timings of a results folder.

    Raises:
        UserError: no results folder, or one without benchmark files.
    """
    if not (folder / CONFIG).is_file() or not (folder / "benchmarks").is_dir():
        raise UserError(
            f"{folder}: expected the results folder of a finished study, with {CONFIG} and benchmarks/; "
            "name one that snakemake wrote"
        )
    here = {"results_dir": str(folder), "missing_corpora": "leave_out"}
    study = load(folder / CONFIG).model_copy(update=here)
    sizes, _ = sizes_of(study)
    study, timings, unused = study.of_corpora(sizes), list[Timing](), Counter[str]()
    for job in planned_jobs(study):
        taken = seconds_of(folder / benchmark_path(job.verb, *job.place), study.threads)
        device = _device(study, job)
        if taken is None:
            unused["without a usable benchmark file"] += 1
        elif device is None:
            unused["left out, as nothing says what device they ran on"] += 1
        else:
            timings.append(Timing(job.verb, job.work(study, sizes), device, taken[device]))
    if not timings:
        raise UserError(
            f"{folder}: no benchmark file of its {unused.total()} jobs can be used; "
            "name the results folder of a study that ran to its end"
        )
    return Finished(folder, timings, unused)


def _device(study: Study, job: PlannedJob) -> str | None:
    """What a job ran on: models say what they were trained on; None where that is not known."""
    if not (job.on_device and isinstance(job.subject, Run)):
        return "cpu"
    path = Path(study.results_dir) / TRAIN.made("model", job.subject).path
    said: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return said.get("device", "cpu" if study.device == "cpu" else None)
