"""What the benchmark files of Snakemake say of jobs."""

from __future__ import annotations

import pytest

from attnnn.dag.benchmarks import whole_cpu_seconds


@pytest.mark.parametrize(
    ("seconds", "seen", "threads", "whole"),
    [
        (10.0, 8.0, 1, 8.0),  # the last look was at the end
        (10.4, 5.0, 1, 5.0 * 10.4 / 10),
        (15.5, 15.0, 1, 15.0),
        (31.0, 12.0, 1, 24.0),  # looked at 15.5 seconds, and not again before 45.5
        (91.0, 45.3, 1, 54.6),  # looked at 75.5 seconds: 45.3 · 91 / 75.5
        (31.0, 20.0, 1, 31.0),  # no more than its one thread
        (31.0, 20.0, 2, 40.0),
    ],
)
def test_cpu_time_after_the_last_look_is_made_up_for(
    seconds: float, seen: float, threads: int, whole: float
):
    assert whole_cpu_seconds(seconds, seen, threads) == pytest.approx(whole, rel=1e-4)
