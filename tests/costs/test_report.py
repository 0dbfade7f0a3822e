"""The printout of `attnnn plan`."""

from __future__ import annotations

from pathlib import Path

import pytest

from attnnn.costs.estimate import estimate, report, shown_bytes, shown_time
from attnnn.costs.rates import Finished, read_rates
from tests.costs.conftest import MakeStudy


def lines_of(make_study: MakeStudy, **changes: object) -> list[str]:
    return report(estimate(make_study(**changes), read_rates())).splitlines()


TIMES = {0.4: "0 min 00 s", 61: "1 min 01 s", 3599.9: "1 h 00 min", 9000: "2 h 30 min"}
BYTES = {
    50: "0.05 kB",
    6_000: "6 kB",
    27_412_000: "27.4 MB",
    593e6: "593 MB",
    2.48e9: "2.48 GB",
    1.5e15: "1,500.0 TB",
}


@pytest.mark.parametrize(("seconds", "shown"), TIMES.items())
def test_times(seconds: float, shown: str):
    assert shown_time(seconds) == shown


@pytest.mark.parametrize(("number", "shown"), BYTES.items())
def test_bytes(number: float, shown: str):
    assert shown_bytes(number) == shown


def test_every_stage_and_corpus_has_a_line_and_they_add_up_to_the_total(make_study: MakeStudy):
    lines = lines_of(make_study)
    jobs = {line.split("  ")[0]: line for line in lines if line and "job" not in line}
    stages = ["prepare", "train", "measure", "correlate", "permute", "search", "solve"]
    stages += ["table", "figure"]
    counts = [int(jobs[stage].split()[1]) for stage in stages]
    total = int(jobs["total"].split()[1])
    assert sum(counts) == total
    assert f"1 corpus, 9 trainings, {total} jobs" in lines


def test_it_says_where_sizes_and_times_are_from(make_study: MakeStudy):
    text = "\n".join(lines_of(make_study))
    assert "the configuration" in text
    assert f"times from {read_rates().origin}" in text
    assert "longest job:" in text
    assert "prepare > train > train > train" in text


def test_hours_that_no_gpu_was_timed_for_are_not_passed_off_as_its(make_study: MakeStudy):
    on_cpu, on_gpu = (lines_of(make_study, device=device) for device in ("cpu", "cuda"))
    assert "device: cpu; no jobs ask for a GPU" in on_cpu
    assert not [line for line in on_cpu if "one CPU thread" in line]
    (warning,) = (line for line in on_gpu if "one CPU thread" in line)
    assert warning.startswith("no job of train, measure, search was ever timed on a GPU")


def test_folders_that_were_learned_from_are_told_with_what_was_left_out(make_study: MakeStudy):
    found = estimate(make_study(), read_rates())
    unused = {
        "without a usable benchmark file": 3,
        "left out, as nothing says what device they ran on": 2,
    }
    lines = report(found, [Finished(Path("there"), [], unused)]).splitlines()
    (line,) = (line for line in lines if "there" in line)
    assert "3 without a usable benchmark file" in line
    assert "2 left out, as nothing says what device they ran on" in line


def test_corpora_that_are_left_out_are_told(make_study: MakeStudy):
    corpora = {
        "toy": {"source": {"kind": "planted", "regime": "needle"}},
        "gone": {"source": {"kind": "table", "path": "gone.csv"}},
    }
    lines = lines_of(make_study, corpora=corpora, missing_corpora="leave_out")
    assert [line for line in lines if line.startswith("left out: gone:")]
