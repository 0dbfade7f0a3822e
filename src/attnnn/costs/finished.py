"""How long jobs of finished studies took, from the benchmark files that Snakemake leaves beside results."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from math import floor
from pathlib import Path

from attnnn.costs.rates import Timing
from attnnn.costs.sizes import sizes_of
from attnnn.dag.jobs import PlannedJob, planned_jobs
from attnnn.dag.layout import benchmark_path
from attnnn.errors import UserError
from attnnn.stages.train import STAGE as TRAIN
from attnnn.study.config import Study, load
from attnnn.study.model import Run
from attnnn.study.resolved import CONFIG

# Snakemake looks at a job every half second at first, 31 times, and then every 30 seconds
# (snakemake/benchmark.py, ScheduledPeriodicTimer).
_SHORT, _LOOKS, _LONG = 0.5, 31, 30.0


@dataclass(frozen=True)
class Finished:
    """What there is to learn from one results folder.

    Attributes:
        folder: it.
        timings: of its jobs.
        without: jobs of its configuration that left no usable benchmark file.
        unknown_device: jobs left out because nothing says what device they ran on.
    """

    folder: str
    timings: list[Timing]
    without: int
    unknown_device: int


def read_finished(folder: str | Path) -> Finished:
    """The timings of a results folder.

    Raises:
        UserError: no results folder, or one without benchmark files.
    """
    path = Path(folder)
    if not (path / CONFIG).is_file() or not (path / "benchmarks").is_dir():
        raise UserError(
            f"{folder}: expected the results folder of a finished study, with {CONFIG} and benchmarks/; "
            "name one that snakemake wrote"
        )
    here = {"results_dir": str(path), "missing_corpora": "leave_out"}
    study = load(path / CONFIG).model_copy(update=here)
    sizes, _ = sizes_of(study)
    study = study.of_corpora(sizes)
    timings: list[Timing] = []
    without = unknown = 0
    for job in planned_jobs(study):
        taken = _seconds(path / benchmark_path(job.verb, *job.place), study.threads)
        device = _device(study, job)
        if taken is None:
            without += 1
        elif device is None:
            unknown += 1
        else:
            timings.append(Timing(job.verb, job.work(study, sizes), device, taken[device]))
    if not timings:
        raise UserError(
            f"{folder}: no benchmark file of its {without + unknown} jobs can be used; "
            "name the results folder of a study that ran to its end"
        )
    return Finished(str(folder), timings, without, unknown)


def whole_cpu_seconds(seconds: float, seen: float, threads: int) -> float:
    """CPU time of a whole job, of which Snakemake saw a part: it looks the last time before the end.

    The load until then is taken for the rest; no job uses more than its threads.

    Args:
        seconds: from the job's start to its end.
        seen: CPU seconds at the last look.
        threads: that the job reserved.
    """
    if seconds <= _SHORT * _LOOKS:
        last = floor(seconds / _SHORT) * _SHORT
    else:
        last = _SHORT * _LOOKS + floor((seconds - _SHORT * _LOOKS) / _LONG) * _LONG
    return max(seen, min(seen * seconds / last, seconds * threads))


def _seconds(path: Path, threads: int) -> dict[str, float] | None:
    """What counts on either device; None for a job too short for a look at its CPU time, which is NA or 0."""
    if not path.is_file():
        return None
    with path.open(encoding="utf-8") as file:
        try:
            [row] = csv.DictReader(file, delimiter="\t")
            seconds, seen = float(row["s"]), float(row["cpu_time"])
        except (KeyError, ValueError):
            return None
    usable = seconds >= _SHORT and seen > 0
    return {"cpu": whole_cpu_seconds(seconds, seen, threads), "cuda": seconds} if usable else None


def _device(study: Study, job: PlannedJob) -> str | None:
    """What a job ran on: models say what they were trained on; None where that is not known."""
    if not (job.on_device and isinstance(job.subject, Run)):
        return "cpu"
    path = Path(study.results_dir) / TRAIN.made("model", job.subject).path
    said: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return said.get("device", "cpu" if study.device == "cpu" else None)
