import pytest

from attnnn.dag.layout import STAGES, Layout
from attnnn.study.design import BASE, Run, adversary

PATHS = Layout("results")


def test_a_path_spells_its_place_in_the_study():
    run = Run("sst", BASE, 10)
    assert PATHS.predictions_of(run) == (
        "results/models/sst/bilstm-additive/seed-10/predictions.parquet"
    )
    assert PATHS.importance_of(run, "gradient") == (
        "results/importance/sst/bilstm-additive/seed-10/gradient.parquet"
    )
    swept = Run("sst", adversary(0.001), 10)
    assert PATHS.analysis_of("divergence", swept) == (
        "results/divergence/sst/bilstm-additive-lambda-0.001/seed-10.parquet"
    )
    assert PATHS.figure("fig5", "pdf") == "results/figures/fig5.pdf"
    assert PATHS.table("table1", "csv") == "results/tables/table1.csv"


def test_wildcards_stay_as_they_are():
    path = PATHS.model("{corpus}", "{model}", "{seed}", "weights.safetensors")
    assert path == "results/models/{corpus}/{model}/seed-{seed}/weights.safetensors"
    assert path.format(corpus="sst", model="bilstm-additive", seed=10) == PATHS.model(
        "sst", "bilstm-additive", 10, "weights.safetensors"
    )


def test_all_is_under_the_results_folder_and_nothing_twice():
    layout = Layout("elsewhere/two")
    run = Run("sst", BASE, 10)
    paths = [
        layout.checked(),
        layout.config(),
        layout.corpus("sst", "documents.parquet"),
        layout.checkpoint("sst", "bilstm-additive", 10),
        layout.predictions_of(run),
        *(layout.analysis_of(stage, run) for stage in STAGES),
        layout.importance_of(run, "gradient"),
        layout.log("train", "sst"),
        layout.benchmark("train", "sst"),
        layout.table("table1", "md"),
        layout.figure("fig1", "png"),
    ]
    assert len(set(paths)) == len(paths)
    assert all(path.startswith("elsewhere/two/") for path in paths)


def test_a_layout_cannot_be_changed():
    with pytest.raises(AttributeError):
        PATHS.results_dir = "other"  # type: ignore[misc]
