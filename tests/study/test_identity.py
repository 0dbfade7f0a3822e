"""What a result depends on, and what it does not."""

from collections.abc import Callable
from typing import Any

import pytest

from attnnn.study import identity
from attnnn.study.config import Study, validate
from attnnn.study.design import BASE, LOG_ODDS, TOWARDS_LOG_ODDS, Run, adversary

RUN, SWEPT = Run("one", BASE, 10), Run("one", adversary(0.1), 10)


def study(**changes: Any) -> Study:
    source = {"kind": "planted", "regime": "lexical"}
    corpora = {"one": {"source": source, **changes.pop("corpus", {})}}
    return validate({"corpora": corpora, **changes}, where="test")


OF: dict[str, Callable[[Study], Any]] = {
    "corpus": lambda s: identity.of_corpus(s, "one"),
    "labelled": lambda s: identity.of_run(s, RUN),
    "imitating": lambda s: identity.of_run(s, SWEPT),
    "gradient": lambda s: identity.of_importance(s, RUN, "gradient"),
    "leave_one_out": lambda s: identity.of_importance(s, RUN, "leave_one_out"),
    "permutation": lambda s: identity.of_permutation(s, RUN),
    "search": lambda s: identity.of_search(s, RUN),
    "comparison": lambda s: identity.of_comparison(s, RUN),
    "log_odds": identity.of_log_odds,
    "given": lambda s: identity.of_run(s, Run("one", LOG_ODDS, 10)),
    "drawn": lambda s: identity.of_run(s, Run("one", TOWARDS_LOG_ODDS, 10)),
    "replacement": lambda s: identity.of_replacement(s, RUN),
    "publication": identity.of_publication,
}
ALL = set(OF)
LABELLED = {"labelled", "given", "drawn"}
MODELS = LABELLED | {"imitating"}


@pytest.mark.parametrize(
    ("change", "touched"),
    [
        ({"corpus": {"min_df": 2}}, {"corpus"}),
        ({"switches": {"vocab_fit": "all"}}, {"corpus", "publication"}),
        ({"training": {"epochs": 3}}, LABELLED),
        ({"training": {"hidden_size": 4}}, MODELS),
        ({"training": {"weight_decay": 0}}, MODELS),
        ({"training": {"checkpoint_seconds": 3}}, set()),
        ({"corpus": {"embedding": {"dimension": 5}}}, MODELS),
        ({"corpus": {"embedding": {"scale": 0.5}}}, MODELS),
        ({"switches": {"adv_epochs": 3}}, {"imitating", "publication"}),
        ({"switches": {"select_split": "test"}}, LABELLED | {"publication"}),
        ({"switches": {"grad_through_attention": True}}, {"gradient", "publication"}),
        ({"log_odds": {"run": True}}, set()),
        ({"log_odds": {"inverse_strength": 2}}, {"log_odds"}),
        ({"log_odds": {"divergence_weight": 2}}, {"drawn"}),
        ({"log_odds": {"substituted_words": 2}}, {"replacement"}),
        ({"permutations": 3}, {"permutation"}),
        ({"leave_one_out": {"rejoin_tolerance": 1e-3}}, {"leave_one_out"}),
        ({"searched_adversary": {"steps": 3}}, {"search"}),
        ({"switches": {"adv_iterate": "last"}}, {"search", "publication"}),
        ({"epsilons": [0.01, 0.1]}, {"search", "publication"}),
        ({"corpus": {"published": "SST"}}, {"publication"}),
        ({"bootstrap": 7}, {"publication"}),
        ({"seeds": [1]}, {"publication"}),
        ({"base_seed": 1}, {"comparison"}),
        ({"threads": 2, "device": "cpu", "results_dir": "r", "corpora_dir": "c"}, set()),
    ],
)
def test_a_change_touches_exactly_what_it_changes(change: dict[str, Any], touched: set[str]):
    before, after = study(), study(**change)
    assert {name for name in ALL if OF[name](before) != OF[name](after)} == touched
