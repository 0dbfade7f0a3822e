"""An estimate as people read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attnnn.costs.estimate import Estimate
from attnnn.costs.finished import Finished

_UNITS = ("kB", "MB", "GB", "TB")


def report(found: Estimate, finished: Sequence[Finished] = ()) -> str:
    """The printout of `attnnn plan`, without a line break at its end.

    Args:
        found: the estimate.
        finished: the results folders that its rates were fitted on.
    """
    parts = _head(found), _corpora(found), _sums(found), _lengths(found), _origin(found, finished)
    return "\n\n".join("\n".join(lines) for lines in parts)


def _head(found: Estimate) -> Iterator[str]:
    corpora, trainings = len(found.sizes), sum(cost.job.verb == "train" for cost in found.costs)
    yield (
        f"{corpora} corp{'us' if corpora == 1 else 'ora'}, {trainings} trainings, "
        f"{len(found.costs)} jobs"
    )
    asking = sum(cost.gpu for cost in found.costs)
    auto = ", as there is one here" if asking else ", as there is none here: on a cluster, name it"
    yield (
        f"device: {found.study.device}; {asking or 'no'} jobs ask for a GPU"
        f"{auto if found.study.device == 'auto' else ''}"
    )


def _corpora(found: Estimate) -> Iterator[str]:
    rows = [("corpus", "train", "dev", "test", "mean tokens", "vocabulary", "known from")]
    for name, size in found.sizes.items():
        train, dev, test = (f"{len(size.lengths(split)):,}" for split in ("train", "dev", "test"))
        mean = size.all_lengths.mean() if len(size.all_lengths) else 0
        rows.append((name, train, dev, test, f"{mean:.0f}", f"{size.vocabulary:,}", size.origin))
    yield from _aligned(rows, left=(0, 6))
    yield from (f"left out: {line}" for line in found.left_out)


def _sums(found: Estimate) -> Iterator[str]:
    rows, gap = [("", "jobs", "GPU-hours", "CPU-hours", "disk")], ("",) * 5
    for sums in (found.of_stages, found.of_corpora, {"total": found.total}):
        for name, one in sums.items():
            hours = (f"{h:.3f}" if h < 10 else f"{h:,.1f}" for h in (one.gpu_hours, one.cpu_hours))
            rows.append((name or "(all corpora)", f"{one.jobs:,}", *hours, shown_bytes(one.bytes)))
        rows.append(gap)
    yield from _aligned(rows[:-1], left=(0,))


def _lengths(found: Estimate) -> Iterator[str]:
    yield f"longest job: {shown_time(found.longest.seconds)}, {found.longest.job.name}"
    chain = found.longest_chain()
    yield (
        "longest chain of jobs that wait for one another: "
        f"{shown_time(sum(cost.seconds for cost in chain))}, "
        f"{' > '.join(cost.job.verb for cost in chain)}"
    )
    largest = shown_bytes(found.largest_checkpoint)
    yield f"checkpoints: up to {largest} more for each training job while it runs"


def _origin(found: Estimate, finished: Sequence[Finished]) -> Iterator[str]:
    yield f"times from {found.rates.origin}"
    for one in finished:
        without = f"; {one.without} without a usable benchmark file" if one.without else ""
        unknown = f"; {one.unknown_device} left out, as nothing says what device they ran on"
        told = without + (unknown if one.unknown_device else "")
        yield f"  {one.folder}: {len(one.timings)} jobs used{told}"
    if found.untimed_on_gpu:
        yield (
            f"no job of {', '.join(found.untimed_on_gpu)} was ever timed on a GPU: these GPU-hours are what "
            "one CPU thread would take, likely far too many; learn from a study run on yours (--fitted-on)"
        )


def shown_time(seconds: float) -> str:
    """Hours and minutes, or minutes and seconds below an hour."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 60} min {whole % 60:02d} s"


def shown_bytes(number: float) -> str:
    """In a decimal unit, three digits or so."""
    value = number / 1000
    for unit in _UNITS[:-1]:
        if value < 1000:
            return f"{value:.3g} {unit}" if value < 100 else f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:,.1f} {_UNITS[-1]}"


def _aligned(rows: Sequence[tuple[str, ...]], *, left: tuple[int, ...]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
