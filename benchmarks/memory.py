"""Peak memory of one kernel, in a process of its own: ``python -m benchmarks.memory KERNEL SIZE``."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np

from benchmarks.clock import peak_memory_mb


def peak(kernel: str, size: str, *, device: str, threads: int, documents: int) -> dict[str, float]:
    """Measure in a fresh process, on the longest documents of the size's corpus.

    Returns:
        ``peak_mb``: the process's largest resident memory in MiB, with Python, torch, the whole
        generated corpus and its model; ``before_mb``: what it was before the kernel ran; on a GPU
        ``peak_gpu_mb`` too.
    """
    command = [sys.executable, "-m", "benchmarks.memory", kernel, size, device]
    done = subprocess.run(
        [*command, str(threads), str(documents)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Run one kernel once and print what it took."""
    import torch

    from attnnn.machine import set_up_torch
    from benchmarks.kernels import KERNELS, result_rows
    from benchmarks.material import SIZES, generate

    kernel, size, device, threads, documents = sys.argv[1:]
    set_up_torch(int(threads), keep_freed_memory=KERNELS[kernel].of == "train")
    material = generate(SIZES[size], device=device)  # type: ignore[index]
    if KERNELS[kernel].of == "test":
        _ = material.predictions
    longest = result_rows(KERNELS[kernel], material)[-int(documents) :]
    run = KERNELS[kernel].setup(material, np.sort(longest))()
    before = peak_memory_mb()
    run()
    found = {"peak_mb": round(peak_memory_mb(), 1), "before_mb": round(before, 1)}
    if device == "cuda":
        found["peak_gpu_mb"] = round(torch.cuda.max_memory_allocated() / 2**20, 1)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
