"""What is measured: wall and CPU time, peak memory, the machine and its rate of matrix products."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

# A side's setup: returns what is timed. So copies of models and the like are not.
Setup = Callable[[], Callable[[], Any]]

# Short runs are repeated within a round until this many seconds have passed.
_ROUND_SECONDS = 0.2


@dataclass(frozen=True)
class Seconds:
    """One run, or the median of several.

    Attributes:
        wall: elapsed.
        cpu: of this process, all its threads together.
    """

    wall: float
    cpu: float

    def __truediv__(self, share: float) -> Seconds:
        return Seconds(self.wall / share, self.cpu / share)


def synchronize(device: str) -> None:
    """Wait for the GPU, if that is the device."""
    if device == "cuda":
        torch.cuda.synchronize()


def timed(work: Callable[[], Any], device: str) -> tuple[Seconds, Any]:
    """Run once; the time it took and what it returned."""
    synchronize(device)
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    synchronize(device)
    return Seconds(time.perf_counter() - wall, time.process_time() - cpu), result


def interleaved(
    sides: dict[str, Setup], *, repeats: int, budget: float, device: str
) -> tuple[dict[str, Seconds], dict[str, Any], int]:
    """Run all sides in turn, several rounds.

    Whatever else the machine does then falls on every side alike. The first run of a side warms it up: it is
    timed only where it takes so long that warming hardly matters.

    Args:
        sides: what to time, by name.
        repeats: rounds at most.
        budget: seconds after which no further round is begun.
        device: ``cpu`` or ``cuda``.

    Returns:
        Each side's median time, each side's first result, and the number of rounds.
    """
    results, taken = {}, {name: [] for name in sides}  # type: dict[str, Any], dict[str, list[Seconds]]
    began = time.perf_counter()
    for name, setup in sides.items():
        seconds, results[name] = timed(setup(), device)
        if seconds.wall > 5:
            taken[name].append(seconds)
    rounds = 0
    while rounds < repeats and (rounds == 0 or time.perf_counter() - began < budget):
        for name, setup in sides.items():
            if not (rounds == 0 and taken[name]):
                taken[name] += _round(setup, device)
        rounds += 1
    return {name: median(times) for name, times in taken.items()}, results, rounds


def _round(setup: Setup, device: str) -> list[Seconds]:
    times: list[Seconds] = []
    while sum(seconds.wall for seconds in times) < _ROUND_SECONDS:
        times.append(timed(setup(), device)[0])
    return times


def median(times: list[Seconds]) -> Seconds:
    """Of wall and CPU time separately."""
    return Seconds(
        statistics.median(seconds.wall for seconds in times),
        statistics.median(seconds.cpu for seconds in times),
    )


def product_rate(device: str, *, size: int = 2048, repeats: int = 7) -> float:
    """Operations a second of a large float32 matrix product; per CPU-second on a CPU.

    The best of some runs: it stands for what the machine can do. CPU-seconds rather than seconds, so
    that work of others on the machine does not count against either rate.
    """
    left, right = (torch.rand(size, size, device=device) for _ in range(2))
    times = [timed(lambda: left @ right, device)[0] for _ in range(repeats)][1:]
    return 2 * size**3 / min(busy(seconds, device) for seconds in times)


def busy(seconds: Seconds, device: str) -> float:
    """The seconds that rates are made of: CPU-seconds on a CPU, elapsed ones on a GPU."""
    return seconds.wall if device == "cuda" else max(seconds.cpu, 1e-9)


def peak_memory_mb() -> float:
    """The largest resident memory that this process has had, in MiB.

    Linux's `ru_maxrss` starts at what the parent process had, so /proc is asked first.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def machine(device: str, threads: int) -> str:
    """Processor, cores, threads, GPU and torch's version in one line."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        name = names[0] if names else name
    parts = [name, f"{os.cpu_count()} cores", f"{threads} threads", f"torch {torch.__version__}"]
    if device == "cuda":
        parts.insert(0, torch.cuda.get_device_name())
    return ", ".join(parts)
