"""Where models run: on the CPU or on an NVIDIA GPU."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Literal

from attnnn.errors import UserError

Setting = Literal["auto", "cpu", "cuda"]

# Parameters of glibc's mallopt, by the numbers of its malloc.h: blocks up to the first come from the heap,
# and as much as the second stays there when it is free.
_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1
# What they are set to, in bytes; older versions refuse a first one of more than 32 MiB.
_HEAP_BLOCKS, _HEAP_KEPT = (1 << 30, 1 << 25), 1 << 30


def wants_gpu(setting: Setting) -> bool:
    """Whether jobs that train or need gradients should reserve a GPU.

    Looks for the driver's device files, because importing torch to ask it takes seconds; ``auto``
    means the machine that asks, so on a cluster without a GPU on its login node say ``cuda``.
    """
    return setting == "cuda" or (setting == "auto" and _nvidia_visible())


def torch_device(setting: Setting) -> Literal["cpu", "cuda"]:
    """The device that a setting means on this machine, by torch's own judgement.

    Raises:
        UserError: ``cuda`` was asked for and there is none.
    """
    if setting == "cpu":
        return "cpu"
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if setting == "cuda":
        raise UserError(
            "device: expected a GPU for 'cuda', found none that torch can use; "
            "say device: cpu or auto, or install a CUDA build of torch"
        )
    return "cpu"


def set_up_torch(threads: int, *, keep_freed_memory: bool = False) -> None:
    """Give torch this many CPU threads, and full float32 precision on a GPU.

    Results are equal to the byte for the same number of threads. Numbers too small to be normal count as
    zero: words that are never seen leave many of them in the optimiser's moments, and a CPU takes longer
    over each.

    Args:
        threads: of the CPU.
        keep_freed_memory: let this process use freed memory again instead of giving it back to the system:
            training does, where batches of one size after another are alike.
    """
    import torch

    if keep_freed_memory:
        _keep_freed_memory()
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False


def _keep_freed_memory() -> None:
    """Have the C library's heap keep what is freed.

    By default glibc maps every large tensor anew, and the system clears each page at its first use: on
    documents of 180 tokens a fifth of a training's CPU time. Other C libraries are left as they are.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is not None and any(mallopt(_MMAP_THRESHOLD, size) for size in _HEAP_BLOCKS):
        mallopt(_TRIM_THRESHOLD, _HEAP_KEPT)


def give_back_memory() -> None:
    """Give freed memory back to the system, and from now on as glibc does at most by itself."""
    library = ctypes.CDLL(None) if os.name == "posix" else None
    mallopt, trim = getattr(library, "mallopt", None), getattr(library, "malloc_trim", None)
    if mallopt is not None and trim is not None:
        mallopt(_MMAP_THRESHOLD, _HEAP_BLOCKS[-1])
        mallopt(_TRIM_THRESHOLD, _HEAP_BLOCKS[-1])
        trim(0)


def _nvidia_visible(devices: Path = Path("/dev")) -> bool:
    if os.environ.get("CUDA_VISIBLE_DEVICES", "all").strip() in ("", "-1", "NoDevFiles"):
        return False
    return any(path.name[len("nvidia") :].isdigit() for path in devices.glob("nvidia*"))
