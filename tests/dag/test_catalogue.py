"""Stages and exhibits as they are found: what a study makes of them, and from what."""

import pytest

from attnnn.dag import catalogue
from attnnn.dag.jobs import planned_jobs
from attnnn.dag.stage import Artifact
from attnnn.errors import UserError
from attnnn.study.config import Study, validate
from attnnn.study.papers import PAPERS

PLANTED = {"source": {"kind": "planted", "regime": "lexical"}}
TABLE = {"source": {"kind": "table", "path": "reviews.csv"}}


@pytest.fixture
def study() -> Study:
    content = {"corpora": {"one": PLANTED, "two": TABLE}, "seeds": [50, 257], "lambdas": [0, 0.1]}
    return validate(content, where="test")


def needs(study: Study, name: str) -> set[str]:
    found = [made.path for made in catalogue.exhibit(name).inputs(study)]
    assert len(set(found)) == len(found)
    return set(found)


def test_stages_come_after_those_that_make_what_they_read():
    verbs = [stage.verb for stage in catalogue.stages()]
    assert sorted(verbs) == catalogue.verbs()
    for stage in catalogue.stages():
        for before in stage.after:
            assert verbs.index(before.verb) < verbs.index(stage.verb)


def test_every_input_is_made_by_a_stage_that_the_reader_names(study: Study):
    for job in planned_jobs(study):
        if job.stage is not None:
            known = {stage.verb for stage in job.stage.after} | {job.verb}
            assert {made.verb for made in job.needs} <= known, job.name


def test_a_path_spells_its_place_in_the_study(study: Study):
    paths = {made.path for job in planned_jobs(study) for made in job.makes}
    for path in (
        "corpora/one/documents.parquet",
        "models/two/bilstm-additive-lambda-0.1/seed-10/predictions.parquet",
        "importance/one/cnn-dot/seed-10/leave_one_out.parquet",
        "exact_adversary/one/average-additive/seed-10.parquet",
    ):
        assert path in paths


def test_no_two_jobs_write_one_file(study: Study):
    made = [made.path for job in planned_jobs(study) for made in job.makes]
    assert len(set(made)) == len(made)


@pytest.mark.parametrize("paper", PAPERS)
def test_a_study_of_one_paper_makes_its_exhibits(study: Study, paper: str):
    alone = study.model_copy(update={"papers": [paper]})
    made = catalogue.exhibits(alone)
    erasing = paper == "serrano-smith"
    expected = {"ss_fig_single"} if erasing else {"correlation", "permutation"}
    assert expected <= set(made)
    assert all(paper in exhibit.papers for exhibit in made.values())


def test_the_grid_needs_every_analysis_of_its_models_and_predictions_of_vanilla_ones(study: Study):
    models = [
        f"{encoder}-{a}" for encoder in ("bilstm", "average", "cnn") for a in ("additive", "dot")
    ]
    stages = ("correlation", "permutation", "searched_adversary", "exact_adversary")
    vanilla = ("bilstm-none", "average-none", "cnn-none")
    assert needs(study.of_corpora(["one"]), "jw_grid") == {
        *(f"models/one/{m}/seed-10/predictions.parquet" for m in (*models, *vanilla)),
        *(f"{stage}/one/{model}/seed-10.parquet" for stage in stages for model in models),
    }


def test_log_odds_are_shown_for_single_texts_where_a_study_runs_them(study: Study):
    content = study.model_dump(mode="json") | {"log_odds": {"run": True}}
    content["corpora"] = {"one": PLANTED, "pairs": {"source": {"kind": "babi", "task": 1}}}
    asked = validate(content, where="test")
    table, figure = catalogue.exhibit("jw_log_odds"), catalogue.exhibit("jw_log_odds_figure")
    assert table.corpora(asked) == figure.corpora(asked) == ["one"]
    models = ("bilstm-additive", "bilstm-log-odds", "bilstm-additive-towards-log-odds")
    assert needs(asked, "jw_log_odds") == {
        "corpora/one/log_odds.parquet",
        *(f"models/one/{model}/seed-10/predictions.parquet" for model in models),
        "replacement/one/bilstm-additive/seed-10.parquet",
    }
    assert not table.corpora(asked.of_corpora(["pairs"]))
    assert not table.corpora(study)


def test_table_2_needs_base_uniform_and_seeds_of_each_corpus(study: Study):
    models = "models/{}/{}/seed-{}/predictions.parquet"
    assert needs(study, "table2") == {
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
    assert {path.split("/")[1] for path in needs(study, "planted_truth")} == {"one"}


def test_figure_5_waits_for_no_importance_and_no_permutation(study: Study):
    wanted = catalogue.exhibit("fig5").inputs(study)
    assert isinstance(wanted[0], Artifact)
    assert {path.split("/")[0] for path in needs(study, "fig5")} == {
        "models",
        "searched_adversary",
        "searched_candidates",
        "exact_adversary",
    }


def test_an_unknown_exhibit_is_answered_with_the_known_ones():
    with pytest.raises(UserError, match="no table 'table9'; there are correlation"):
        catalogue.exhibit_of("table", "table9")
    assert catalogue.exhibit_of("figure", "jw_log_odds")[0] == "jw_log_odds_figure"
    assert catalogue.exhibit_of("table", "jw_log_odds")[0] == "jw_log_odds"
