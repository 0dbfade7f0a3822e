"""The points of encoder × attention × objective that the study visits, and their names.

A model's name spells its point, and a run is a model of a corpus with a seed:

- ``bilstm-additive``: encoder and attention, trained on labels;
- ``bilstm-additive-lambda-0.001``: the same, trained to imitate the base model's predictions and to
  diverge from its attention with weight λ;
- ``average-imposed-bilstm-additive``: attention imposed by another model's;
- ``bilstm-log-odds``: attention imposed by the log-odds of words in a bag of words;
- ``bilstm-additive-towards-log-odds``: attention of its own, drawn to those.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from attnnn.study.config import Study

Encoder = Literal["bilstm", "average", "cnn"]
Attention = Literal["additive", "dot", "uniform", "imposed", "log-odds", "none"]

# Attentions with parameters, which alone can be drawn to something.
_LEARNED = ("additive", "dot")
_LAMBDA = "-lambda-"
_IMPOSED = "-imposed-"
_TOWARDS = "-towards-log-odds"
_SEED = "/seed-"


@dataclass(frozen=True)
class Model:
    """A point of encoder × attention × objective.

    Attributes:
        encoder: what makes a state of every token.
        attention: how the states are weighted.
        lambda_: weight of the divergence from the base model's attention (Wiegreffe & Pinter 2019,
            section 4); None: the model is trained on labels.
        guide: the model whose attention is imposed (section 3.4); None unless attention is imposed.
        towards_log_odds: whether the loss also draws attention to that by the log-odds of words (Jain &
            Wallace's released code).
    """

    encoder: Encoder
    attention: Attention
    lambda_: float | None = None
    guide: Model | None = None
    towards_log_odds: bool = False

    @property
    def given(self) -> bool:
        """Whether attention is given to it with every document, and not its own."""
        return self.attention in ("imposed", "log-odds")

    @property
    def uses_log_odds(self) -> bool:
        """Whether it is trained with the log-odds of words."""
        return self.attention == "log-odds" or self.towards_log_odds

    @property
    def name(self) -> str:
        """The name that `parse` reads."""
        if self.guide is not None:
            return f"{self.encoder}{_IMPOSED}{self.guide.name}"
        suffix = "" if self.lambda_ is None else f"{_LAMBDA}{format_lambda(self.lambda_)}"
        if self.towards_log_odds:
            suffix = _TOWARDS
        return f"{self.encoder}-{self.attention}{suffix}"

    @classmethod
    def parse(cls, name: str) -> Model:
        """The model of a name.

        Raises:
            ValueError: no model has that name.
        """
        encoder, _, rest = name.partition("-")
        if encoder in get_args(Encoder):
            if rest.startswith(_IMPOSED[1:]):
                return cls(encoder, "imposed", guide=cls.parse(rest.removeprefix(_IMPOSED[1:])))  # type: ignore[arg-type]
            if rest.endswith(_TOWARDS) and rest.removesuffix(_TOWARDS) in _LEARNED:
                attention = rest.removesuffix(_TOWARDS)
                return cls(encoder, attention, towards_log_odds=True)  # type: ignore[arg-type]
            attention, separator, number = rest.partition(_LAMBDA)
            if attention in get_args(Attention) and attention != "imposed":
                lambda_ = float(number) if separator else None
                return cls(encoder, attention, lambda_=lambda_)  # type: ignore[arg-type]
        raise ValueError(
            f"{name!r} names no model; expected ENCODER-ATTENTION, for instance bilstm-additive, with "
            f"encoders {', '.join(get_args(Encoder))} and attentions {', '.join(get_args(Attention))}"
        )


def format_lambda(value: float) -> str:
    """λ as it stands in names and tables: the shortest text that reads back as the same number."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


@dataclass(frozen=True)
class Run:
    """One training: a model of a corpus with a seed."""

    corpus: str
    model: Model
    seed: int

    @property
    def name(self) -> str:
        """Its name within its corpus, which `parse` reads and paths spell."""
        return f"{self.model.name}{_SEED}{self.seed}"

    @classmethod
    def parse(cls, corpus: str, name: str) -> Run:
        """The run of a corpus by its name, for instance ``bilstm-additive/seed-10``.

        Raises:
            ValueError: no run has that name.
        """
        model, separator, seed = name.partition(_SEED)
        if not separator or not (seed.isascii() and seed.isdigit()):
            raise ValueError(
                f"{name!r} names no run; expected MODEL/seed-SEED, for instance bilstm-additive/seed-10"
            )
        return cls(corpus, Model.parse(model), int(seed))


BASE = Model("bilstm", "additive")
UNIFORM = Model("bilstm", "uniform")
TRAINED_MLP = Model("average", "additive")
UNIFORM_MLP = Model("average", "uniform")
LOG_ODDS = Model(BASE.encoder, "log-odds")
TOWARDS_LOG_ODDS = Model(BASE.encoder, BASE.attention, towards_log_odds=True)


def adversary(lambda_: float) -> Model:
    """The trained adversary of one λ."""
    return Model(BASE.encoder, BASE.attention, lambda_=lambda_)


# Jain & Wallace's encoders and attentions, all with all, and the encoders without attention.
GRID = tuple(
    Model(encoder, attention) for encoder in get_args(Encoder) for attention in ("additive", "dot")
)
VANILLA = tuple(Model(encoder, "none") for encoder in get_args(Encoder))


def guided_mlp(guide: Model) -> Model:
    """The MLP that weighs its tokens by the attention of `guide`."""
    return Model("average", "imposed", guide=guide)


def papers_of(study: Study, corpus: str) -> list[str]:
    """Whose experiments are run on a corpus: Wiegreffe & Pinter's are about two classes alone."""
    if study.corpora[corpus].source.two_classes:
        return list(study.papers)
    return [paper for paper in study.papers if paper != "wiegreffe-pinter"]


def base_run(study: Study, corpus: str) -> Run:
    """The run that everything is compared with."""
    return Run(corpus, BASE, study.base_seed)


def uniform_run(study: Study, corpus: str) -> Run:
    """The BiLSTM with uniform attention (Wiegreffe & Pinter 2019, section 3.2)."""
    return Run(corpus, UNIFORM, study.base_seed)


def average_run(study: Study, corpus: str) -> Run:
    """Jain & Wallace's average encoder, which is Wiegreffe & Pinter's trained MLP."""
    return Run(corpus, TRAINED_MLP, study.base_seed)


def seed_runs(study: Study, corpus: str) -> list[Run]:
    """The base model with other seeds (Wiegreffe & Pinter 2019, section 3.3)."""
    return [Run(corpus, BASE, seed) for seed in study.seeds]


def adversary_seeds(study: Study, corpus: str) -> list[int]:
    """Seeds of the trained adversaries, the headline one first (switch adv_seed)."""
    seeds = {"same": [study.base_seed], "different": [study.seeds[0]]}
    seeds["both"] = seeds["same"] + seeds["different"]
    return seeds[study.protocol_of(corpus).adv_seed]


def adversary_runs(study: Study, corpus: str, seed: int) -> list[Run]:
    """The λ sweep (Wiegreffe & Pinter 2019, section 4), λ ascending."""
    return [Run(corpus, adversary(value), seed) for value in study.lambdas_of(corpus)]


def guide_runs(study: Study, corpus: str) -> dict[str, Run]:
    """The MLPs of Table 3 by the name of their guide (Wiegreffe & Pinter 2019, section 3.4)."""
    guide_seed = adversary_seeds(study, corpus)[0]
    return {
        "uniform": Run(corpus, UNIFORM_MLP, study.base_seed),
        "trained_mlp": Run(corpus, TRAINED_MLP, study.base_seed),
        "base_lstm": Run(corpus, guided_mlp(BASE), study.base_seed),
        "adversary": Run(corpus, guided_mlp(adversary(study.guide_lambda)), guide_seed),
    }


def guiding_run(study: Study, run: Run) -> Run | None:
    """The run whose attention (imposed) or whose predictions and attention (λ) a run learns from."""
    if run.model.guide is not None:
        seed = study.base_seed if run.model.guide.lambda_ is None else run.seed
        return Run(run.corpus, run.model.guide, seed)
    return base_run(study, run.corpus) if run.model.lambda_ is not None else None


def has_log_odds(study: Study, corpus: str) -> bool:
    """Whether the experiments with log-odds of words are run on a corpus.

    A bag of words is of one text; so pairs are left out, and with them every corpus of more than two
    classes.
    """
    return study.log_odds.run and study.corpora[corpus].source.two_classes


def log_odds_runs(study: Study, corpus: str) -> list[Run]:
    """The runs trained with log-odds of words: with their attention imposed, and drawn to it."""
    if not has_log_odds(study, corpus):
        return []
    return [Run(corpus, model, study.base_seed) for model in (LOG_ODDS, TOWARDS_LOG_ODDS)]


def replaced_runs(study: Study, corpus: str) -> list[Run]:
    """The runs whose attention, and whose most attended words, are replaced by the log-odds'."""
    return [base_run(study, corpus)] if has_log_odds(study, corpus) else []


def swept_runs(study: Study, corpus: str) -> list[Run]:
    """All trained adversaries of a corpus, the headline seed first."""
    return [
        run
        for seed in adversary_seeds(study, corpus)
        for run in adversary_runs(study, corpus, seed)
    ]


def compared_runs(study: Study, corpus: str) -> list[Run]:
    """The runs whose attention and predictions are compared with the base model's."""
    return [
        *seed_runs(study, corpus),
        uniform_run(study, corpus),
        *swept_runs(study, corpus),
        *log_odds_runs(study, corpus),
    ]


def all_runs(study: Study, corpus: str) -> list[Run]:
    """Every run of a corpus, those that others learn from before them.

    Those that learn from log-odds of words come last, so that they share no job with others, which need
    not be trained anew when they are asked for.
    """
    wanted = [base_run(study, corpus)]
    if "wiegreffe-pinter" in papers_of(study, corpus):
        wanted += [
            *seed_runs(study, corpus),
            uniform_run(study, corpus),
            *guide_runs(study, corpus).values(),
            *swept_runs(study, corpus),
        ]
    if "jain-wallace" in papers_of(study, corpus):
        wanted += grid_runs(study, corpus) + vanilla_runs(study, corpus)
    guides = [guide for run in wanted if (guide := guiding_run(study, run)) is not None]
    distinct = dict.fromkeys(wanted + guides)
    ordered = sorted(distinct, key=lambda run: distance_from_labels(study, run))
    return ordered + log_odds_runs(study, corpus)


def distance_from_labels(study: Study, run: Run) -> int:
    """How many runs, one after another, a run learns from: 0 for one trained on labels alone."""
    guide = guiding_run(study, run)
    return 0 if guide is None else 1 + distance_from_labels(study, guide)


def explained_runs(study: Study, corpus: str) -> list[Run]:
    """The runs whose attention is compared with gradient and leave-one-out importance."""
    if "jain-wallace" in papers_of(study, corpus):
        return grid_runs(study, corpus)
    return [base_run(study, corpus), average_run(study, corpus)]


def attacked_runs(study: Study, corpus: str) -> list[Run]:
    """The runs whose attention is permuted and replaced, document by document, searched and exactly."""
    if "jain-wallace" in papers_of(study, corpus):
        return grid_runs(study, corpus)
    return [base_run(study, corpus)]


def grid_runs(study: Study, corpus: str) -> list[Run]:
    """Every encoder with every attention (Jain & Wallace 2019, section 3), the base model first."""
    return [Run(corpus, model, study.base_seed) for model in GRID]


def vanilla_runs(study: Study, corpus: str) -> list[Run]:
    """The encoders without attention."""
    return [Run(corpus, model, study.base_seed) for model in VANILLA]
