"""A model is a point of encoder × attention × objective, a run is a model of a corpus with a seed.

A model's name spells its point:

- ``bilstm-additive``: encoder and attention, trained on labels;
- ``bilstm-additive-lambda-0.001``: the same, trained to imitate the base model's predictions and to
  diverge from its attention with weight λ;
- ``average-imposed-bilstm-additive``: attention imposed by another model's;
- ``bilstm-log-odds``: attention imposed by the log-odds of words in a bag of words;
- ``bilstm-additive-towards-log-odds``: attention of its own, drawn to those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args


@dataclass(frozen=True)
class EncoderSize:
    """How large an encoder is, given the width of word vectors and the hidden size.

    Attributes:
        width: of its states.
        weights: numbers that a token is multiplied by to get a state.
        biases: trainable numbers beside these.
    """

    width: int
    weights: int
    biases: int


# One entry per encoder; `models.encoders` holds the module of the same name.
ENCODERS: Mapping[str, Callable[[int, int], EncoderSize]] = {
    "bilstm": lambda dimension, hidden: EncoderSize(
        2 * hidden, 2 * 4 * hidden * (dimension + hidden), 2 * 2 * 4 * hidden
    ),
    "average": lambda dimension, hidden: EncoderSize(hidden, dimension * hidden, hidden),
    # Kernels of widths 1, 3, 5 and 7, a quarter of the states each.
    "cnn": lambda dimension, hidden: EncoderSize(
        hidden, hidden // 4 * (1 + 3 + 5 + 7) * dimension, hidden
    ),
}

Attention = Literal["additive", "dot", "uniform", "imposed", "log-odds", "none"]

# Attentions with parameters: only these can be drawn to something.
_LEARNED = ("additive", "dot")
_LAMBDA = "-lambda-"
_IMPOSED = "-imposed-"
_TOWARDS = "-towards-log-odds"
_SEED = "/seed-"


@dataclass(frozen=True)
class Model:
    """A point of encoder × attention × objective.

    Attributes:
        encoder: one of `ENCODERS`, which makes a state of every token.
        attention: how the states are weighted.
        lambda_: weight of the divergence from the base model's attention (Wiegreffe & Pinter 2019,
            section 4); None: the model is trained on labels.
        guide: the model whose attention is imposed (section 3.4); None unless attention is imposed.
        towards_log_odds: whether the loss also draws attention to that by the log-odds of words (Jain &
            Wallace's released code).
    """

    encoder: str
    attention: Attention
    lambda_: float | None = None
    guide: Model | None = None
    towards_log_odds: bool = False

    @property
    def given(self) -> bool:
        """Whether its attention is given with every document instead of being its own."""
        return self.attention in ("imposed", "log-odds")

    @property
    def attends(self) -> bool:
        """Whether it weighs tokens at all."""
        return self.attention != "none"

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
        if encoder in ENCODERS:
            if rest.startswith(_IMPOSED[1:]):
                return cls(encoder, "imposed", guide=cls.parse(rest.removeprefix(_IMPOSED[1:])))
            if rest.endswith(_TOWARDS) and rest.removesuffix(_TOWARDS) in _LEARNED:
                attention = rest.removesuffix(_TOWARDS)
                return cls(encoder, attention, towards_log_odds=True)  # type: ignore[arg-type]
            attention, separator, number = rest.partition(_LAMBDA)
            if attention in get_args(Attention) and attention != "imposed":
                lambda_ = float(number) if separator else None
                return cls(encoder, attention, lambda_=lambda_)  # type: ignore[arg-type]
        raise ValueError(
            f"{name!r} names no model; expected ENCODER-ATTENTION, for instance bilstm-additive, with "
            f"encoders {', '.join(ENCODERS)} and attentions {', '.join(get_args(Attention))}"
        )


MODEL_PATTERN = rf"(?:{'|'.join(map(re.escape, ENCODERS))})-[a-z0-9.+-]+"
"""What the names of models look like, as a regular expression for Snakemake's wildcards."""


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


def guided_mlp(guide: Model) -> Model:
    """The MLP that weighs its tokens by the attention of `guide`."""
    return Model("average", "imposed", guide=guide)
