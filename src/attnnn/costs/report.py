"""An estimate as people read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attnnn.costs.estimate import Cost, Estimate, Sum
from attnnn.costs.finished import Finished
from attnnn.dag.work import CorpusSize

_UNITS = ("kB", "MB", "GB", "TB")


def report(found: Estimate, finished: Sequence[Finished] = ()) -> str:
    """The printout of `attnnn plan`, without a line break at its end.

    Args:
        found: the estimate.
        finished: the results folders that its rates were fitted on.
    """
    runs = sum(1 for cost in found.costs if cost.job.verb == "train")
    parts = [
        [f"{_counted(found)}, {runs} trainings, {found.total.jobs} jobs", _device(found)],
        list(_corpora(found)),
        list(_sums(found)),
        list(_lengths(found)),
        list(_origin(found, finished)),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts)


def _counted(found: Estimate) -> str:
    number = len(found.sizes)
    return f"{number} corp{'us' if number == 1 else 'ora'}"


def _device(found: Estimate) -> str:
    asking = sum(cost.gpu for cost in found.costs)
    auto = ", as there is one here" if asking else ", as there is none here: on a cluster, name it"
    return (
        f"device: {found.study.device}; {asking or 'no'} jobs ask for a GPU"
        f"{auto if found.study.device == 'auto' else ''}"
    )


def _corpora(found: Estimate) -> Iterator[str]:
    head = ("corpus", "train", "dev", "test", "mean tokens", "vocabulary", "known from")
    rows: list[tuple[str, ...]] = [head]
    rows += [_corpus(name, size) for name, size in found.sizes.items()]
    yield from _aligned(rows, left=(0, 6))
    for line in found.left_out:
        yield f"left out: {line}"


def _corpus(name: str, size: CorpusSize) -> tuple[str, ...]:
    documents = [f"{len(size.lengths(split)):,}" for split in ("train", "dev", "test")]
    mean = size.all_lengths.mean() if len(size.all_lengths) else 0
    return (name, *documents, f"{mean:.0f}", f"{size.vocabulary:,}", size.origin)


def _sums(found: Estimate) -> Iterator[str]:
    rows: list[tuple[str, ...]] = [("", "jobs", "GPU-hours", "CPU-hours", "disk")]
    rows += [_sum(stage, amount) for stage, amount in found.of_stages.items()]
    rows.append(("", "", "", "", ""))
    rows += [_sum(name or "(all corpora)", amount) for name, amount in found.of_corpora.items()]
    rows.append(("", "", "", "", ""))
    rows.append(_sum("total", found.total))
    yield from _aligned(rows, left=(0,))


def _sum(name: str, amount: Sum) -> tuple[str, ...]:
    hours = (f"{hours:.3f}" if hours < 10 else f"{hours:,.1f}" for hours in _hours(amount))
    return (name, f"{amount.jobs:,}", *hours, shown_bytes(amount.bytes))


def _hours(amount: Sum) -> tuple[float, float]:
    return amount.gpu_hours, amount.cpu_hours


def _lengths(found: Estimate) -> Iterator[str]:
    yield f"longest job: {shown_time(found.longest.seconds)}, {found.longest.job.name}"
    chain = found.longest_chain()
    yield (
        f"longest chain of jobs that wait for one another: {shown_time(_seconds(chain))}, "
        f"{' > '.join(cost.job.verb for cost in chain)}"
    )
    largest = found.largest_checkpoint
    yield f"checkpoints: up to {shown_bytes(largest)} more for each training job while it runs"


def _origin(found: Estimate, finished: Sequence[Finished]) -> Iterator[str]:
    yield f"times from {found.rates.origin}"
    for folder in finished:
        yield f"  {folder.folder}: {len(folder.timings)} jobs used{_unused(folder)}"
    if found.untimed_on_gpu:
        yield (
            f"no job of {', '.join(found.untimed_on_gpu)} was ever timed on a GPU: these GPU-hours are what "
            "one CPU thread would take, likely far too many; learn from a study run on yours (--fitted-on)"
        )


def _unused(folder: Finished) -> str:
    told = ""
    if folder.without:
        told += f"; {folder.without} without a usable benchmark file"
    if folder.unknown_device:
        told += f"; {folder.unknown_device} left out, as nothing says what device they ran on"
    return told


def _seconds(chain: Sequence[Cost]) -> float:
    return sum(cost.seconds for cost in chain)


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
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
