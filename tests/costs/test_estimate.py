"""Sums over jobs, and the chain that no study ends before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attnnn.costs.estimate import Cost, Estimate, Sum, estimate, report
from attnnn.costs.rates import read_rates
from attnnn.dag import catalogue
from attnnn.dag.jobs import PlannedJob, longest_chain
from attnnn.dag.stage import Artifact
from attnnn.study.config import Study
from tests.costs.conftest import MakeStudy


def cost(verb: str, seconds: float, needs: str, makes: str, *, gpu: bool = False) -> Cost:
    stage = None if verb == "table" else catalogue.stage(verb)
    files = [tuple(map(Artifact, letters)) for letters in (needs, makes)]
    job = PlannedJob(verb, "toy", *files, stage)
    return Cost(job, gpu, seconds, cpu_seconds=2 * seconds, bytes=10.0)


@pytest.fixture
def found(make_study: MakeStudy) -> Estimate:
    """Letters are files: c and d are made from b, and e from both."""
    costs = [
        cost("prepare", 60, "", "a"),
        cost("train", 600, "a", "b", gpu=True),
        cost("measure", 1200, "b", "c", gpu=True),
        cost("permute", 300, "b", "d"),
        cost("table", 30, "cd", ""),
    ]
    real = estimate(make_study(), read_rates())
    return replace(real, costs=costs)


def test_hours_and_bytes_are_summed(found: Estimate):
    total = Sum.of(found.costs)
    assert total.jobs == 5
    assert total.gpu_hours == pytest.approx(1800 / 3600)
    assert total.cpu_hours == pytest.approx(2 * 2190 / 3600)
    assert total.bytes == 50
    assert list(found.of_stages) == ["prepare", "train", "measure", "permute", "table"]
    assert found.of_stages["permute"].gpu_hours == 0
    assert found.of_corpora["toy"].jobs == 4
    assert found.of_corpora[""].jobs == 1


def test_the_longest_job_and_the_longest_chain(found: Estimate):
    assert "longest job: 20 min 00 s, measure toy" in report(found)
    seconds, chain = longest_chain((one.job, one.seconds) for one in found.costs)
    assert [job.verb for job in chain] == ["prepare", "train", "measure", "table"]
    assert seconds == 60 + 600 + 1200 + 30


def test_sums_over_stages_and_corpora_are_the_whole_study(make_study: MakeStudy):
    planted = {"source": {"kind": "planted", "regime": "needle"}}
    found = estimate(
        make_study(corpora={"one": planted, "two": planted}, device="cuda"), read_rates()
    )
    for sums in (found.of_stages, found.of_corpora):
        for part in ("jobs", "gpu_hours", "cpu_hours", "bytes"):
            whole = sum(getattr(one, part) for one in sums.values())
            assert whole == pytest.approx(getattr(Sum.of(found.costs), part))
    assert Sum.of(found.costs).gpu_hours > 0
    assert found.of_corpora["one"] == found.of_corpora["two"]


def cpu_hours(study: Study) -> float:
    return Sum.of(estimate(study, read_rates()).costs).cpu_hours


def test_more_runs_take_more_and_longer_documents_take_more(make_study: MakeStudy):
    def hours(**changes: object) -> float:
        source = {"kind": "planted", "regime": "needle", **changes}
        return cpu_hours(make_study({"source": source}))

    assert hours(train=4000) > hours(train=400)
    assert hours(max_tokens=300) > hours(max_tokens=30)
    assert cpu_hours(make_study(seeds=[1, 2, 3, 4])) > cpu_hours(make_study(seeds=[1]))


def test_stages_that_were_never_timed_on_a_gpu_are_told(make_study: MakeStudy):
    assert "no job of" not in report(estimate(make_study(device="cpu"), read_rates()))
    on_gpu = report(estimate(make_study(device="cuda"), read_rates()))
    assert "no job of train, measure, search was ever timed on a GPU" in on_gpu
