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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np

from attnnn.dag.costs.finished import Timing
from attnnn.dag.costs.work import ON_DEVICE, STAGES, PlannedJob
from attnnn.errors import UserError
from attnnn.tables.store import write_json

Quantity = Literal["seconds", "cpu_seconds"]
OfStage = Mapping[str, float]

# σ: jobs of equal work differ by a quarter on a busy machine. τ: on another machine one kind of work may
# well be twice as dear, relative to the rest.
_NOISE, _FREEDOM = 0.25, 1.0
# Fits, each weighted by the one before.
_ROUNDS = 4


@dataclass(frozen=True)
class Rates:
    """Seconds a unit of work.

    Attributes:
        of: rates by device (``cpu``, ``cuda``), quantity and stage. ``cuda`` is there only for stages
            of which jobs on a GPU were timed.
        origin: in words, where they are from.
    """

    of: Mapping[tuple[str, Quantity, str], OfStage]
    origin: str

    def knows_gpu(self, stage: str) -> bool:
        """Whether jobs of a stage were timed on a GPU."""
        return ("cuda", "seconds", stage) in self.of

    def seconds(self, job: PlannedJob) -> float:
        """From start to end of a job that has its CPU threads, or its GPU, for itself.

        On a CPU a thread is never idle. Runs at once share what comes after the start.
        """
        rates = self._rates(job, "seconds")
        started = _product(rates, {"starts": job.amounts.get("starts", 0.0)})
        return started + (_product(rates, job.amounts) - started) / job.at_once

    def cpu_seconds(self, job: PlannedJob) -> float:
        """Of all CPU threads of a job."""
        return _product(self._rates(job, "cpu_seconds"), job.amounts)

    def _rates(self, job: PlannedJob, quantity: Quantity) -> OfStage:
        if job.gpu and self.knows_gpu(job.stage):
            return self.of["cuda", quantity, job.stage]
        return self.of["cpu", "cpu_seconds", job.stage]


@cache
def shipped() -> Rates:
    """The rates that come with the package."""
    return _parsed(files("attnnn.dag.costs").joinpath("shipped.json").read_text(encoding="utf-8"))


def read_rates(path: str | Path) -> Rates:
    """Rates that `write_rates` wrote.

    Raises:
        UserError: no such file, or another one.
    """
    try:
        return _parsed(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; --write-rates writes one") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError(
            f"{path}: expected rates of every stage as --write-rates writes them; write them anew"
        ) from None


def write_rates(path: str | Path, rates: Rates) -> None:
    """Write rates where `read_rates` finds them."""
    of: dict[str, Any] = {}
    for (device, quantity, stage), rate in rates.of.items():
        of.setdefault(device, {}).setdefault(quantity, {})[stage] = {
            kind: float(f"{value:.3g}") for kind, value in rate.items()
        }
    write_json(path, {"origin": rates.origin, "rates": of})


def _parsed(text: str) -> Rates:
    content = json.loads(text)
    of = {
        (device, quantity, stage): {kind: float(value) for kind, value in rates.items()}
        for device, quantities in content["rates"].items()
        for quantity, stages in quantities.items()
        for stage, rates in stages.items()
    }
    for stage in STAGES:
        of["cpu", "cpu_seconds", stage]
    return Rates(of, str(content["origin"]))


def fitted(timings: Iterable[Timing], prior: Rates | None = None) -> Rates:
    """Rates fitted on finished jobs.

    Args:
        timings: of jobs on any device; those of a GPU are never mixed with those of a CPU.
        prior: what the rates are drawn to; None: the shipped ones.
    """
    prior = prior or shipped()
    of = dict(prior.of)
    groups: dict[tuple[str, str], list[Timing]] = {}
    for timing in timings:
        groups.setdefault((timing.device, timing.job.stage), []).append(timing)
    for (device, stage), group in groups.items():
        start = prior.of["cpu", "cpu_seconds", stage]
        for quantity in _quantities(device, stage):
            known = prior.of.get((device, quantity, stage), start)
            of[device, quantity, stage] = _fit(group, quantity, known)
    count = sum(map(len, groups.values()))
    return Rates(of, f"{count} finished jobs; what they do not tell, from {prior.origin}")


def _quantities(device: str, stage: str) -> Sequence[Quantity]:
    """A CPU's wall time says more of what else it had to do than of the job."""
    on_gpu = device == "cuda" and stage in ON_DEVICE
    return ("seconds", "cpu_seconds") if on_gpu else ("cpu_seconds",)


def _fit(timings: Sequence[Timing], quantity: Quantity, prior: OfStage) -> OfStage:
    from scipy.optimize import nnls

    kinds = list(prior)
    observed = np.array([getattr(timing, quantity) for timing in timings])
    work = np.array([[_shared(timing, kind, quantity) for kind in kinds] for timing in timings])
    scale = np.array([prior[kind] for kind in kinds])
    scale *= np.exp(np.log(observed / (work @ scale)).mean())
    # Unknowns are rate / (speed · shipped), so that all are about 1.
    drawn, target = np.eye(len(kinds)) / _FREEDOM, np.full(len(kinds), 1 / _FREEDOM)
    ratio, expected = np.ones(len(kinds)), observed
    for _ in range(_ROUNDS):
        weight = 1 / (expected * _NOISE)
        rows = np.concatenate([work * scale * weight[:, None], drawn])
        ratio, _ = nnls(rows, np.concatenate([observed * weight, target]))
        expected = work @ (ratio * scale)
    return {kind: float(rate) for kind, rate in zip(kinds, ratio * scale, strict=True)}


def _shared(timing: Timing, kind: str, quantity: Quantity) -> float:
    """An amount as it counts for a quantity: time from start to end is shared by runs at once."""
    amount = timing.job.amounts.get(kind, 0.0)
    return amount / timing.job.at_once if quantity == "seconds" and kind != "starts" else amount


def _product(rates: OfStage, amounts: Mapping[str, float]) -> float:
    return sum(rates[kind] * amount for kind, amount in amounts.items())
