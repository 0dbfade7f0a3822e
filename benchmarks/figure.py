"""The records as a figure: how many times faster, by kernel and size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

# Okabe and Ito's colours, which stay apart in every common kind of colour blindness; markers besides.
_LOOK = {
    "sst": ("#0072B2", "o", "SST size, 18 tokens"),
    "imdb": ("#D55E00", "s", "IMDb size, 180 tokens"),
    "long": ("#009E73", "^", "2,000 tokens"),
    "quick": ("#CC79A7", "D", "quick"),
}
_TITLES = {
    "training": "training, an epoch",
    "encoder": "BiLSTM forward and backward",
    "gradient": "gradient × input",
    "leave_one_out": "leave-one-out",
    "permutation": "100 permutations",
    "searched_adversary": "searched adversary",
    "searched_adversary_archived": "searched adversary, best iterate kept",
    "exact_adversary": "exact adversary, against the search",
    "erasure": "erasure in seven orders, smallest set",
    "kendall_tau": "Kendall's τ with p-values",
}


def draw(records: Sequence[dict[str, Any]], path: Path) -> None:
    """Write the figure; its format is that of the file name."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FuncFormatter

    kernels = [kernel for kernel in _TITLES if any(r["kernel"] == kernel for r in records)]
    style: dict[Any, Any] = {"svg.hashsalt": "benchmarks", "svg.fonttype": "none", "font.size": 9}
    with plt.rc_context(style):
        figure, axes = plt.subplots(figsize=(7, 0.8 + 0.38 * len(kernels)), layout="constrained")
        for size, (colour, marker, label) in _LOOK.items():
            chosen = [record for record in records if record["size"] == size]
            if not chosen:
                continue
            heights = [kernels.index(record["kernel"]) for record in chosen]
            ratios = [record["cpu_ratio"] for record in chosen]
            axes.scatter(ratios, heights, color=colour, marker=marker, s=36, label=label, zorder=3)
            for record, height in zip(chosen, heights, strict=True):
                beside, alignment = _side(record, records)
                axes.annotate(
                    f"{record['cpu_ratio']:,.0f}"
                    if record["cpu_ratio"] >= 100
                    else f"{record['cpu_ratio']:.3g}",
                    (record["cpu_ratio"], height),
                    xytext=beside,
                    textcoords="offset points",
                    ha=alignment,
                    va="center",
                    color=colour,
                    size=8,
                )
        axes.axvline(1, color="0.4", linewidth=0.8)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}×"))
        axes.set_yticks(range(len(kernels)), [_TITLES[kernel] for kernel in kernels])
        axes.set_ylim(len(kernels) - 0.5, -0.7)
        axes.grid(axis="x", color="0.9", zorder=0)
        axes.set_xlabel("CPU time of the plain implementation over this package's")
        axes.margins(x=0.1)
        figure.legend(loc="outside lower center", ncols=len(_LOOK), fontsize=8, frameon=False)
        for spine in ("top", "right"):
            axes.spines[spine].set_visible(False)
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, metadata=metadata)
        plt.close(figure)


def _side(
    record: dict[str, Any], records: Sequence[dict[str, Any]]
) -> tuple[tuple[float, float], str]:
    """Where a point's number stands, so that none of its row is in the way of another."""
    row = sorted(r["cpu_ratio"] for r in records if r["kernel"] == record["kernel"])
    if len(row) > 1 and record["cpu_ratio"] == row[0]:
        return (-6, 0), "right"
    between = record["cpu_ratio"] < row[-1]
    return ((0, 9), "center") if between else ((6, 0), "left")
