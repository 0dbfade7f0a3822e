"""A model is a point of encoder × attention × objective, a run is a model of a corpus with a seed.

A model's name spells its point:

- ``bilstm-additive``: encoder and attention, trained on labels;
- ``bilstm-additive-lambda-0.001``: the same, trained to imitate the base model's predictions and to
  diverge from its attention with weight λ;
- ``average-imposed-bilstm-additive``: attention imposed by another model's;
- ``bilstm-log-odds``: attention imposed by the log-odds of words in a bag of words;
- ``bilstm-additive-towards-log-odds``: attention of its own, drawn to those.

Encoders of Serrano & Smith (2019) have a dash in their names: ``han-rnn-additive`` is a hierarchical
attention network of GRUs, ``flan-none-additive`` a flat one without an encoder.
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
        scored: inner width of additive attention to its states.
    """

    width: int
    weights: int
    biases: int
    scored: int


@dataclass(frozen=True)
class EncoderKind:
    """What is known of an encoder without its module.

    Attributes:
        size: by the width of what it reads and the hidden size.
        paper: whose architecture and training it is: Jain & Wallace's or Serrano & Smith's.
        recurrent: whether it reads one token after the other.
        hierarchical: whether it reads sentences first, and a model attends to sentences instead of tokens.
    """

    size: Callable[[int, int], EncoderSize]
    paper: Literal["jain-wallace", "serrano-smith"] = "jain-wallace"
    recurrent: bool = False
    hierarchical: bool = False


def _bilstm(dimension: int, hidden: int) -> EncoderSize:
    weights = 2 * 4 * hidden * (dimension + hidden)
    return EncoderSize(2 * hidden, weights, 2 * 2 * 4 * hidden, hidden)


def _average(dimension: int, hidden: int) -> EncoderSize:
    return EncoderSize(hidden, dimension * hidden, hidden, hidden // 2)


def _cnn(dimension: int, hidden: int) -> EncoderSize:
    """Kernels of widths 1, 3, 5 and 7, a quarter of the states each."""
    weights = hidden // 4 * (1 + 3 + 5 + 7) * dimension
    return EncoderSize(hidden, weights, hidden, hidden // 2)


def _gru(dimension: int, hidden: int) -> EncoderSize:
    """Both directions have half of the states each."""
    half = hidden // 2
    return EncoderSize(hidden, 2 * 3 * half * (dimension + half), 2 * 2 * 3 * half, hidden)


def _convolutions(dimension: int, hidden: int) -> EncoderSize:
    """Kernels of widths 3 and 5, half of the states each."""
    return EncoderSize(hidden, hidden // 2 * (3 + 5) * dimension, hidden, hidden)


def _none(dimension: int, hidden: int) -> EncoderSize:
    """A state is the word vector itself."""
    return EncoderSize(dimension, 0, 0, dimension)


# One entry per encoder; `models.encoders` holds the module of the same name. A hierarchical one is two of a
# kind, for words and, reading the first one's states, for sentences; the size is that of each.
ENCODERS: Mapping[str, EncoderKind] = {
    "bilstm": EncoderKind(_bilstm, recurrent=True),
    "average": EncoderKind(_average),
    "cnn": EncoderKind(_cnn),
} | {
    f"{family}-{name}": EncoderKind(
        size, "serrano-smith", recurrent=name == "rnn", hierarchical=family == "han"
    )
    for family in ("flan", "han")
    for name, size in {"rnn": _gru, "conv": _convolutions, "none": _none}.items()
}

Attention = Literal["additive", "dot", "uniform", "imposed", "log-odds", "none"]


def attention_to_words(attention: str) -> str:
    """The lower attention of a hierarchical model: as the upper one, unless that is given from outside."""
    return "additive" if attention in ("imposed", "log-odds") else attention


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
        encoder: one of `ENCODERS`, which makes a state of every token, or of every sentence.
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
    def kind(self) -> EncoderKind:
        """What is known of its encoder."""
        return ENCODERS[self.encoder]

    @property
    def given(self) -> bool:
        """Whether its attention is given with every document instead of being its own."""
        return self.attention in ("imposed", "log-odds")

    @property
    def attends(self) -> bool:
        """Whether it weighs tokens, or sentences, at all."""
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
        encoder = next((known for known in ENCODERS if name.startswith(f"{known}-")), None)
        model = cls._parse(encoder, name.removeprefix(f"{encoder}-")) if encoder else None
        if model is not None and model._is_trained():
            return model
        raise ValueError(
            f"{name!r} names no model; expected ENCODER-ATTENTION, for instance bilstm-additive, with "
            f"encoders {', '.join(ENCODERS)} and attentions {', '.join(get_args(Attention))}"
        )

    @classmethod
    def _parse(cls, encoder: str, rest: str) -> Model | None:
        """The model of an encoder by the rest of its name."""
        if rest.startswith(_IMPOSED[1:]):
            return cls(encoder, "imposed", guide=cls.parse(rest.removeprefix(_IMPOSED[1:])))
        if rest.endswith(_TOWARDS) and rest.removesuffix(_TOWARDS) in _LEARNED:
            attention = rest.removesuffix(_TOWARDS)
            return cls(encoder, attention, towards_log_odds=True)  # type: ignore[arg-type]
        attention, separator, number = rest.partition(_LAMBDA)
        if attention not in get_args(Attention) or attention == "imposed":
            return None
        lambda_ = float(number) if separator else None
        return cls(encoder, attention, lambda_=lambda_)  # type: ignore[arg-type]

    def _is_trained(self) -> bool:
        """Whether there is a training for it: nobody draws Serrano & Smith's models to other attention.

        Imposed attention must be to sentences where a model's own would be.
        """
        if self.kind.paper == "serrano-smith" and (
            self.lambda_ is not None or self.towards_log_odds
        ):
            return False
        given = self.guide.kind.hierarchical if self.guide is not None else False
        return not self.given or given == self.kind.hierarchical


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
