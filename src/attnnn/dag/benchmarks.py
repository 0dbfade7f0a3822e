"""What the benchmark files that Snakemake leaves beside results say of jobs."""

from __future__ import annotations

import csv
from pathlib import Path

# Snakemake looks at a job every half second at first, 31 times, and then every 30 seconds
# (snakemake/benchmark.py, ScheduledPeriodicTimer).
_SHORT, _LOOKS, _LONG = 0.5, 31, 30.0


def seconds_of(path: Path, threads: int) -> dict[str, float] | None:
    """What a job took of each device: of a GPU (cuda) from its start to its end, and of the CPU.

    None where there is no such file, or where it is no use: the job was too short for a look at its CPU
    time, which then is NA or 0. CPU time is that of the whole job (see `whole_cpu_seconds`).

    Args:
        path: the benchmark file.
        threads: that the job reserved.
    """
    if not path.is_file():
        return None
    with path.open(encoding="utf-8") as file:
        try:
            [row] = csv.DictReader(file, delimiter="\t")
            seconds, seen = float(row["s"]), float(row["cpu_time"])
        except (KeyError, ValueError):
            return None
    if seconds < _SHORT or seen <= 0:
        return None
    return {"cuda": seconds, "cpu": whole_cpu_seconds(seconds, seen, threads)}


def whole_cpu_seconds(seconds: float, seen: float, threads: int) -> float:
    """CPU time of a whole job, of which Snakemake saw a part: it looks the last time before the end.

    The load until then is taken for the rest; no job uses more than its threads.

    Args:
        seconds: from the job's start to its end.
        seen: CPU seconds at the last look.
        threads: that the job reserved.
    """
    early = min(seconds, _SHORT * _LOOKS)
    last = early // _SHORT * _SHORT + (seconds - early) // _LONG * _LONG
    return max(seen, min(seen * seconds / last, seconds * threads))
