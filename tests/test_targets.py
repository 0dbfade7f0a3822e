import pytest

from attnnn import design, layout, targets
from attnnn.config import Study, validate

PLANTED = {"source": {"kind": "planted", "regime": "lexical"}}
TABLE = {"source": {"kind": "table", "path": "reviews.csv"}}


@pytest.fixture
def study() -> Study:
    content = {"corpora": {"one": PLANTED, "two": TABLE}, "seeds": [50, 257], "lambdas": [0, 0.1]}
    return validate(content, where="test")


def test_all_targets_are_every_table_and_figure_in_every_form(study: Study):
    made = targets.all_targets(study)
    assert len(set(made)) == len(made) == 3 * len(layout.TABLES) + 2 * len(layout.FIGURES)
    assert "results/tables/table3.tex" in made
    assert "results/figures/fig5.pdf" in made


@pytest.mark.parametrize("name", [*layout.TABLES, *layout.FIGURES])
def test_needs_are_known_for_each_and_never_repeat(study: Study, name: str):
    needs = targets.needs(study, name)
    assert len(set(needs)) == len(needs)
    assert all(path.startswith("results/") for path in needs)
    assert not set(needs) & set(targets.all_targets(study))


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
