"""The study's configuration: the only home of defaults, and the first judge of a user's mistakes."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator, model_validator

from attnnn.errors import UserError
from attnnn.study.model import BASE, TRAINED_MLP, Model
from attnnn.study.papers import PAPERS
from attnnn.study.protocol import Protocol, ProtocolName, resolve
from attnnn.study.settings import (
    Corpus,
    Lambda,
    LeaveOneOut,
    LogOdds,
    SearchedAdversary,
    SerranoSmith,
    TrainingConfig,
)
from attnnn.study.sources.base import Strict

NAME = r"^[a-z0-9][a-z0-9_]*$"
PaperName = Literal["jain-wallace", "wiegreffe-pinter", "serrano-smith"]
# Jain & Wallace's encoders and attentions, all with all, and the encoders without attention.
_ENCODERS = ("bilstm", "average", "cnn")
GRID = [
    *(f"{encoder}-{attention}" for encoder in _ENCODERS for attention in ("additive", "dot")),
    *(f"{encoder}-none" for encoder in _ENCODERS),
]


class Study(Strict):
    """Everything a study is made of."""

    results_dir: str = Field("results", min_length=1, description="Folder that the study writes.")
    corpora_dir: str = Field("corpora", min_length=1, description="Folder of corpora and vectors.")
    missing_corpora: Literal["refuse", "leave_out"] = Field(
        "refuse",
        description="What to do about a corpus whose file or folder does not exist: refuse the study, or "
        "leave the corpus out and say so.",
    )
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="Where models run; auto: on a GPU where there is one."
    )
    threads: int = Field(
        1,
        ge=1,
        description="CPU threads of a job that trains or needs gradients. Small models run best on one "
        "each, several jobs side by side. Results are the same to the byte for the same number.",
    )
    papers: list[PaperName] = Field(
        ["jain-wallace", "wiegreffe-pinter"],
        min_length=1,
        description="Whose experiments are run, tables made and figures drawn.",
    )
    grid: list[str] = Field(
        GRID,
        description="Encoders with attentions that Jain & Wallace's experiments are run on, as "
        "ENCODER-ATTENTION; with attention `none`, only predictions are compared. bilstm-additive and "
        "average-additive must be among them.",
    )
    protocol: ProtocolName = Field("clean", description="Preset of the switches.")
    switches: dict[str, Any] = Field({}, description="Single switches that override the preset.")
    corpora: dict[Annotated[str, Field(pattern=NAME)], Corpus] = Field(
        min_length=1, description="The corpora, by the name they have in every path and table."
    )
    training: TrainingConfig = Field(TrainingConfig(), description="How models are trained.")
    serrano_smith: SerranoSmith = Field(
        SerranoSmith(), description="How Serrano & Smith's models are made and trained."
    )
    base_seed: int = Field(
        10, ge=0, description="Seed of the base model and all but the seed runs."
    )
    seeds: list[Annotated[int, Field(ge=0)]] = Field(
        [50, 257, 500231, 100078, 12504, 90754789, 8988812, 2],
        min_length=1,
        description="Seeds of the random-seed experiment (default: Wiegreffe & Pinter's eight).",
    )
    adversary_seed: int = Field(
        50,
        ge=0,
        description="Seed of the trained adversaries that do not have the base model's (switch adv_seed); "
        "the first of seeds unless it is given.",
    )
    lambdas: list[Lambda] = Field(
        [0, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2],
        min_length=1,
        description="λ grid of the trained adversaries.",
    )
    guide_lambda: Lambda = Field(
        1e-3, description="λ of the adversary whose attention guides an MLP (Table 3)."
    )
    epsilons: list[Annotated[float, Field(gt=0, le=1)]] = Field(
        [0.01, 0.05],
        min_length=1,
        description="Every ε that a per-instance adversary is reported at.",
    )
    searched_adversary: SearchedAdversary = Field(
        SearchedAdversary(), description="Per-instance search."
    )
    leave_one_out: LeaveOneOut = Field(LeaveOneOut(), description="Leave-one-out of the BiLSTM.")
    log_odds: LogOdds = Field(
        LogOdds(), description="Experiments with the log-odds of words in a bag of words."
    )
    permutations: int = Field(100, ge=1, description="Permutations of each document's attention.")
    bootstrap: int = Field(1000, ge=2, description="Resamples of a bootstrap interval.")

    @model_validator(mode="before")
    @classmethod
    def _adversary_seed(cls, content: Any) -> Any:
        """Without a seed of its own, the second sweep has the first of seeds."""
        if not isinstance(content, Mapping) or "adversary_seed" in content:
            return content
        seeds = content.get("seeds")
        return (
            {**content, "adversary_seed": seeds[0]}
            if isinstance(seeds, list) and seeds
            else content
        )

    @field_validator("papers", "grid", "seeds", "lambdas", "epsilons")
    @classmethod
    def _distinct(cls, values: list[Any]) -> list[Any]:
        if len(set(values)) != len(values):
            raise ValueError(f"values must differ, got {values}")
        return values

    @field_validator("grid")
    @classmethod
    def _models(cls, names: list[str]) -> list[str]:
        for name in names:
            model = Model.parse(name)
            if model.given or model.lambda_ is not None or model.towards_log_odds:
                raise ValueError(
                    f"{name}: expected an encoder with an attention of its own, or none"
                )
            if model.kind.hierarchical:
                raise ValueError(
                    f"{name}: Jain & Wallace's experiments are about attention to tokens, and this model "
                    "attends to sentences; leave it out"
                )
        for name in (BASE.name, TRAINED_MLP.name):
            if name not in names:
                raise ValueError(f"{name} is missing, which tables compare the others with; add it")
        return names

    @model_validator(mode="after")
    def _consistent(self) -> Study:
        if self.base_seed in self.seeds:
            raise ValueError(f"base_seed {self.base_seed} is among seeds; leave it out there")
        if self.log_odds.run and "jain-wallace" not in self.papers:
            raise ValueError(
                "log_odds.run: these experiments are Jain & Wallace's; add jain-wallace to papers"
            )
        for name in self.corpora:
            self._require_papers(name)
            self._require_sizes(name)
            epsilon = self.protocol_of(name).epsilon_select
            if epsilon not in self.epsilons:
                raise ValueError(
                    f"switch epsilon_select {epsilon} is not among epsilons {self.epsilons}"
                )
        return self

    def _require_papers(self, corpus: str) -> None:
        source = self.corpora[corpus].source
        if any(PAPERS[name].about(source) for name in self.papers):
            return
        restrictions = "; ".join(
            f"{PAPERS[name].authors}'s experiments are about {PAPERS[name].restriction}"
            for name in self.papers
        )
        fitting = " or ".join(name for name, paper in PAPERS.items() if paper.about(source))
        raise ValueError(
            f"corpus {corpus} has no experiments: {restrictions}; add {fitting} to papers, or leave the "
            "corpus out"
        )

    def _require_sizes(self, corpus: str) -> None:
        size = self.training_of(corpus).hidden_size
        if (
            "jain-wallace" in self.papers
            and size % 4
            and any(n.startswith("cnn") for n in self.grid)
        ):
            raise ValueError(
                f"hidden_size {size} of corpus {corpus} must be a multiple of 4, as the CNN has four "
                "kernels; change it, or leave the CNN out of grid"
            )

    @cached_property
    def _protocols(self) -> dict[str, Protocol]:
        return {
            name: resolve(corpus.protocol or self.protocol, {**self.switches, **corpus.switches})
            for name, corpus in self.corpora.items()
        }

    def protocol_of(self, corpus: str) -> Protocol:
        """The resolved switches of a corpus."""
        return self._protocols[corpus]

    def protocol_name_of(self, corpus: str) -> ProtocolName:
        """The preset that the switches of a corpus start from."""
        return self.corpora[corpus].protocol or self.protocol

    def lambdas_of(self, corpus: str) -> list[float]:
        """The λ grid of a corpus, ascending."""
        return sorted(self.corpora[corpus].lambdas or self.lambdas)

    def of_corpora(self, names: Collection[str]) -> Study:
        """The same study of some of its corpora."""
        corpora = {name: corpus for name, corpus in self.corpora.items() if name in names}
        return self.model_copy(update={"corpora": corpora})

    def training_of(self, corpus: str) -> TrainingConfig:
        """The training settings of a corpus."""
        return self.corpora[corpus].training or self.training

    def serrano_smith_of(self, corpus: str) -> SerranoSmith:
        """How Serrano & Smith's models of a corpus are trained."""
        return self.corpora[corpus].serrano_smith or self.serrano_smith

    def source_path(self, path: str) -> Path:
        """A path of the configuration, looked up under corpora_dir unless absolute."""
        return Path(self.corpora_dir) / path


def load(path: str | Path, *, changes: Sequence[str] = ()) -> Study:
    """Read and validate a configuration file.

    Args:
        path: the file.
        changes: top-level keys to change first, as ``key=value``, the value in YAML.

    Raises:
        UserError: in one line, what is wrong with which key of which file.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such configuration file") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise UserError(f"{path}: expected a mapping of keys, found {type(content).__name__}")
    for change in changes:
        key, separator, value = change.partition("=")
        if not separator:
            raise UserError(
                f"{change}: expected KEY=VALUE, a key of the configuration and its value"
            )
        content[key] = yaml.safe_load(value)
    return validate(content, where=str(path))


def validate(content: Mapping[str, Any], *, where: str) -> Study:
    """The study that a mapping describes.

    Raises:
        UserError: in one line, every fault with its key.
    """
    try:
        return Study.model_validate(content)
    except ValidationError as error:
        faults = "; ".join(_fault(item) for item in error.errors())
        raise UserError(f"{where}: {faults}") from None


def _fault(error: Any) -> str:
    key = ".".join(str(part) for part in error["loc"]) or "configuration"
    if error["type"] == "extra_forbidden":
        return f"{key}: no such key; config/README.md lists them"
    message = error["msg"].removeprefix("Value error, ")
    shown = json.dumps(error["input"], default=str)
    return f"{key}: {message}" + (f" (found {shown})" if len(shown) < 80 else "")
