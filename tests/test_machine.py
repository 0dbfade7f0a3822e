"""What a process that uses torch is set up with."""

import ctypes
import platform
import subprocess
import sys

import pytest

# Tensors of 64 MiB one after the other, and the pages that the system had to clear for each.
_PAGES = """
import resource
import torch
from attnnn.machine import set_up_torch

set_up_torch(1, keep_freed_memory=True)

def cleared():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    torch.zeros(1 << 24)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

print(*(cleared() for _ in range(40)))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library's allocator")
def test_a_freed_tensors_memory_is_used_again() -> None:
    if not ctypes.CDLL(None).mallopt(-3, 1 << 30):
        pytest.skip("this version of glibc maps blocks of 64 MiB whatever it is told")
    done = subprocess.run(
        [sys.executable, "-c", _PAGES], capture_output=True, text=True, check=True
    )
    first, *others = map(int, done.stdout.split())
    assert first > 0
    # At first what lies between two blocks may keep one from being used again.
    assert sum(others[-10:]) <= first
