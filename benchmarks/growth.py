"""How a kernel's time grows with the length of documents and with their number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.clock import busy, median, timed
from benchmarks.kernels import KERNELS
from benchmarks.material import SIZES, Material, Size, generate

# Lengths and numbers of documents that exponents are fitted over.
LENGTHS = (64, 128, 256, 512)
CORPUS_SHARES = (0.25, 0.5, 1.0)

# Documents that keep a run of each kernel within seconds; more of them where it is fast.
_DOCUMENTS = {
    "training": (64, 256),
    "encoder": (64, 256),
    "gradient": (64, 512),
    "leave_one_out": (2, 256),
    "permutation": (128, 1_024),
    "searched_adversary": (16, 512),
    "searched_adversary_archived": (16, 512),
    "exact_adversary": (256, 1_725),
    "erasure": (512, 1_725),
    "kendall_tau": (512, 1_725),
}
_REPEATS = 3


def exponents(kernel: str, *, device: str, quick: bool) -> dict[str, float]:
    """Fit time ∝ length^a and time ∝ documents^b.

    Lengths are 64, 128, 256 and 512 tokens, all documents alike; corpora are a quarter, a half and the whole
    of documents with lengths as in SST. Quick: sizes that prove nothing.

    Returns:
        ``length_exponent`` and ``corpus_exponent``.
    """
    by_length, by_corpus = (4, 16) if quick else _DOCUMENTS[kernel]
    lengths = (4, 8, 16) if quick else LENGTHS
    base = SIZES["quick" if quick else "sst"]
    over_length = [_seconds(kernel, _alike(base, by_length, length), device) for length in lengths]
    corpora = [max(4, int(by_corpus * share)) for share in CORPUS_SHARES]
    over_corpus = [
        _seconds(kernel, replace(base, train=count, test=count), device) for count in corpora
    ]
    return {
        "length_exponent": fitted_exponent(lengths, over_length),
        "corpus_exponent": fitted_exponent(corpora, over_corpus),
    }


def fitted_exponent(sizes: tuple[int, ...] | list[int], seconds: list[float]) -> float:
    """Slope of log time over log size, by least squares."""
    slope, _ = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return float(slope)


def _alike(base: Size, count: int, length: int) -> Size:
    return replace(base, train=count, test=count, shortest=length, longest=length)


def _seconds(kernel: str, size: Size, device: str) -> float:
    material: Material = generate(size, device=device)
    rows = np.arange(len(KERNELS[kernel].documents(material)))
    setup = KERNELS[kernel].setup(material, rows)
    times = [timed(setup(), device)[0] for _ in range(_REPEATS + 1)][1:]
    return busy(median(times), device)
