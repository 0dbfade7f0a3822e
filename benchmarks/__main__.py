"""``python -m benchmarks``: measure, print a table, write records and a figure."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks that the arguments name; 1 if a kernel disagrees with its plain one."""
    chosen = _parser().parse_args(arguments)
    os.environ["OMP_NUM_THREADS"] = str(chosen.threads)

    from attnnn.machine import set_up_torch, torch_device
    from benchmarks import clock, records
    from benchmarks.figure import draw

    set_up_torch(chosen.threads, keep_freed_memory=chosen.keep_freed_memory)
    device = torch_device(chosen.device)
    conditions = records.Conditions(
        machine=clock.machine(device, chosen.threads),
        device=device,
        threads=chosen.threads,
        repeats=1 if chosen.quick else chosen.repeats,
        budget=chosen.budget,
        product_rate=clock.product_rate(device, size=128 if chosen.quick else 2048),
        with_memory=not chosen.no_memory,
    )
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    print(f"{conditions.machine}; {conditions.product_rate / 1e9:.0f} GFLOP/s in a large product")
    found: list[records.Record] = []
    kept = records.read(chosen.out) if chosen.keep else []
    for name, size in _plan(chosen.kernel, ["quick"] if chosen.quick else chosen.size):
        print(f"  {name}, {size} …", file=sys.stderr, flush=True)
        found += records.records_of(name, size, conditions)
        # Written after each, so that an interruption loses one comparison at most.
        records.write(records.merged(kept, found), chosen.out)
    if not chosen.no_growth:
        print("  growth …", file=sys.stderr, flush=True)
        records.add_exponents(found, device=device, quick=chosen.quick)
        records.write(records.merged(kept, found), chosen.out)
    draw(records.merged(kept, found), chosen.out.with_suffix(".svg"))
    print(records.table(found))
    wrong = [f"{record['kernel']} ({record['size']})" for record in found if not record["agrees"]]
    if wrong:
        print(f"differ from the plain implementation: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


def _plan(names: list[str] | None, sizes: list[str]) -> list[tuple[str, str]]:
    """Comparisons and sizes to run; of documents of 2,000 tokens only leave-one-out."""
    from benchmarks.comparisons import COMPARISONS

    return [
        (name, size)
        for size in sizes
        for name in names or COMPARISONS
        if size != "long" or name == "leave_one_out"
    ]


def _parser() -> argparse.ArgumentParser:
    from benchmarks.comparisons import COMPARISONS

    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--kernel", nargs="+", choices=list(COMPARISONS), help="default: all")
    parser.add_argument(
        "--size", nargs="+", choices=["sst", "imdb", "long"], default=["sst", "imdb", "long"]
    )
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that all runs")
    parser.add_argument("--device", choices=["cpu", "cuda", "auto"], default="cpu")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of both sides")
    parser.add_argument("--repeats", type=int, default=3, help="interleaved rounds, at most")
    parser.add_argument("--budget", type=float, default=60, help="seconds to begin rounds within")
    parser.add_argument("--no-memory", action="store_true", help="skip peak memory")
    parser.add_argument("--no-growth", action="store_true", help="skip exponents")
    parser.add_argument(
        "--keep", action="store_true", help="keep other kernels' and sizes' records in --out"
    )
    parser.add_argument(
        "--keep-freed-memory",
        action="store_true",
        help="both sides use freed memory again, as jobs of a study do, instead of giving it back",
    )
    parser.add_argument("--out", type=Path, default=HERE / "results.json", help="JSON to write")
    return parser


if __name__ == "__main__":
    sys.exit(main())
