"""What tables and figures say of Kendall's τ between two token scores (Jain & Wallace 2019, section 4.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from attnnn.exhibits.estimates import deviation, estimate, mean
from attnnn.exhibits.facts import Fact, Setting
from attnnn.exhibits.finished import Floats, Ints, Results
from attnnn.exhibits.groups import predicted_groups
from attnnn.exhibits.sheet import number
from attnnn.measures import top_k_of
from attnnn.stages.correlate import CLASS_SCORES
from attnnn.stages.measure import METHODS
from attnnn.study.model import BASE, TRAINED_MLP, Model, Run
from attnnn.study.papers.published import UNMAPPED_CLASSES, published

GRADIENT, LEAVE_ONE_OUT = "attention~gradient", "attention~leave_one_out"
MEASURES = "gradient~leave_one_out"
# Of scores about the predicted class: the other classes' are in the stage's table.
CLASS_PAIRS = tuple(
    f"{other}~{score}" for score in CLASS_SCORES for other in ("attention", *METHODS)
)
PAIRS = (GRADIENT, LEAVE_ONE_OUT, MEASURES, *CLASS_PAIRS)
SCORE_NAMES = {
    "leave_one_out": "leave-one-out",
    "attention_gradient": "attention × gradient",
    "contribution": "α × contribution",
}
# What captions and notes say of scores about a class.
SIGNED = (
    "Attention × gradient (a token's weight times the slope of the predicted class's probability in it) and "
    "α × contribution (what the token adds to that class's logit against the others) are signed: above 0 "
    "where a token supports the predicted class."
)
SIGNIFICANT = 0.05
PAPER_SETTING: dict[tuple[Model, str], str] = {
    (BASE, GRADIENT): "gradient_bilstm",
    (TRAINED_MLP, GRADIENT): "gradient_average",
    (BASE, LEAVE_ONE_OUT): "loo_bilstm",
}
PAPER_METRIC = {
    "tau_mean": "kendall_tau_mean",
    "tau_std": "kendall_tau_std",
    "significant_share": "sig_frac_p05",
}


@dataclass(frozen=True)
class Correlations:
    """One pair of token scores in every test document of a run, NaN where τ is undefined.

    Attributes:
        predicted: predicted class.
        tau: Kendall's τ-b.
        significant: p ≤ .05.
        controlled: significant with the false-discovery rate of all documents held at .05.
        shuffled: τ after the second score was shuffled within the document.
        significant_shuffled: whether that one is.
        top_k_distance: of the k highest tokens.
        excluded: why τ is undefined; None where it is defined.
        k: of the top-k distance.
    """

    predicted: Ints
    tau: Floats
    significant: NDArray[np.bool_]
    controlled: NDArray[np.bool_]
    shuffled: Floats
    significant_shuffled: NDArray[np.bool_]
    top_k_distance: Floats
    excluded: NDArray[np.object_]
    k: int

    @property
    def groups(self) -> dict[str, NDArray[np.bool_]]:
        """The documents of each predicted class, by its number, and all: see `predicted_groups`."""
        return predicted_groups(self.predicted)

    def of(self, chosen: NDArray[np.bool_]) -> Correlations:
        """The same of some documents, whose discoveries stay those among all."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        k = columns.pop("k")
        return Correlations(**{name: values[chosen] for name, values in columns.items()}, k=k)


def correlations(results: Results, run: Run, pair: str) -> Correlations:
    """One of `PAIRS` in the test documents of a run, in the order of their numbers.

    A score about a class is about the one that the run predicts.
    """
    table = results.correlation(run).where("pair", pair)
    if pair in CLASS_PAIRS:
        table = table.take(table.ints("class") == table.ints("predicted"))
    p_value = table.floats("p_value")
    with np.errstate(invalid="ignore"):
        significant = p_value <= SIGNIFICANT
        significant_shuffled = table.floats("p_value_shuffled") <= SIGNIFICANT
    return Correlations(
        predicted=table.ints("predicted"),
        tau=table.floats("tau"),
        significant=significant,
        controlled=discoveries(p_value),
        shuffled=table.floats("tau_shuffled"),
        significant_shuffled=significant_shuffled,
        top_k_distance=table.floats("top_k_distance"),
        excluded=np.array(table.texts("excluded"), dtype=np.object_),
        k=top_k_of(table.ints("tokens")),
    )


def discoveries(p_value: Floats) -> NDArray[np.bool_]:
    """Which of many tests are significant with their false-discovery rate held at `SIGNIFICANT`.

    Args:
        p_value: shape (documents,); undefined ones (NaN) are no tests, and no discoveries.

    Source: Benjamini & Hochberg 1995, as in ``scipy.stats.false_discovery_control``.
    """
    from scipy.stats import false_discovery_control

    found = np.zeros(len(p_value), np.bool_)
    tested = ~np.isnan(p_value)
    if tested.any():
        found[tested] = false_discovery_control(p_value[tested]) <= SIGNIFICANT
    return found


def printed_in_table_2(
    dataset: str | None, model: Model, pair: str, metric: str, class_: str
) -> float | None:
    """What Jain & Wallace's table 2 says of a metric, by its own numbers of classes; None: nothing."""
    return published(
        dataset,
        paper="jain_wallace_2019",
        table="2",
        setting=PAPER_SETTING.get((model, pair), "not in the paper"),
        metric=PAPER_METRIC.get(metric, "not in the paper"),
        class_=class_,
    )


def setting_of(model: Model, pair: str, group: str) -> Setting:
    """The setting of a fact: model, pair and predicted class."""
    return Setting(model=model.name, pair=pair, predicted=group)


def correlation_facts(results: Results, run: Run, pair: str) -> Iterator[Fact]:
    """Everything that is reported of one pair of scores of a run, by predicted class.

    Means, deviations (ddof 0) and shares with 95 % percentile bootstrap intervals over documents. The
    share after control of false discoveries rests on one test of all documents of the run, whose outcomes
    are resampled. Documents whose τ is undefined are counted by reason. Under switch nan_policy = exclude
    the statistics leave them out; under propagate mean and deviation become NaN, and the shares count
    them as not significant, as in Jain & Wallace's code.
    """
    whole = correlations(results, run, pair)
    for group, members in whole.groups.items():
        one = whole.of(members)
        yield from _statistics(results, run, pair, group, one)
        yield from _undefined(run, pair, group, one)


def _statistics(
    results: Results, run: Run, pair: str, group: str, one: Correlations
) -> Iterator[Fact]:
    study = results.study
    if study.protocol_of(run.corpus).nan_policy == "exclude":
        one = one.of(~np.isnan(one.tau))
    statistics = {
        "tau_mean": (mean, one.tau),
        "significant_share": (mean, one.significant),
        "significant_share_fdr": (mean, one.controlled),
        "tau_mean_shuffled": (mean, one.shuffled),
        "significant_share_shuffled": (mean, one.significant_shuffled),
        "top_k_distance_mean": (mean, one.top_k_distance),
        "tau_std": (deviation, one.tau),
    }
    setting = setting_of(run.model, pair, group)
    dataset = study.corpora[run.corpus].published
    comparable = group == "all" or dataset not in UNMAPPED_CLASSES
    for metric, (statistic, values) in statistics.items():
        printed = None
        if comparable:
            printed = printed_in_table_2(dataset, run.model, pair, metric, group)
        yield estimate(study, run.corpus, setting, metric, statistic, values, published=printed)
    yield Fact(run.corpus, setting, "top_k", one.k, n=len(one.tau))


def _undefined(run: Run, pair: str, group: str, one: Correlations) -> Iterator[Fact]:
    setting, n = setting_of(run.model, pair, group), len(one.tau)
    reasons = Counter(reason for reason in one.excluded if reason is not None)
    yield Fact(run.corpus, setting, "undefined", reasons.total(), n=n)
    for reason in sorted(reasons):
        yield Fact(run.corpus, setting, f"undefined: {reason}", reasons[reason], n=n)


def named_pair(pair: str) -> str:
    """A pair of scores for people."""
    return " – ".join(SCORE_NAMES.get(score, score) for score in pair.split("~"))


def mean_and_spread(mean: Fact, spread: Fact) -> str:
    """τ for people: mean ± standard deviation, and the interval of the mean where it has one."""
    text = f"{number(mean.value, 2)} ± {number(spread.value, 2)}"
    if mean.low is None:
        return text
    return f"{text} [{number(mean.low, 2)}, {number(mean.high, 2)}]"


def printed_mean_and_spread(mean: Fact, spread: Fact) -> str:
    """The same of the paper's numbers, which come without an interval."""
    return f"{number(mean.published, 2)} ± {number(spread.published, 2)}"
