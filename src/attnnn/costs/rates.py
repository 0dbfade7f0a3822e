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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attnnn.dag.work import Amounts
from attnnn.errors import UserError
from attnnn.study.sources.base import Strict
from attnnn.tables.store import write_json

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


class Rates(Strict):
    """Seconds per unit of work, as files hold them.

    Attributes:
        origin: in words, where they are from.
        rates: by device, stage and kind of work; ``cuda`` only where jobs on a GPU were timed.
    """

    origin: str
    rates: dict[str, dict[str, dict[str, float]]]

    def knows_gpu(self, verb: str) -> bool:
        """Whether jobs of a stage were timed on a GPU."""
        return verb in self.rates.get("cuda", {})

    def of_stage(self, verb: str, device: str = "cpu") -> Amounts:
        """Those of a stage on a device: of a CPU where none of its jobs was timed on it."""
        return self.rates.get(device, {}).get(verb) or self.rates["cpu"].get(verb, {})

    def seconds(self, verb: str, amounts: Mapping[str, float], *, gpu: bool = False) -> float:
        """Of a job that has its CPU thread, or its GPU, for itself: a thread is never idle."""
        rate = self.of_stage(verb, "cuda" if gpu else "cpu")
        return sum(rate.get(kind, 0.0) * amount for kind, amount in amounts.items())


def shipped() -> Rates:
    """The rates that come with the package."""
    return read_rates(Path(__file__).with_name("shipped.json"))


def read_rates(path: str | Path) -> Rates:
    """Rates that `write_rates` wrote.

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


def fitted(timings: Iterable[Timing], prior: Rates | None = None) -> Rates:
    """Rates fitted on finished jobs.

    Args:
        timings: of jobs on any device; those of a GPU are never mixed with those of a CPU.
        prior: what the rates are drawn to; None: the shipped ones.
    """
    prior, groups = prior or shipped(), dict[tuple[str, str], list[Timing]]()
    for timing in timings:
        groups.setdefault((timing.device, timing.verb), []).append(timing)
    found = {device: dict(of_device) for device, of_device in prior.rates.items()}
    for (device, verb), group in groups.items():
        # A stage of which nothing is known yet: every kind of work counts as much.
        kinds = sorted({kind for timing in group for kind in timing.amounts})
        start = prior.of_stage(verb, device) or dict.fromkeys(kinds, 1.0)
        found.setdefault(device, {})[verb] = _fit(group, start)
    count = sum(map(len, groups.values()))
    origin = f"{count} finished jobs; what they do not tell, from {prior.origin}"
    return Rates(origin=origin, rates=found) if count else prior


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
    rates = (float(f"{rate:.3g}") for rate in ratio * scale)
    return dict(zip(prior, rates, strict=True))
