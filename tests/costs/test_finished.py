"""Benchmark files of finished studies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attnnn.costs.rates import read_finished
from attnnn.dag.jobs import planned_jobs
from attnnn.dag.layout import benchmark_path
from attnnn.errors import UserError
from attnnn.study.config import Study
from attnnn.study.resolved import write_resolved
from tests.costs.conftest import MakeStudy
from tests.support import Layout, all_runs

HEAD = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time"


def write(study: Study, stage: str, place: tuple[str, ...], seconds: str, cpu: str) -> None:
    path = Path(study.results_dir) / benchmark_path(stage, *place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{HEAD}\n{seconds}\t0:00:00\t1\t1\t1\t1\t1\t1\t90.00\t{cpu}\n")


def finish(study: Study) -> Path:
    """Give every job a benchmark file of 10 seconds."""
    write_resolved(study)
    for job in planned_jobs(study):
        write(study, job.verb, job.place, "10.00", "8.00")
    return Path(study.results_dir)


def test_every_job_of_a_finished_study_is_found(make_study: MakeStudy):
    study = make_study()
    found = read_finished(finish(study))
    jobs = planned_jobs(study)
    assert [timing.verb for timing in found.timings] == [job.verb for job in jobs]
    assert {timing.seconds for timing in found.timings} == {8.0}
    assert found.unused == {}


def test_the_folder_may_have_been_moved(make_study: MakeStudy, tmp_path: Path):
    folder = finish(make_study())
    folder.rename(tmp_path / "moved")
    assert read_finished(tmp_path / "moved").unused == {}


def test_jobs_without_numbers_are_counted(make_study: MakeStudy):
    study = make_study()
    folder = finish(study)
    write(study, "table", ("table1",), "0.20", "NA")
    write(study, "table", ("table2",), "0.40", "0.00")
    (folder / benchmark_path("figure", "fig1")).unlink()
    assert read_finished(folder).unused == {"without a usable benchmark file": 3}


def test_models_say_what_they_were_trained_on(make_study: MakeStudy):
    study = make_study(device="cuda")
    folder = finish(study)
    for seed, said in ((10, {"device": "cuda"}), (50, {})):
        path = Path(Layout(str(folder)).model("toy", "bilstm-additive", seed, "model.json"))
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(said))
    found = read_finished(folder)
    on_gpu = [timing for timing in found.timings if timing.device == "cuda"]
    assert [timing.verb for timing in on_gpu] == ["train", "measure", "search"]
    # On a GPU what counts is the time from start to end.
    assert {timing.seconds for timing in on_gpu} == {10.0}
    # All trainings but the base model's, and `measure` of the MLP, which left no model.
    unknown = "left out, as nothing says what device they ran on"
    assert found.unused == {unknown: len(all_runs(study, "toy")) - 1 + 1}


def test_a_folder_without_benchmarks_is_refused(make_study: MakeStudy, tmp_path: Path):
    with pytest.raises(UserError, match="expected the results folder of a finished study"):
        read_finished(tmp_path / "nowhere")
    study = make_study()
    write_resolved(study)
    with pytest.raises(UserError, match="expected the results folder of a finished study"):
        read_finished(Path(study.results_dir))
    (Path(study.results_dir) / "benchmarks").mkdir()
    with pytest.raises(UserError, match="no benchmark file of its 33 jobs can be used"):
        read_finished(Path(study.results_dir))
