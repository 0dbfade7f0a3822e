"""Paths under the results folder of what no stage declares: exhibits, logs, benchmarks, checkpoints."""

from __future__ import annotations

from pathlib import Path

from attnnn.dag.exhibit import AnyExhibit


def exhibit_path(name: str, exhibit: AnyExhibit, form: str) -> str:
    """An exhibit in one of its formats; a figure beside a table of its name has it with ``_figure``."""
    return f"{exhibit.kind}s/{name.removesuffix(f'_{exhibit.kind}')}.{form}"


def log_path(verb: str, *place: str) -> str:
    """The log of one job."""
    return f"logs/{'/'.join([verb, *place])}.log"


def benchmark_path(verb: str, *place: str) -> str:
    """Time and memory of one job, as Snakemake measures them."""
    return f"benchmarks/{'/'.join([verb, *place])}.tsv"


def checkpoint_path(predictions: Path) -> Path:
    """Where an interrupted training is kept, in a folder of its own that goes when it ends."""
    folder = predictions.parent
    return folder.with_name(f"{folder.name}.unfinished") / "checkpoint.pt"
