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
from typing import Any

import numpy as np

from attnnn.errors import UserError
from attnnn.tables.store import write_json

# Seconds per unit of work, by kind.
Rate = Mapping[str, float]
# Device (cpu, cuda) and stage.
Place = tuple[str, str]

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
class Rates:
    """Seconds per unit of work.

    Attributes:
        of: by device and stage; ``cuda`` only where jobs on a GPU were timed.
        origin: in words, where they are from.
    """

    of: Mapping[Place, Rate]
    origin: str

    def knows_gpu(self, verb: str) -> bool:
        """Whether jobs of a stage were timed on a GPU."""
        return ("cuda", verb) in self.of

    def seconds(self, verb: str, amounts: Mapping[str, float], *, gpu: bool = False) -> float:
        """Of a job that has its CPU thread, or its GPU, for itself: a thread is never idle."""
        device = "cuda" if gpu and self.knows_gpu(verb) else "cpu"
        rate = self.of.get((device, verb), {})
        return sum(rate.get(kind, 0.0) * amount for kind, amount in amounts.items())


@cache
def shipped() -> Rates:
    """The rates that come with the package."""
    return _parsed(files("attnnn.costs").joinpath("shipped.json").read_text(encoding="utf-8"))


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
    for (device, verb), rate in rates.of.items():
        shown = {kind: float(f"{value:.3g}") for kind, value in rate.items()}
        of.setdefault(device, {})[verb] = shown
    write_json(path, {"origin": rates.origin, "rates": of})


def _parsed(text: str) -> Rates:
    content = json.loads(text)
    of = {
        (device, verb): {kind: float(value) for kind, value in rate.items()}
        for device, verbs in content["rates"].items()
        for verb, rate in verbs.items()
    }
    of["cpu", "train"]
    return Rates(of, str(content["origin"]))


def fitted(timings: Iterable[Timing], prior: Rates | None = None) -> Rates:
    """Rates fitted on finished jobs.

    Args:
        timings: of jobs on any device; those of a GPU are never mixed with those of a CPU.
        prior: what the rates are drawn to; None: the shipped ones.
    """
    prior = prior or shipped()
    of = dict(prior.of)
    groups: dict[Place, list[Timing]] = {}
    for timing in timings:
        groups.setdefault((timing.device, timing.verb), []).append(timing)
    for (device, verb), group in groups.items():
        known = prior.of.get((device, verb)) or prior.of.get(("cpu", verb))
        # A stage of which nothing is known yet: every kind of work counts as much.
        start = known or dict.fromkeys(sorted({kind for t in group for kind in t.amounts}), 1.0)
        of[device, verb] = _fit(group, start)
    count = sum(map(len, groups.values()))
    return Rates(of, f"{count} finished jobs; what they do not tell, from {prior.origin}")


def _fit(timings: Sequence[Timing], prior: Rate) -> Rate:
    from scipy.optimize import nnls

    kinds = list(prior)
    observed = np.array([timing.seconds for timing in timings])
    work = np.array([[timing.amounts.get(kind, 0.0) for kind in kinds] for timing in timings])
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
