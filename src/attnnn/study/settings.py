"""The parts of a study's configuration, each with its defaults."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from attnnn.study.model import Model
from attnnn.study.protocol import ProtocolName
from attnnn.study.sources import Source
from attnnn.study.sources.base import Strict

PublishedName = Literal[
    "Diabetes",
    "Anemia",
    "SST",
    "IMDb",
    "AgNews",
    "20News",
    "ADR Tweets",
    "bAbI 1",
    "bAbI 2",
    "bAbI 3",
    "SNLI",
    "CNN",
]
TokenizerName = Literal["whitespace", "spacy", "papers", "sst", "20news", "mimic", "keras"]
Lambda = Annotated[float, Field(ge=0)]
# Serrano & Smith's networks: flat and hierarchical, with every encoder.
NETWORKS = [
    f"{family}-{encoder}-additive"
    for family in ("flan", "han")
    for encoder in ("rnn", "conv", "none")
]


class Embedding(Strict):
    """Where the word vectors come from. They are trained further in every case."""

    kind: Literal["random", "file", "word2vec"] = Field(
        "random",
        description="random: drawn anew for every model from its seed; file: word2vec text format "
        "(.vec, .txt, either may end in .gz), words without a vector start at zero; word2vec: "
        "trained on the training split with gensim.",
    )
    dimension: int = Field(300, ge=1, description="Width of a vector.")
    scale: float = Field(
        1.0, gt=0, description="Standard deviation of the random vectors (PyTorch's default is 1)."
    )
    path: str | None = Field(
        None, description="The file of kind `file`; a relative path is looked up under corpora_dir."
    )
    epochs: int = Field(5, ge=1, description="Passes over the training split of kind `word2vec`.")
    window: int = Field(10, ge=1, description="Context window of kind `word2vec`.")

    @model_validator(mode="after")
    def _path(self) -> Embedding:
        if (self.kind == "file") != (self.path is not None):
            raise ValueError("`path` goes with kind: file, and kind: file needs it")
        return self


class TrainingConfig(Strict):
    """How models are trained (Jain & Wallace's values, which Wiegreffe & Pinter keep)."""

    epochs: int = Field(8, ge=1, description="Epochs of every model but the trained adversaries.")
    batch_size: int = Field(32, ge=1, description="Documents in a batch.")
    learning_rate: float = Field(1e-3, gt=0, description="Learning rate of Adam-AMSGrad.")
    weight_decay: float = Field(
        1e-5, ge=0, description="L2 of every parameter outside the attention, which has none."
    )
    hidden_size: int = Field(
        128,
        ge=2,
        description="Width of each LSTM direction, of the MLP, and of all kernels of a CNN together.",
    )
    checkpoint_seconds: float = Field(
        60.0, ge=0, description="A killed training resumes from a checkpoint at most this old."
    )


class SerranoSmith(Strict):
    """Serrano & Smith's models, and how they are made and trained (their final configurations for IMDb)."""

    models: list[str] = Field(
        NETWORKS,
        description="Their networks, flat (flan) and hierarchical (han), with a recurrent, a "
        "convolutional or no encoder.",
    )
    draws: int = Field(
        5,
        ge=1,
        description="Random items that the highest weight of each document is compared with.",
    )
    hidden_size: int = Field(
        100,
        ge=2,
        multiple_of=2,
        description="Width of a state: of both GRU directions together, and of all kernels.",
    )
    epochs: int = Field(15, ge=1, description="Epochs, at most.")
    patience: int | None = Field(
        5,
        ge=1,
        description="A training ends after this many epochs without a better score; null: never.",
    )
    epochs_without_encoder: int = Field(
        60, ge=1, description="Epochs of the models without an encoder."
    )
    patience_without_encoder: int | None = Field(10, ge=1, description="Their patience.")
    batch_size: int = Field(64, ge=1, description="Documents in a batch, at most.")
    learning_rate: float = Field(
        4e-4,
        gt=0,
        description="Learning rate of Adam; halved after every epoch without a better score.",
    )
    amsgrad: bool = Field(False, description="Adam with AMSGrad, as for the other models.")
    word_dropout: float = Field(0.444, ge=0, lt=1, description="Share dropped of word vectors.")
    sentence_dropout: float = Field(
        0.22, ge=0, lt=1, description="Share dropped of sentence vectors, in hierarchical networks."
    )
    clip_norm: float | None = Field(
        10.0, gt=0, description="Largest norm of all gradients together; null: any."
    )
    clip_value: float | None = Field(
        None, gt=0, description="Largest magnitude of an element of a gradient; null: any."
    )
    flan_output_dropout: float = Field(
        0.346,
        ge=0,
        lt=1,
        description="Share dropped of what the last layer of a flat network reads (switch logit_dropout).",
    )
    han_output_dropout: float = Field(
        0.246, ge=0, lt=1, description="The same in hierarchical networks."
    )
    flan_samples_per_batch: int | None = Field(
        20_000,
        ge=1,
        description="A batch of a flat network is split until its padded length times its documents is at "
        "most this; null: never.",
    )
    han_samples_per_batch: int | None = Field(
        2_000,
        ge=1,
        description="The same in hierarchical networks, the length being that of the longest sentence.",
    )

    @field_validator("models")
    @classmethod
    def _networks(cls, names: list[str]) -> list[str]:
        if len(set(names)) != len(names):
            raise ValueError(f"values must differ, got {names}")
        for name in names:
            model = Model.parse(name)
            if model.kind.paper != "serrano-smith" or model.given or not model.attends:
                raise ValueError(
                    f"{name}: expected a network of Serrano & Smith's with attention of its own, for "
                    f"instance {NETWORKS[0]}"
                )
        return names


class Corpus(Strict):
    """One corpus of the study, under one protocol."""

    source: Source = Field(
        description="Where the texts come from; config/README.md lists the kinds."
    )
    tokenizer: TokenizerName = Field(
        "whitespace",
        description="whitespace: split at white space, case kept; spacy: spaCy's English tokenizer, lower "
        "case; papers: the same, tokens with a digit become qqq (Jain & Wallace's cleaner); sst: their SST "
        "variant (digits stay, punctuation goes); 20news: `papers`, then punctuation thinned as "
        "for 20 Newsgroups; mimic: their variant for clinical notes; keras: lower case without "
        "punctuation, as in their IMDb dump.",
    )
    min_df: int = Field(1, ge=1, description="Documents a word must be in to enter the vocabulary.")
    min_length: int | None = Field(
        None, ge=0, description="Bound on tokens n; see strict_length_filter."
    )
    max_length: int | None = Field(
        None, ge=1, description="Bound on tokens n; see strict_length_filter."
    )
    embedding: Embedding = Field(Embedding(), description="Word vectors.")
    published: PublishedName | None = Field(
        None, description="The papers' name of this corpus, to print their numbers beside ours."
    )
    protocol: ProtocolName | None = Field(
        None, description="Protocol of this corpus; null: the study's."
    )
    switches: dict[str, Any] = Field({}, description="Single switches for this corpus alone.")
    lambdas: list[Lambda] | None = Field(
        None, min_length=1, description="λ grid of this corpus; null: the study's."
    )
    training: TrainingConfig | None = Field(
        None, description="Training of this corpus; null: the study's."
    )
    serrano_smith: SerranoSmith | None = Field(
        None,
        description="Training of Serrano & Smith's models on this corpus; null: the study's.",
    )


class SearchedAdversary(Strict):
    """Jain & Wallace's search for adversarial attention (Algorithm 3 and released code)."""

    adversaries: int = Field(5, ge=1, description="Attention vectors searched together, K.")
    steps: int = Field(500, ge=1, description="Steps of Adam-AMSGrad.")
    learning_rate: float = Field(0.01, gt=0, description="Its learning rate.")
    penalty: float = Field(500.0, ge=0, description="Weight of the hinge on the prediction.")
    hinge_tolerance: float = Field(
        0.01, ge=0, description="Change of the prediction that the hinge leaves free."
    )


class LogOdds(Strict):
    """Jain & Wallace's experiments with a bag of words, in their code and not in their paper."""

    run: bool = Field(
        False,
        description="Whether they are run, on corpora of single texts and two classes: attention by the "
        "log-odds of words, imposed on the base model, trained with, or drawn to; and words replaced by "
        "those of the other class.",
    )
    inverse_strength: float = Field(
        1.0,
        gt=0,
        description="C of the logistic regression, the inverse of the strength of its L1.",
    )
    divergence_weight: float = Field(
        5.0,
        ge=0,
        description="Weight of the mean JSD between attention and the log-odds' in the loss of the model "
        "that is drawn to it.",
    )
    substituted_words: int = Field(
        5,
        ge=1,
        description="The most attended words of a document, so many, are replaced by as many of the class "
        "that is not predicted.",
    )


class LeaveOneOut(Strict):
    """How far the BiLSTM reads on after a deleted token."""

    rejoin_from: int | None = Field(
        300,
        ge=1,
        description="Documents of so many tokens or more: a run without a token rejoins the run of the "
        "whole document once their states agree, so that cost grows linearly with length. Null: "
        "every run reads to the end.",
    )
    rejoin_tolerance: float = Field(
        1e-5, gt=0, description="States agree when no element of h and c differs by more than this."
    )
    checked_deletions: int = Field(
        200,
        ge=0,
        description="Deletions of rejoining documents, drawn at random, that are also run to the end; "
        "the largest error is kept with the table.",
    )
