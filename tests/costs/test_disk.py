"""Bytes by formula, held against files that are really written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attnnn.costs.amounts import parameters

from attnnn.costs import disk
from attnnn.dag.work import CorpusSize, planned_jobs
from attnnn.study.runs import base_run
from tests.costs.conftest import MakeStudy


@pytest.mark.parametrize("count", [20_000, 200_000, 1_000_000])
def test_a_column_of_numbers_takes_what_parquet_takes_for_it(tmp_path: Path, count: int):
    values = np.random.default_rng(0).uniform(size=count).astype(np.float32)
    pq.write_table(pa.table({"values": values}), tmp_path / "numbers.parquet", compression="zstd")
    written = (tmp_path / "numbers.parquet").stat().st_size
    assert disk.numbers(count) == pytest.approx(written, rel=0.12)


def test_a_large_model_is_its_weights_and_what_it_says_of_every_token(make_study: MakeStudy):
    study = make_study({"embedding": {"kind": "random", "dimension": 300}})
    lengths = {"train": np.full(1000, 100), "test": np.full(200, 100)}
    size = CorpusSize(lengths, vocabulary=20_000, read=0.0, origin="")
    (job,) = (
        j
        for j in planned_jobs(study, {"toy": size})
        if j.name == "train toy bilstm-additive/seed-10"
    )
    weights = 4 * 20_000 * 300
    tokens = (120_000 + 20_000) * 6
    assert disk.bytes_of(study, job, {"toy": size}) == pytest.approx(weights + tokens, rel=0.03)


def test_a_job_keeps_a_checkpoint_of_every_run(make_study: MakeStudy, size: CorpusSize):
    study = make_study(jobs={"runs": 2})
    jobs = {job.name: job for job in planned_jobs(study, {"toy": size})}
    both = disk.checkpoint_bytes(study, jobs["train toy bilstm-additive/seed-10"], {"toy": size})
    # Parameters, the selected ones, and three moments, in single precision.
    assert both == 2 * 5 * 4 * parameters(study, base_run(study, "toy"), size.vocabulary)
    assert disk.checkpoint_bytes(study, jobs["prepare toy"], {"toy": size}) == 0
