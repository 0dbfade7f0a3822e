"""One record a kernel and size: measured, written as JSON, printed as a table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import growth, memory
from benchmarks.clock import Seconds, busy, interleaved
from benchmarks.comparisons import COMPARISONS
from benchmarks.kernels import KERNELS
from benchmarks.material import SIZES, Material, generate
from benchmarks.sides import EFFORTS, Comparison, Contender

Record = dict[str, Any]

# Every record has these keys; more follow them.
KEYS = (
    "kernel",
    "size",
    "plain_s",
    "fast_s",
    "ratio",
    "cpu_s",
    "peak_mb",
    "gemm_share",
    "machine",
)


@dataclass(frozen=True)
class Conditions:
    """What is the same for all records of a run.

    Attributes:
        machine: in words.
        device: ``cpu`` or ``cuda``.
        threads: CPU threads of both implementations.
        repeats: interleaved rounds, at most.
        budget: seconds of a comparison after which no further round begins.
        product_rate: operations a second of a large matrix product (`clock.product_rate`).
        with_memory: measure peak memory too, each in a process of its own.
    """

    machine: str
    device: str
    threads: int
    repeats: int
    budget: float
    product_rate: float
    with_memory: bool = True


def records_of(name: str, size: str, conditions: Conditions) -> list[Record]:
    """Measure one comparison at one size: a record for each of its kernels."""
    material = generate(SIZES[size], device=conditions.device)  # type: ignore[index]
    comparison = COMPARISONS[name](material, EFFORTS[size])
    sides = {"plain": comparison.plain, **{k: c.side for k, c in comparison.contenders.items()}}
    seconds, results, rounds = interleaved(
        {key: side.setup for key, side in sides.items()},
        repeats=conditions.repeats,
        budget=conditions.budget,
        device=conditions.device,
    )
    whole = {key: seconds[key] / side.share for key, side in sides.items()}
    records = []
    for kernel, contender in comparison.contenders.items():
        record = _record(kernel, size, whole["plain"], whole[kernel], conditions)
        record["gemm_share"] = _share(kernel, contender, material, seconds[kernel], conditions)
        record |= _scope(kernel, comparison, contender, material, rounds)
        difference = contender.difference(results["plain"], results[kernel])
        record |= {
            "difference": difference,
            "tolerance": contender.tolerance,
            "agrees": bool(difference <= contender.tolerance),
        }
        records.append(record)
    return records


def _record(kernel: str, size: str, plain: Seconds, fast: Seconds, given: Conditions) -> Record:
    record: Record = {
        "kernel": kernel,
        "size": size,
        "plain_s": plain.wall,
        "fast_s": fast.wall,
        "ratio": plain.wall / fast.wall,
        "cpu_s": fast.cpu,
        "peak_mb": None,
        "gemm_share": None,
        "machine": given.machine,
        "plain_cpu_s": plain.cpu,
        "cpu_ratio": plain.cpu / max(fast.cpu, 1e-9),
        "device": given.device if KERNELS[kernel].on_gpu else "cpu",
        "threads": given.threads,
        "gemm_gflops": given.product_rate / 1e9,
    }
    if given.with_memory:
        documents = {"leave_one_out": 8 if size != "long" else 1}.get(kernel, 128)
        record |= memory.peak(
            kernel, size, device=given.device, threads=given.threads, documents=documents
        )
        record["memory_measured_on"] = f"the {documents} longest documents"
    return record


def _share(
    kernel: str, contender: Contender, material: Material, seconds: Seconds, given: Conditions
) -> float | None:
    """Needed products over what the machine could have done in the time."""
    operations = KERNELS[kernel].flops
    if operations is None:
        return None
    lengths = KERNELS[kernel].documents(material).lengths[contender.side.rows] + 2
    needed = operations(material.classifier, lengths)
    return float(needed / (busy(seconds, given.device) * given.product_rate))


def _scope(
    kernel: str, comparison: Comparison, contender: Contender, material: Material, rounds: int
) -> Record:
    documents = KERNELS[kernel].documents(material)
    return {
        "documents": len(documents),
        "mean_tokens": float(documents.lengths.mean()),
        "plain_measured_on": comparison.plain.measured_on,
        "fast_measured_on": contender.side.measured_on,
        "rounds": rounds,
    }


def add_exponents(records: list[Record], *, device: str, quick: bool) -> None:
    """Add ``length_exponent`` and ``corpus_exponent`` to every record; one fit a kernel."""
    found: dict[str, dict[str, float]] = {}
    for record in records:
        kernel = record["kernel"]
        if kernel not in found:
            found[kernel] = growth.exponents(kernel, device=device, quick=quick)
        record.update(found[kernel])


def merged(kept: Sequence[Record], found: Sequence[Record]) -> list[Record]:
    """`found`, and those kept records whose kernel and size are not among them."""
    new = {(record["kernel"], record["size"]) for record in found}
    others = [record for record in kept if (record["kernel"], record["size"]) not in new]
    order = list(KERNELS)
    sizes = list(SIZES)
    return sorted(
        [*others, *found], key=lambda r: (order.index(r["kernel"]), sizes.index(r["size"]))
    )


def read(path: Path) -> list[Record]:
    """Records written before; none if there is no file."""
    if not path.exists():
        return []
    kept: list[Record] = json.loads(path.read_text(encoding="utf-8"))
    return kept


def write(records: Sequence[Record], path: Path) -> None:
    """As a JSON list, numbers to four significant digits."""
    rounded = [{key: _rounded(value) for key, value in record.items()} for record in records]
    path.write_text(json.dumps(rounded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _rounded(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value


COLUMNS = {
    "kernel": "kernel",
    "size": "size",
    "plain_s": "plain s",
    "fast_s": "fast s",
    "ratio": "ratio",
    "cpu_s": "CPU s",
    "cpu_ratio": "CPU ratio",
    "peak_mb": "peak MiB",
    "gemm_share": "of GEMM",
    "length_exponent": "~length^",
    "corpus_exponent": "~docs^",
    "difference": "difference",
}


def table(records: Sequence[Record]) -> str:
    """Records side by side, for reading."""
    rows = [list(COLUMNS.values())]
    rows += [[_cell(record.get(key)) for key in COLUMNS] for record in records]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    lines = []
    for row in rows:
        names = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        numbers = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        lines.append("  ".join(names + numbers))
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3g}" if isinstance(value, float) and abs(value) < 1000 else _whole(value)


def _whole(value: Any) -> str:
    return f"{value:.0f}" if isinstance(value, float) else str(value)
