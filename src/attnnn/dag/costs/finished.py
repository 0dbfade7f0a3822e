"""How long jobs of finished studies took, from the benchmark files that Snakemake leaves beside results."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from math import floor
from pathlib import Path

from attnnn.dag.costs.sizes import sizes_of
from attnnn.dag.costs.work import ON_DEVICE, PlannedJob, planned_jobs
from attnnn.dag.layout import Layout
from attnnn.errors import UserError
from attnnn.study.config import Study, load

# Snakemake looks at a job every half second at first, 31 times, and then every 30 seconds
# (snakemake/benchmark.py, ScheduledPeriodicTimer).
_SHORT, _LOOKS, _LONG = 0.5, 31, 30.0


@dataclass(frozen=True)
class Timing:
    """How long one job took.

    Attributes:
        job: with its amounts of work.
        device: ``cpu`` or ``cuda`` for jobs that train or need gradients, ``cpu`` for all others.
        seconds: from start to end.
        cpu_seconds: of all its processes.
    """

    job: PlannedJob
    device: str
    seconds: float
    cpu_seconds: float


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
    if not (path / "config.yaml").is_file() or not (path / "benchmarks").is_dir():
        raise UserError(
            f"{folder}: expected the results folder of a finished study, with config.yaml and benchmarks/; "
            "name one that snakemake wrote"
        )
    study = load(path / "config.yaml").model_copy(
        update={"results_dir": str(path), "missing_corpora": "leave_out"}
    )
    sizes, _ = sizes_of(study)
    study = study.model_copy(update={"corpora": {name: study.corpora[name] for name in sizes}})
    timings: list[Timing] = []
    without = unknown = 0
    for job in planned_jobs(study, sizes):
        rows = _rows(Path(Layout(str(path)).benchmark(job.stage, *job.place)))
        device = _device(study, job) if rows else "cpu"
        without += not rows
        unknown += device is None
        if device is not None:
            timings += [_timing(job, device, *row) for row in rows]
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


def _timing(job: PlannedJob, device: str, seconds: float, seen: float) -> Timing:
    return Timing(job, device, seconds, whole_cpu_seconds(seconds, seen, job.threads))


def _rows(path: Path) -> list[tuple[float, float]]:
    """Seconds and CPU seconds seen; jobs too short for a look at their CPU time are none."""
    if not path.is_file():
        return []
    rows = []
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            try:
                seconds, seen = float(row["s"]), float(row["cpu_time"])
            except (KeyError, ValueError):
                continue  # NA: the job ended before the first look
            if seconds >= _SHORT and seen > 0:
                rows.append((seconds, seen))
    return rows


def _device(study: Study, job: PlannedJob) -> str | None:
    """What a job ran on: models say what they were trained on; None where that is not known."""
    if job.stage not in ON_DEVICE:
        return "cpu"
    run = job.runs[0]
    path = Path(Layout(study.results_dir).model(run.corpus, run.model.name, run.seed, "model.json"))
    if path.is_file():
        device: str | None = json.loads(path.read_text(encoding="utf-8")).get("device")
        if device is not None:
            return device
    return "cpu" if study.device == "cpu" else None
