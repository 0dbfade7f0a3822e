import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from attnnn.errors import UserError
from attnnn.study import config, sources
from attnnn.study.config import Study, load, validate
from attnnn.study.protocol import PRESETS, Protocol, resolve
from attnnn.study.resolved import editor_schema, resolved_text, write_resolved

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "config").glob("*.yaml"))
PLANTED = {"kind": "planted", "regime": "needle"}


def study(**changes: Any) -> Study:
    return validate({"corpora": {"one": {"source": PLANTED}}, **changes}, where="test.yaml")


def corpus(**changes: Any) -> dict[str, Any]:
    return {"corpora": {"one": {"source": PLANTED, **changes}}}


def refusal(content: dict[str, Any]) -> str:
    with pytest.raises(UserError) as caught:
        validate(content, where="test.yaml")
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("test.yaml: ")
    return message.removeprefix("test.yaml: ")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (corpus() | {"corpra": 1}, ["corpra: no such key", "config/README.md"]),
        (corpus(min_dff=2), ["corpora.one.min_dff: no such key"]),
        ({}, ["corpora: Field required"]),
        ({"corpora": {}}, ["corpora:", "at least 1"]),
        ({"corpora": {"Caps": {"source": PLANTED}}}, ["corpora.Caps"]),
        ({"corpora": {"a/b": {"source": PLANTED}}}, ["corpora.a/b"]),
        (corpus() | {"lambdas": [0, -0.1]}, ["lambdas.1:", "greater than or equal to 0", "-0.1"]),
        (corpus() | {"lambdas": [0, 0.1, 0.1]}, ["lambdas: values must differ", "[0.0, 0.1, 0.1]"]),
        (corpus() | {"seeds": []}, ["seeds:"]),
        (corpus() | {"seeds": [10]}, ["base_seed 10 is among seeds"]),
        (
            corpus() | {"papers": ["wiegreffe-pinter"], "log_odds": {"run": True}},
            ["log_odds.run: these experiments are Jain & Wallace's; add jain-wallace to papers"],
        ),
        (corpus() | {"device": "gpu"}, ["device:", "'auto', 'cpu' or 'cuda'", '"gpu"']),
        (corpus() | {"switches": {"adv_epoch": 1}}, ["switches.adv_epoch", "adv_epochs"]),
        (corpus(switches={"select_split": "train"}), ["select_split", "'dev' or 'test'"]),
        (corpus() | {"epsilons": [0.05]}, ["epsilon_select 0.01 is not among epsilons [0.05]"]),
        (corpus(source={"kind": "tabel"}), ["corpora.one.source", "tabel"]),
        (corpus(source={**PLANTED, "min_tokens": 9, "max_tokens": 8}), ["max_tokens 8 is below"]),
        (
            corpus() | {"serrano_smith": {"hidden_size": 7}},
            ["serrano_smith.hidden_size", "multiple"],
        ),
        (corpus(serrano_smith={"word_dropout": 1}), ["serrano_smith.word_dropout", "less than 1"]),
        (
            corpus() | {"grid": ["bilstm-additive", "average-additive", "han-rnn-additive"]},
            ["grid: han-rnn-additive: Jain & Wallace's experiments are about attention to tokens"],
        ),
        (
            corpus(embedding={"kind": "file"}),
            ["corpora.one.embedding: `path` goes with kind: file"],
        ),
        (corpus(embedding={"path": "x.vec"}), ["corpora.one.embedding: `path` goes with"]),
    ],
)
def test_a_mistake_is_told_in_one_line_with_its_key(content: dict[str, Any], words: list[str]):
    message = refusal(content)
    for word in words:
        assert word in message


def test_several_mistakes_are_told_together():
    message = refusal(corpus(min_df=0) | {"threads": 0})
    assert "corpora.one.min_df" in message
    assert "threads" in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("corpora: [", "not valid YAML"),
        ("- 1", "expected a mapping of keys, found list"),
        ("", "expected a mapping of keys, found NoneType"),
    ],
)
def test_an_unreadable_file_is_refused(tmp_path: Path, text: str, words: str):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=words) as caught:
        load(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_shipped_configuration_is_valid_and_names_its_schema(path: Path):
    load(path)
    assert path.read_text().startswith("# yaml-language-server: $schema=schema.json\n")


def test_the_default_study_is_planted_one_corpus_a_regime_under_the_clean_protocol():
    default = load(ROOT / "config" / "config.yaml")
    regimes = [corpus.source.model_dump()["regime"] for corpus in default.corpora.values()]
    assert sorted(regimes) == ["context", "lexical", "needle", "redundant"]
    assert default.protocol == "clean"
    assert len(default.lambdas) >= 6
    assert {0, default.guide_lambda} <= set(default.lambdas)


def test_the_papers_study_has_its_seeds_and_grids():
    paper = load(ROOT / "config" / "wiegreffe-pinter.yaml")
    assert paper.protocol == "wiegreffe-pinter"
    assert paper.seeds == [50, 257, 500231, 100078, 12504, 90754789, 8988812, 2]
    assert len(paper.lambdas_of("sst")) == 16
    assert len(paper.lambdas_of("imdb")) == 10
    assert paper.protocol_of("sst").adv_epochs == 80
    assert paper.protocol_of("imdb").adv_epochs == 40


def test_presets_differ_from_clean_in_every_switch_they_name():
    clean = Protocol().model_dump()
    for switches in PRESETS.values():
        for switch, value in switches.items():
            assert clean[switch] != value


def test_switches_of_a_corpus_override_those_of_the_study_and_these_the_preset():
    settings = study(
        protocol="wiegreffe-pinter",
        switches={"adv_epochs": 5, "adv_patience": 2},
        corpora={
            "one": {"source": PLANTED, "switches": {"adv_epochs": 3}},
            "two": {"source": PLANTED, "protocol": "clean"},
        },
    )
    assert settings.protocol_of("one").adv_epochs == 3
    assert settings.protocol_of("one").adv_patience == 2
    assert settings.protocol_of("one").select_split == "test"
    assert settings.protocol_of("two").select_split == "dev"
    assert settings.protocol_name_of("two") == "clean"


def test_grids_and_training_of_a_corpus_replace_those_of_the_study():
    settings = study(
        corpora={
            "one": {"source": PLANTED},
            "two": {"source": PLANTED, "lambdas": [1, 0], "training": {"epochs": 2}},
        },
        training={"epochs": 9},
    )
    assert settings.lambdas_of("one") == [0, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2]
    assert settings.lambdas_of("two") == [0, 1]
    assert [settings.training_of(name).epochs for name in ("one", "two")] == [9, 2]


def test_serrano_smiths_training_is_the_papers_for_imdb_unless_a_corpus_has_its_own():
    settings = study(
        corpora={
            "one": {"source": PLANTED},
            "two": {"source": PLANTED, "serrano_smith": {"clip_norm": None, "clip_value": 50}},
        },
        serrano_smith={"epochs": 3},
    )
    one, two = (settings.serrano_smith_of(name) for name in ("one", "two"))
    assert (one.epochs, one.clip_norm, one.clip_value) == (3, 10, None)
    assert (two.epochs, two.clip_norm, two.clip_value) == (15, None, 50)
    assert (one.word_dropout, one.sentence_dropout, one.han_output_dropout) == (0.444, 0.22, 0.246)


def test_paths_are_looked_up_under_corpora_dir_unless_absolute():
    settings = study(corpora_dir="texts")
    assert settings.source_path("sst/trees") == Path("texts/sst/trees")
    assert settings.source_path("/data/sst") == Path("/data/sst")


def test_the_resolved_study_reads_back_and_is_written_only_when_it_changes(tmp_path: Path):
    settings = study(results_dir=str(tmp_path))
    assert validate(yaml.safe_load(resolved_text(settings)), where="resolved") == settings
    path = write_resolved(settings)
    assert load(path) == settings
    before = path.stat().st_mtime_ns
    write_resolved(settings)
    assert path.stat().st_mtime_ns == before
    write_resolved(study(results_dir=str(tmp_path), threads=2))
    assert load(path).threads == 2


def test_the_schema_for_editors_has_not_drifted():
    written = json.loads((ROOT / "config" / "schema.json").read_text())
    assert written == editor_schema(), "run `make schema`"


def test_the_schema_knows_the_switches():
    schema = editor_schema()
    assert schema["properties"]["switches"]["$ref"] == "#/$defs/Protocol"
    assert set(schema["$defs"]["Protocol"]["properties"]) == set(Protocol.model_fields)


def models() -> list[type[BaseModel]]:
    named = {**vars(config), **vars(sources)}
    classes = [value for value in named.values() if isinstance(value, type)]
    return [model for model in classes if issubclass(model, BaseModel)]


def test_every_key_is_described_and_in_the_readme():
    readme = (ROOT / "config" / "README.md").read_text()
    for model in [*models(), Protocol]:
        for key, field in model.model_fields.items():
            assert key == "kind" or field.description, f"{model.__name__}.{key}"
            assert f"`{key}`" in readme, f"config/README.md does not explain {model.__name__}.{key}"


def written(value: object) -> str:
    """A value as config/README.md writes it."""
    return {None: "none", True: "true", False: "false"}.get(value, str(value))  # type: ignore[call-overload]


def test_the_readme_tells_every_switch_of_every_protocol():
    text = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split("|") for line in text.partition("## Switches")[2].splitlines()]
    told = {
        cells[0].strip(" `"): [cell.strip() for cell in cells[1:-1]]
        for cells in rows
        if len(cells) == 7 and cells[0].startswith("`")
    }
    assert told == {
        name: [
            written(getattr(resolve("clean", {}), name)),
            *(
                written(PRESETS[paper][name]) if name in PRESETS[paper] else ""
                for paper in (
                    "jain-wallace",
                    "jain-wallace-dev",
                    "wiegreffe-pinter",
                    "serrano-smith",
                )
            ),
        ]
        for name in Protocol.model_fields
    }
