"""A benchmark run of tiny sizes: its records are well-formed and every kernel agrees. No timing is judged."""

import json

import numpy as np
import pytest

from benchmarks import flops, growth, memory, records
from benchmarks.__main__ import main
from benchmarks.clock import Seconds, median
from benchmarks.kernels import KERNELS
from benchmarks.material import SIZES, generate
from benchmarks.plain import BATCH_SIZE
from benchmarks.sides import spaced, thinned


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("benchmarks") / "results.json"
    code = main(["--quick", "--no-memory", "--no-growth", "--out", str(out)])
    return code, out


def test_every_kernel_is_measured_and_agrees(run):
    code, out = run
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [record["kernel"] for record in found] == list(KERNELS)
    assert code == 0
    assert all(record["agrees"] for record in found)
    assert all(record["difference"] <= record["tolerance"] for record in found)


def test_records_have_the_keys_that_readers_rely_on(run):
    for record in json.loads(run[1].read_text(encoding="utf-8")):
        assert tuple(record)[: len(records.KEYS)] == records.KEYS
        for key in ("plain_s", "fast_s", "ratio", "cpu_s", "cpu_ratio"):
            assert record[key] > 0
        assert record["ratio"] == pytest.approx(record["plain_s"] / record["fast_s"], rel=2e-3)
        assert (record["gemm_share"] is None) == (KERNELS[record["kernel"]].flops is None)
        assert record["plain_measured_on"]
        assert record["fast_measured_on"]


def test_the_table_and_the_figure_show_every_kernel(run):
    found = json.loads(run[1].read_text(encoding="utf-8"))
    lines = records.table(found).splitlines()
    assert len(lines) == len(found) + 1
    drawn = run[1].with_suffix(".svg").read_text(encoding="utf-8")
    assert "leave-one-out" in drawn
    assert "exact adversary" in drawn


def test_other_records_are_kept_where_that_is_asked(run, tmp_path):
    old = json.loads(run[1].read_text(encoding="utf-8"))
    new = [{**old[0], "fast_s": 1.0}, {**old[0], "size": "sst"}]
    both = records.merged(old, new)
    assert len(both) == len(old) + 1
    assert [r["fast_s"] for r in both if (r["kernel"], r["size"]) == ("training", "quick")] == [1.0]
    records.write(both, tmp_path / "both.json")
    assert records.read(tmp_path / "both.json") == both
    assert records.read(tmp_path / "none.json") == []


def test_peak_memory_is_that_of_a_process_of_its_own():
    found = memory.peak("kendall_tau", "quick", device="cpu", threads=1, documents=10)
    assert 0 < found["before_mb"] <= found["peak_mb"]


def test_an_exponent_is_a_slope_of_logarithms():
    sizes = [10, 20, 50, 80]
    assert growth.fitted_exponent(sizes, [3e-3 * n**1.5 for n in sizes]) == pytest.approx(1.5)


def test_growth_is_fitted_over_three_sizes_at_least():
    assert len(growth.LENGTHS) >= 3
    assert len(growth.CORPUS_SHARES) >= 3
    assert set(growth.exponents("kendall_tau", device="cpu", quick=True)) == {
        "length_exponent",
        "corpus_exponent",
    }


def test_the_median_is_of_wall_and_cpu_time_separately():
    times = [Seconds(1.0, 9.0), Seconds(2.0, 5.0), Seconds(8.0, 7.0)]
    assert median(times) == Seconds(2.0, 7.0)
    assert Seconds(1.0, 0.5) / 0.25 == Seconds(4.0, 2.0)


def test_spaced_groups_are_whole_batches_spread_over_the_order():
    rows = np.arange(320)
    assert spaced(rows, (10, 1)).tolist() == rows.tolist()
    assert spaced(rows, (99, 99)).tolist() == rows.tolist()
    two = spaced(rows, (2, 2))
    assert len(two) == 2 * 2 * BATCH_SIZE
    assert (np.diff(two).reshape(-1)[: 2 * BATCH_SIZE - 1] == 1).all()
    assert two[0] > 0
    assert two[-1] < 319
    assert thinned(rows, 2).tolist() == [80, 240]
    assert thinned(rows, 1000).tolist() == rows.tolist()


def test_operations_counted_by_hand():
    # E = 8, H = 4, one document of 3 tokens with start and end symbols: 5 positions.
    classifier = generate(SIZES["quick"], device="cpu").classifier
    lengths = np.array([5])
    project, recur, attend = 5 * 2 * (2 * 16 * 8), 5 * 2 * (2 * 16 * 4), 5 * (2 * 4 * 8)
    assert flops.projection(classifier, lengths) == project
    assert flops.recurrence(classifier, lengths) == recur
    assert flops.training(classifier, lengths) == 3 * (project + recur + attend)
    assert flops.gradient(classifier, lengths) == 2 * (project + recur) + attend
    # Each of 3 deletions: 2 recurrent steps of one direction and 2 half products of the attention.
    again = 3 * 2 * (2 * 16 * 4 + 2 * 4 * 4)
    assert flops.leave_one_out(classifier, lengths) == project + recur + attend + again


@pytest.mark.parametrize(("name", "mean"), [("sst", 18.7), ("imdb", 180.0)])
def test_generated_lengths_are_like_the_corpora(name, mean):
    size = SIZES[name]
    rng = np.random.default_rng(0)
    lengths = size.shortest + (size.longest - size.shortest) * rng.beta(*size.shape, size=20_000)
    assert lengths.mean() == pytest.approx(mean, rel=0.03)
