"""What each stage's result depends on, and what it does not: the settings that its jobs may see."""

from collections.abc import Callable
from typing import Any

import pytest

from attnnn.dag import catalogue
from attnnn.dag.exhibit import identity
from attnnn.study.config import Study, validate
from attnnn.study.model import BASE, LOG_ODDS, TOWARDS_LOG_ODDS, Model, Run, adversary

FLAN, HAN = (
    Run("one", Model("flan-rnn", "additive"), 10),
    Run("one", Model("han-none", "uniform"), 10),
)
RUN, SWEPT = Run("one", BASE, 10), Run("one", adversary(0.1), 10)


def study(**changes: Any) -> Study:
    source = {"kind": "planted", "regime": "lexical"}
    corpora = {"one": {"source": source, **changes.pop("corpus", {})}}
    return validate({"corpora": corpora, **changes}, where="test")


def of(verb: str, subject: Any) -> Callable[[Study], Any]:
    return lambda s: catalogue.stage(verb).settings(s, subject)


def shown(name: str) -> Callable[[Study], Any]:
    return lambda s: identity(s, catalogue.exhibit(name))


OF: dict[str, Callable[[Study], Any]] = {
    "prepare": of("prepare", "one"),
    "embed": of("embed", "one"),
    "weigh": of("weigh", "one"),
    "labelled": of("train", RUN),
    "imitating": of("train", SWEPT),
    "given": of("train", Run("one", LOG_ODDS, 10)),
    "drawn": of("train", Run("one", TOWARDS_LOG_ODDS, 10)),
    "cnn": of("train", Run("one", Model("cnn", "dot"), 10)),
    "flan": of("train", FLAN),
    "han": of("train", HAN),
    "measure": of("measure", RUN),
    "measure average": of("measure", Run("one", Model("average", "dot"), 10)),
    "correlate": of("correlate", RUN),
    "permute": of("permute", RUN),
    "search": of("search", RUN),
    "solve": of("solve", RUN),
    "replace": of("replace", RUN),
    "fig1": shown("fig1"),
    "table2": shown("table2"),
    "table5": shown("table5"),
    "permutation": shown("permutation"),
    "per_instance": shown("per_instance_adversary"),
}
LABELLED = {"labelled", "given", "drawn", "cnn"}
MODELS = LABELLED | {"imitating"}
SERRANO_SMITH = {"flan", "han"}
# Captions name every switch; figure 1 is of no study.
EXHIBITS = {"table2", "table5", "permutation", "per_instance"}


@pytest.mark.parametrize(
    ("change", "touched"),
    [
        ({"corpus": {"min_df": 2}}, {"prepare"}),
        ({"switches": {"vocab_fit": "all"}}, {"prepare"} | EXHIBITS),
        ({"training": {"epochs": 3}}, LABELLED),
        ({"training": {"hidden_size": 4}}, MODELS),
        ({"training": {"weight_decay": 0}}, MODELS),
        ({"training": {"checkpoint_seconds": 3}}, set()),
        ({"corpus": {"embedding": {"dimension": 5}}}, MODELS | SERRANO_SMITH | {"embed"}),
        ({"corpus": {"embedding": {"scale": 0.5}}}, MODELS | SERRANO_SMITH | {"embed"}),
        ({"serrano_smith": {"word_dropout": 0.1}}, SERRANO_SMITH),
        ({"corpus": {"serrano_smith": {"clip_value": 50}}}, SERRANO_SMITH),
        ({"serrano_smith": {"epochs": 2}}, {"flan"}),
        ({"serrano_smith": {"epochs_without_encoder": 2}}, {"han"}),
        ({"serrano_smith": {"han_samples_per_batch": 9000}}, {"han"}),
        ({"switches": {"logit_dropout": "logits"}}, SERRANO_SMITH | EXHIBITS),
        ({"switches": {"gru_bias": "lstm_init"}}, SERRANO_SMITH | EXHIBITS),
        ({"switches": {"adv_epochs": 3}}, {"imitating"} | EXHIBITS),
        ({"switches": {"select_split": "test"}}, LABELLED | SERRANO_SMITH | EXHIBITS),
        ({"switches": {"cnn_width": "double"}}, {"cnn"} | EXHIBITS),
        (
            {"switches": {"grad_through_attention": True}},
            {"measure", "measure average"} | EXHIBITS,
        ),
        ({"log_odds": {"run": True}}, set()),
        ({"log_odds": {"inverse_strength": 2}}, {"weigh"}),
        ({"log_odds": {"divergence_weight": 2}}, {"drawn"}),
        ({"log_odds": {"substituted_words": 2}}, {"replace"}),
        ({"permutations": 3}, {"permute", "permutation"}),
        ({"leave_one_out": {"rejoin_tolerance": 1e-3}}, {"measure"}),
        ({"searched_adversary": {"steps": 3}}, {"search"}),
        ({"switches": {"adv_iterate": "last"}}, {"search"} | EXHIBITS),
        ({"epsilons": [0.01, 0.1]}, {"search", "solve", "per_instance"}),
        ({"corpus": {"published": "SST"}}, EXHIBITS),
        ({"bootstrap": 7}, EXHIBITS),
        ({"seeds": [1]}, {"table2"}),
        ({"lambdas": [0.5]}, set()),
        ({"base_seed": 1}, set()),
        ({"threads": 2, "device": "cpu", "results_dir": "r", "corpora_dir": "c"}, set()),
    ],
)
def test_a_change_touches_exactly_what_it_changes(change: dict[str, Any], touched: set[str]):
    before, after = study(), study(**change)
    assert {name for name in OF if OF[name](before) != OF[name](after)} == touched
