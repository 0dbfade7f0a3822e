import pytest

from attnnn.dag import layout, targets
from attnnn.study import design
from attnnn.study.config import Study, validate

PLANTED = {"source": {"kind": "planted", "regime": "lexical"}}
TABLE = {"source": {"kind": "table", "path": "reviews.csv"}}


@pytest.fixture
def study() -> Study:
    content = {"corpora": {"one": PLANTED, "two": TABLE}, "seeds": [50, 257], "lambdas": [0, 0.1]}
    return validate(content, where="test")


@pytest.mark.parametrize("papers", [["jain-wallace"], ["wiegreffe-pinter"]])
def test_a_study_of_one_paper_makes_its_tables_and_figures_from_its_own_runs(
    study: Study, papers: list[str]
):
    alone = study.model_copy(update={"papers": papers})
    made = targets.all_targets(alone)
    tables, figures = layout.TABLES_OF[papers[0]], layout.FIGURES_OF[papers[0]]
    assert {path.rpartition("/")[2].partition(".")[0] for path in made} == {
        *tables,
        *figures,
    } - {layout.LOG_ODDS}
    trained = {run for corpus in alone.corpora for run in design.all_runs(alone, corpus)}
    paths = layout.Layout(alone.results_dir)
    models = {paths.predictions_of(run) for run in trained}
    analysed = {
        "correlation": design.explained_runs,
        "permutation": design.attacked_runs,
        "searched_adversary": design.attacked_runs,
        "exact_adversary": design.attacked_runs,
    }
    for name in (*tables, *figures):
        needs = targets.needs(alone, name)
        assert {path for path in needs if path.startswith("results/models/")} <= models, name
        for stage, runs_of in analysed.items():
            known = {
                paths.analysis_of(stage, run)
                for corpus in alone.corpora
                for run in runs_of(alone, corpus)
            }
            assert {path for path in needs if path.startswith(f"results/{stage}/")} <= known, name


def test_the_grid_needs_every_analysis_of_its_models_and_predictions_of_vanilla_ones(study: Study):
    needs = targets.needs(
        study.model_copy(update={"corpora": {"one": study.corpora["one"]}}), "jw_grid"
    )
    models = (
        "bilstm-additive",
        "bilstm-dot",
        "average-additive",
        "average-dot",
        "cnn-additive",
        "cnn-dot",
    )
    stages = ("correlation", "permutation", "searched_adversary", "exact_adversary")
    vanilla = ("bilstm-none", "average-none", "cnn-none")
    assert set(needs) == {
        *(f"results/models/one/{m}/seed-10/predictions.parquet" for m in (*models, *vanilla)),
        *(f"results/{stage}/one/{model}/seed-10.parquet" for stage in stages for model in models),
    }


def test_all_targets_are_every_table_and_figure_in_every_form(study: Study):
    made = targets.all_targets(study)
    # All but those with log-odds, which a study has to ask for.
    tables, figures = len(layout.TABLES) - 1, len(layout.FIGURES) - 1
    assert len(set(made)) == len(made) == 3 * tables + 2 * figures
    assert "results/tables/table3.tex" in made
    assert "results/figures/fig5.pdf" in made


@pytest.mark.parametrize("name", [*layout.TABLES, *layout.FIGURES])
def test_needs_are_known_for_each_and_never_repeat(study: Study, name: str):
    needs = targets.needs(study, name)
    assert len(set(needs)) == len(needs)
    assert all(path.startswith("results/") for path in needs)
    assert not set(needs) & set(targets.all_targets(study))


def test_log_odds_are_shown_of_single_texts_in_studies_that_ask_for_them(study: Study):
    content = study.model_dump(mode="json") | {"log_odds": {"run": True}}
    content["corpora"] = {"one": PLANTED, "pairs": {"source": {"kind": "babi", "task": 1}}}
    asked = validate(content, where="test")
    assert targets.corpora_of(asked, layout.LOG_ODDS) == ["one"]
    made = [path for path in targets.all_targets(asked) if layout.LOG_ODDS in path]
    assert made == [
        *(f"results/tables/jw_log_odds.{form}" for form in ("csv", "md", "tex")),
        *(f"results/figures/jw_log_odds.{form}" for form in ("pdf", "png")),
    ]
    models = ("bilstm-log-odds", "bilstm-additive-towards-log-odds")
    assert targets.needs(asked, layout.LOG_ODDS) == [
        "results/corpora/one/log_odds.parquet",
        *(
            f"results/models/one/{model}/seed-10/predictions.parquet"
            for model in ("bilstm-additive", *models)
        ),
        *(f"results/divergence/one/{model}/seed-10.parquet" for model in models),
        "results/replacement/one/bilstm-additive/seed-10.parquet",
    ]
    alone = asked.of_corpora(["pairs"])
    assert not [path for path in targets.all_targets(alone) if layout.LOG_ODDS in path]


def test_nothing_else_has_needs(study: Study):
    with pytest.raises(KeyError):
        targets.needs(study, "table9")


def test_table_2_needs_base_uniform_and_seeds_of_each_corpus(study: Study):
    models = "results/models/{}/{}/seed-{}/predictions.parquet"
    assert set(targets.needs(study, "table2")) == {
        models.format(corpus, model, seed)
        for corpus in ("one", "two")
        for model, seed in [
            ("bilstm-additive", 10),
            ("bilstm-uniform", 10),
            ("bilstm-additive", 50),
            ("bilstm-additive", 257),
        ]
    }


def test_planted_truth_needs_planted_corpora_alone(study: Study):
    needs = targets.needs(study, "planted_truth")
    assert needs
    assert not [path for path in needs if "/two/" in path]


def test_the_sweep_has_both_seeds_under_the_clean_protocol(study: Study):
    runs = design.swept_runs(study, "one")
    assert [(run.seed, run.model.lambda_) for run in runs] == [
        (10, 0),
        (10, 0.1),
        (50, 0),
        (50, 0.1),
    ]
