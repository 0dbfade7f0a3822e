"""The cost model finds rates that made-up timings were made with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attnnn.costs.finished import Timing
from attnnn.costs.rates import Rates, fitted, read_rates, shipped, write_rates
from attnnn.dag.work import STAGES, PlannedJob
from attnnn.errors import UserError

# Of a machine three times as slow at some kinds of work as at others, relative to the shipped one.
TRUTH = {
    kind: factor * shipped().of["cpu", "cpu_seconds", "train"][kind]
    for kind, factor in (("starts", 1.5), ("runs", 2), ("lstm_multiply_adds", 0.7), ("updates", 2))
}


def training(rng: np.random.Generator, *, gpu: bool = False, at_once: int = 1) -> PlannedJob:
    # From jobs that do little but start to those that train for an hour.
    amounts = {"starts": 1.0, "runs": float(rng.integers(1, 20))}
    amounts |= {"lstm_multiply_adds": 10 ** rng.uniform(0, 5), "updates": 10 ** rng.uniform(-2, 2)}
    return PlannedJob("train", "toy", (), amounts, gpu=gpu, at_once=at_once)


def timings(number: int, device: str = "cpu", noise: float = 0.0) -> list[Timing]:
    rng = np.random.default_rng(0)
    made = []
    for _ in range(number):
        job = training(rng, gpu=device == "cuda")
        seconds = sum(TRUTH[kind] * amount for kind, amount in job.amounts.items())
        seconds *= 1 + noise * rng.standard_normal()
        made.append(Timing(job, device, seconds, seconds))
    return made


def train_rates(rates: Rates) -> dict[str, float]:
    return dict(rates.of["cpu", "cpu_seconds", "train"])


def test_every_stage_has_shipped_rates_of_every_kind_of_its_work():
    rates = shipped().of
    assert {stage for _, _, stage in rates} == set(STAGES)
    assert all(rate > 0 for of_stage in rates.values() for rate in of_stage.values())
    assert all("starts" in of_stage for of_stage in rates.values())


def test_known_rates_are_recovered():
    found = train_rates(fitted(timings(400)))
    for kind, rate in TRUTH.items():
        assert found[kind] == pytest.approx(rate, rel=0.05), kind


def test_noise_is_averaged_out():
    job = training(np.random.default_rng(5))
    truth = sum(TRUTH[kind] * amount for kind, amount in job.amounts.items())
    assert fitted(timings(100, noise=0.2)).cpu_seconds(job) == pytest.approx(truth, rel=0.1)


def test_a_few_jobs_set_the_speed_of_the_machine():
    """Half a dozen jobs of a machine twice as slow as the shipped one's."""
    rng = np.random.default_rng(1)
    slow = []
    for _ in range(6):
        job = training(rng)
        seconds = 2 * shipped().cpu_seconds(job)
        slow.append(Timing(job, "cpu", seconds, seconds))
    job = training(rng)
    assert fitted(slow).cpu_seconds(job) == pytest.approx(2 * shipped().cpu_seconds(job), rel=0.1)


def test_kinds_of_work_that_no_job_tells_about_keep_their_proportion():
    found, before = fitted(timings(50)), shipped()
    untold = {*train_rates(before)} - {*TRUTH}
    speeds = [train_rates(found)[kind] / train_rates(before)[kind] for kind in untold]
    assert len(speeds) > 1
    assert speeds == pytest.approx([speeds[0]] * len(speeds))
    assert 0.7 < speeds[0] < 2  # between the least and the largest of what was told


def test_stages_of_which_no_job_is_known_stay_as_shipped():
    found, before = fitted(timings(50)), shipped()
    for stage in {*STAGES} - {"train"}:
        assert found.of["cpu", "cpu_seconds", stage] == before.of["cpu", "cpu_seconds", stage]


def test_rates_are_never_negative():
    rng = np.random.default_rng(2)
    flat = [Timing(training(rng), "cpu", 5.0, 5.0) for _ in range(60)]
    assert min(train_rates(fitted(flat)).values()) >= 0


def test_a_cpu_tells_nothing_about_a_gpu_and_a_gpu_nothing_about_a_cpu():
    on_gpu = fitted(timings(50, "cuda"))
    assert train_rates(on_gpu) == train_rates(shipped())
    assert on_gpu.knows_gpu("train")
    assert not on_gpu.knows_gpu("measure")
    assert not fitted(timings(50)).knows_gpu("train")
    amounts = {"starts": 1.0, "lstm_multiply_adds": 1000.0}
    cpu, gpu = (PlannedJob("train", "toy", (), amounts, gpu=gpu) for gpu in (False, True))
    assert on_gpu.cpu_seconds(cpu) == shipped().cpu_seconds(cpu)
    assert on_gpu.seconds(gpu) != on_gpu.seconds(cpu)
    # Without a job timed on one, a GPU is taken to be as fast as a CPU thread.
    assert shipped().seconds(gpu) == shipped().seconds(cpu)


def test_runs_at_once_share_what_comes_after_the_start():
    amounts = {"starts": 1.0, "runs": 4.0, "updates": 8.0}
    alone, shared = (PlannedJob("train", "toy", (), amounts, at_once=n) for n in (1, 4))
    rates = shipped()
    start = train_rates(rates)["starts"]
    assert rates.seconds(shared) == pytest.approx(start + (rates.seconds(alone) - start) / 4)
    assert rates.cpu_seconds(shared) == rates.cpu_seconds(alone)


def test_rates_are_written_and_read(tmp_path: Path):
    before = fitted(timings(50, "cuda"))
    write_rates(tmp_path / "rates.json", before)
    after = read_rates(tmp_path / "rates.json")
    assert after.origin == before.origin
    assert after.of.keys() == before.of.keys()
    for key, rates in before.of.items():
        assert after.of[key] == pytest.approx(rates, rel=0.01)


@pytest.mark.parametrize("text", [None, "{", "[]", '{"origin": "here", "rates": {}}'])
def test_a_file_without_rates_is_refused(tmp_path: Path, text: str | None):
    path = tmp_path / "rates.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=r"rates\.json: .*--write-rates"):
        read_rates(path)
