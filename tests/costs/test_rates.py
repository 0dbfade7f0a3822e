"""The cost model finds rates that made-up timings were made with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attnnn.costs.rates import Rates, Timing, fitted, read_rates, write_rates
from attnnn.dag import catalogue
from attnnn.errors import UserError

SHIPPED = read_rates()
# Of a machine three times as slow at some kinds of work as at others, relative to the shipped one.
TRUTH = {
    kind: factor * SHIPPED.rates["cpu"]["train"][kind]
    for kind, factor in (("starts", 1.5), ("lstm", 0.7), ("updates", 2))
}


def training(rng: np.random.Generator) -> dict[str, float]:
    """From jobs that do little but start to those that train for an hour."""
    return {"starts": 1.0, "lstm": 10 ** rng.uniform(0, 5), "updates": 10 ** rng.uniform(-2, 2)}


def timings(number: int, device: str = "cpu", noise: float = 0.0) -> list[Timing]:
    rng = np.random.default_rng(0)
    made = []
    for _ in range(number):
        amounts = training(rng)
        seconds = sum(TRUTH[kind] * amount for kind, amount in amounts.items())
        made.append(Timing("train", amounts, device, seconds * (1 + noise * rng.standard_normal())))
    return made


def train_rates(rates: Rates) -> dict[str, float]:
    return dict(rates.rates["cpu"]["train"])


def test_every_stage_has_shipped_rates():
    assert {*SHIPPED.rates} == {"cpu"}
    rates = SHIPPED.rates["cpu"]
    assert {*rates} == {*catalogue.verbs(), "table", "figure"}
    assert all(rate > 0 for of_stage in rates.values() for rate in of_stage.values())
    assert all("starts" in of_stage for of_stage in rates.values())


def test_known_rates_are_recovered():
    found = train_rates(fitted(timings(400), SHIPPED))
    for kind, rate in TRUTH.items():
        assert found[kind] == pytest.approx(rate, rel=0.05), kind


def test_noise_is_averaged_out():
    amounts = training(np.random.default_rng(5))
    truth = sum(TRUTH[kind] * amount for kind, amount in amounts.items())
    found = fitted(timings(100, noise=0.2), SHIPPED).seconds("train", amounts)
    assert found == pytest.approx(truth, rel=0.1)


def test_a_few_jobs_set_the_speed_of_the_machine():
    """Half a dozen jobs of a machine twice as slow as the shipped one's."""
    rng = np.random.default_rng(1)
    known = [training(rng) for _ in range(6)]
    slow = [Timing("train", a, "cpu", 2 * SHIPPED.seconds("train", a)) for a in known]
    amounts = training(rng)
    expected = 2 * SHIPPED.seconds("train", amounts)
    assert fitted(slow, SHIPPED).seconds("train", amounts) == pytest.approx(expected, rel=0.1)


def test_kinds_of_work_that_no_job_tells_about_keep_their_proportion():
    found, before = train_rates(fitted(timings(50), SHIPPED)), train_rates(SHIPPED)
    untold = {*before} - {*TRUTH}
    assert untold
    for kind in untold:
        assert 0.7 < found[kind] / before[kind] < 2  # between the least and the largest known


def test_stages_of_which_no_job_is_known_stay_as_shipped():
    found, before = fitted(timings(50), SHIPPED), SHIPPED
    assert {**found.rates["cpu"], "train": {}} == {**before.rates["cpu"], "train": {}}
    assert {*found.rates} == {"cpu"}


def test_without_a_finished_job_nothing_is_fitted():
    assert fitted([], SHIPPED) == SHIPPED


def test_a_stage_that_nothing_was_known_of_is_learned():
    made = [Timing("new", {"starts": 1.0, "w": w}, "cpu", 2 + 3 * w) for w in (0.0, 1.0, 5.0, 20.0)]
    found = fitted(made * 20, SHIPPED)
    assert found.seconds("new", {"starts": 1.0, "w": 10.0}) == pytest.approx(32, rel=0.05)


def test_rates_are_never_negative():
    rng = np.random.default_rng(2)
    flat = [Timing("train", training(rng), "cpu", 5.0) for _ in range(60)]
    assert min(train_rates(fitted(flat, SHIPPED)).values()) >= 0


def test_a_cpu_tells_nothing_about_a_gpu_and_a_gpu_nothing_about_a_cpu():
    on_gpu = fitted(timings(50, "cuda"), SHIPPED)
    assert train_rates(on_gpu) == train_rates(SHIPPED)
    assert {*on_gpu.rates["cuda"]} == {"train"}
    assert "cuda" not in fitted(timings(50), SHIPPED).rates
    amounts = {"starts": 1.0, "lstm": 1000.0}
    assert on_gpu.seconds("train", amounts) == SHIPPED.seconds("train", amounts)
    assert on_gpu.seconds("train", amounts, gpu=True) != on_gpu.seconds("train", amounts)
    # Without a job timed on one, a GPU is taken to be as fast as a CPU thread.
    assert SHIPPED.seconds("train", amounts, gpu=True) == SHIPPED.seconds("train", amounts)


def test_rates_are_written_and_read(tmp_path: Path):
    before = fitted(timings(50, "cuda"), SHIPPED)
    write_rates(tmp_path / "rates.json", before)
    after = read_rates(tmp_path / "rates.json")
    assert after == before


@pytest.mark.parametrize(
    "text",
    [
        None,
        "{",
        "[]",
        '{"origin": "here", "rates": {}}',
        '{"origin": "here", "rates": {"cpu": {}}}',
    ],
)
def test_a_file_without_rates_is_refused(tmp_path: Path, text: str | None):
    path = tmp_path / "rates.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=r"rates\.json: .*--write-rates"):
        read_rates(path)
