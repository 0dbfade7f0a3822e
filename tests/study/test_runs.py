from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnnn.errors import UserError
from attnnn.study.config import Study, validate
from attnnn.study.model import (
    BASE,
    LOG_ODDS,
    TOWARDS_LOG_ODDS,
    Model,
    Run,
    adversary,
    format_lambda,
    guided_mlp,
)
from attnnn.study.runs import (
    adversary_runs,
    adversary_seeds,
    attacked_runs,
    base_run,
    explained_runs,
    grid_runs,
    guide_runs,
    guiding_run,
    has_log_odds,
    log_odds_runs,
    seed_runs,
    vanilla_runs,
)
from tests.support import all_runs

PLANTED = {"source": {"kind": "planted", "regime": "lexical"}}


def study(adv_seed: str = "both", **changes: Any) -> Study:
    content = {
        "corpora": {"one": PLANTED},
        "switches": {"adv_seed": adv_seed},
        "base_seed": 10,
        "seeds": [50, 257],
        "lambdas": [0.01, 0, 0.001],
        "guide_lambda": 0.002,
        **changes,
    }
    return validate(content, where="test")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (BASE, "bilstm-additive"),
        (Model("average", "uniform"), "average-uniform"),
        (adversary(0), "bilstm-additive-lambda-0"),
        (adversary(0.001), "bilstm-additive-lambda-0.001"),
        (adversary(1e-5), "bilstm-additive-lambda-1e-05"),
        (adversary(0.000525), "bilstm-additive-lambda-0.000525"),
        (LOG_ODDS, "bilstm-log-odds"),
        (TOWARDS_LOG_ODDS, "bilstm-additive-towards-log-odds"),
        (guided_mlp(BASE), "average-imposed-bilstm-additive"),
        (guided_mlp(adversary(0.5)), "average-imposed-bilstm-additive-lambda-0.5"),
        (Model("flan-rnn", "additive"), "flan-rnn-additive"),
        (Model("flan-none", "none"), "flan-none-none"),
        (Model("flan-conv", "log-odds"), "flan-conv-log-odds"),
        (Model("han-none", "uniform"), "han-none-uniform"),
        (Model("flan-rnn", "imposed", guide=BASE), "flan-rnn-imposed-bilstm-additive"),
        (
            Model("han-none", "imposed", guide=Model("han-rnn", "additive")),
            "han-none-imposed-han-rnn-additive",
        ),
    ],
)
def test_a_name_spells_its_point_and_reads_back(model: Model, name: str):
    assert model.name == name
    assert Model.parse(name) == model


@given(st.floats(min_value=0, allow_infinity=False))
def test_lambda_survives_its_name(value: float):
    assert float(format_lambda(value)) == value
    assert Model.parse(adversary(value).name).lambda_ == value


@pytest.mark.parametrize(
    "name",
    [
        "",
        "bilstm",
        "gru-additive",
        "bilstm-imposed",
        "bilstm-softmax",
        "bilstm-uniform-towards-log-odds",
        "flan-additive",
        "han-gru-additive",
        "rnn-additive",
        "flan-rnn",
        "flan-rnn-additive-lambda-0.1",
        "han-conv-dot-towards-log-odds",
        # Attention to words does not fit sentences, nor the other way round.
        "han-rnn-log-odds",
        "han-rnn-imposed-bilstm-additive",
        "average-imposed-han-rnn-additive",
    ],
)
def test_no_other_name_is_read(name: str):
    with pytest.raises(ValueError, match="names no model; expected ENCODER-ATTENTION"):
        Model.parse(name)


def test_runs_of_a_corpus():
    settings = study()
    assert base_run(settings, "one") == Run("one", BASE, 10)
    assert [run.seed for run in seed_runs(settings, "one")] == [50, 257]
    assert {run.model for run in seed_runs(settings, "one")} == {BASE}


GRID = [
    *("bilstm-additive", "bilstm-dot", "average-additive", "average-dot"),
    *("cnn-additive", "cnn-dot"),
]
VANILLA = ["bilstm-none", "average-none", "cnn-none"]


def names(runs: list[Run]) -> list[str]:
    assert {(run.corpus, run.seed) for run in runs} == {("one", 10)}
    return [run.model.name for run in runs]


def test_grid_of_jain_wallace():
    settings = study(papers=["jain-wallace"])
    assert names(grid_runs(settings, "one")) == GRID
    assert names(vanilla_runs(settings, "one")) == VANILLA
    assert names(explained_runs(settings, "one")) == GRID
    assert names(attacked_runs(settings, "one")) == GRID
    assert sorted(names(all_runs(settings, "one"))) == sorted(GRID + VANILLA)


def test_no_other_encoder_enters_the_grid_by_itself():
    named = {run.model for run in all_runs(study(), "one")}
    assert {model.kind.paper for model in named} == {"jain-wallace"}
    asked = study(grid=["bilstm-additive", "average-additive", "flan-rnn-additive"])
    assert "flan-rnn-additive" in names(grid_runs(asked, "one"))


def test_runs_of_wiegreffe_pinter_alone():
    settings = study(papers=["wiegreffe-pinter"])
    both = ["bilstm-additive", "average-additive"]
    assert names(explained_runs(settings, "one")) == both
    assert names(attacked_runs(settings, "one")) == ["bilstm-additive"]
    trained = {run.model.name for run in all_runs(settings, "one")}
    assert not trained & {"bilstm-dot", "average-dot", *GRID[4:], *VANILLA}


def test_both_papers_share_what_they_have_in_common():
    each = [
        set(all_runs(study(papers=[paper]), "one"))
        for paper in ("jain-wallace", "wiegreffe-pinter")
    ]
    together = all_runs(study(), "one")
    assert set(together) == each[0] | each[1]
    assert len(together) == len(set(together))
    common = {run.model.name for run in each[0] & each[1]}
    assert common == {"bilstm-additive", "average-additive"}


@pytest.mark.parametrize(
    ("adv_seed", "seeds"), [("same", [10]), ("different", [50]), ("both", [10, 50])]
)
def test_seeds_of_adversaries(adv_seed: str, seeds: list[int]):
    assert adversary_seeds(study(adv_seed), "one") == seeds


def test_the_sweep_ascends():
    runs = adversary_runs(study(), "one", 10)
    assert [run.model.lambda_ for run in runs] == [0, 0.001, 0.01]


def test_guided_mlps_of_table_3():
    runs = guide_runs(study(), "one")
    assert {guide: run.model.name for guide, run in runs.items()} == {
        "uniform": "average-uniform",
        "trained_mlp": "average-additive",
        "base_lstm": "average-imposed-bilstm-additive",
        "adversary": "average-imposed-bilstm-additive-lambda-0.002",
    }


@pytest.mark.parametrize("adv_seed", ["same", "different"])
def test_whom_a_run_learns_from(adv_seed: str):
    settings = study(adv_seed)
    base = base_run(settings, "one")
    guides = guide_runs(settings, "one")
    seed = adversary_seeds(settings, "one")[0]
    assert guiding_run(settings.base_seed, base) is None
    assert guiding_run(settings.base_seed, guides["trained_mlp"]) is None
    assert guiding_run(settings.base_seed, Run("one", adversary(0), 50)) == base
    assert guiding_run(settings.base_seed, guides["base_lstm"]) == base
    assert guiding_run(settings.base_seed, guides["adversary"]) == Run(
        "one", adversary(0.002), seed
    )


ASKED = {"papers": ["jain-wallace"], "log_odds": {"run": True}}
BABI = {"source": {"kind": "babi", "task": 1}}


def test_runs_with_log_odds_need_no_other_run():
    settings = study(**ASKED)
    drawn = ["bilstm-log-odds", "bilstm-additive-towards-log-odds"]
    assert names(log_odds_runs(settings, "one")) == drawn
    assert sorted(names(all_runs(settings, "one"))) == sorted(GRID + VANILLA + drawn)
    assert all(
        guiding_run(settings.base_seed, run) is None for run in log_odds_runs(settings, "one")
    )


def test_the_grid_is_what_the_configuration_says():
    grid = ["bilstm-additive", "average-additive", "cnn-none"]
    settings = study(papers=["jain-wallace"], grid=grid)
    assert names(grid_runs(settings, "one")) == grid[:2]
    assert names(vanilla_runs(settings, "one")) == grid[2:]


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        (["bilstm-additive"], "average-additive is missing"),
        (["bilstm-additive", "average-additive", "gru-dot"], "'gru-dot' names no model"),
        (["bilstm-additive", "average-additive", "bilstm-log-odds"], "attention of its own"),
    ],
)
def test_a_grid_of_other_models_is_refused(grid: list[str], message: str):
    with pytest.raises(UserError, match=message):
        study(grid=grid)


@pytest.mark.parametrize(
    ("changes", "corpus"),
    [({}, "one"), ({**ASKED, "corpora": {"one": PLANTED, "two": BABI}}, "two")],
)
def test_log_odds_are_for_studies_that_ask_for_them_and_for_single_texts(
    changes: dict[str, Any], corpus: str
):
    settings = study(**changes)
    assert not has_log_odds(settings, corpus)
    assert log_odds_runs(settings, corpus) == []
    assert not [run for run in all_runs(settings, corpus) if run.model.uses_log_odds]
