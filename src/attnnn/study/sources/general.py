"""Sources that are not one of the papers' corpora: generated documents, and anyone's own table."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from attnnn.study.sources.base import Probability, Share, SourceModel


class PlantedSource(SourceModel):
    """A generated corpus whose label is a known function of known tokens."""

    kind: Literal["planted"]
    regime: Literal["lexical", "context", "redundant", "needle"] = Field(
        description="lexical: the label is the majority of the cue words; context: a negator before a cue "
        "flips it; redundant: most tokens are cues for the label, so that attention is not "
        "needed; needle: one cue in a long document."
    )
    train: int = Field(1200, ge=2, description="Documents in the training split.")
    dev: int = Field(300, ge=2, description="Documents in the dev split.")
    test: int = Field(400, ge=2, description="Documents in the test split.")
    min_tokens: int = Field(10, ge=1, description="Shortest document, in tokens.")
    max_tokens: int = Field(30, ge=1, description="Longest document, in tokens.")
    noise: Probability = Field(0.0, description="Share of documents whose label is flipped.")
    positive: Share = Field(0.5, description="Share of documents of class 1 before the noise.")
    seed: int = Field(1, ge=0, description="Seed of the generator.")

    @model_validator(mode="after")
    def _lengths(self) -> PlantedSource:
        if self.max_tokens < self.min_tokens:
            raise ValueError(f"max_tokens {self.max_tokens} is below min_tokens {self.min_tokens}")
        return self


class TableSource(SourceModel):
    """A table of texts and labels: csv, tsv, jsonl or parquet, by the file's ending."""

    kind: Literal["table"]
    path: str = Field(description="The file; a relative path is looked up under corpora_dir.")
    text: str = Field("text", description="Column of the text.")
    label: str = Field("label", description="Column of the label.")
    split: str | None = Field(
        None,
        description="Column that says train, dev (or validation) or test; rows that say anything else are "
        "counted and left out only if listed in drop_splits. Null: splits are made.",
    )
    drop_splits: list[str] = Field([], description="Values of the split column to leave out.")
    classes: list[str] | int = Field(
        2,
        description="Label values in class order (class 0 first), for instance [neg, neutral, pos]; or how "
        "many there are, and their order is that of the values found, sorted.",
    )
    rows: dict[str, int] | None = Field(
        None,
        description="Take a stratified, seeded sample of at most this many rows of a split, for instance "
        "{train: 2000}. What is left out is counted and reported.",
    )
    dev_share: Share = Field(
        0.15, description="Share of train made into dev where there is no dev."
    )
    test_share: Share = Field(
        0.2, description="Share of all made into test where there is no test."
    )
    seed: int = Field(1, ge=0, description="Seed of the splits and the samples made here.")

    @field_validator("classes", mode="before")
    @classmethod
    def _values_or_number(cls, given: Any) -> list[str] | int:
        if isinstance(given, list) and all(type(value) in (str, int) for value in given):
            names = [str(value) for value in given]
            if len(set(names)) == len(names) >= 2:
                return names
        elif type(given) is int and given >= 2:
            return given
        raise ValueError(
            "expected two or more distinct label values in class order, texts (in quotes where YAML reads "
            "them as yes or no) or whole numbers, or how many classes there are"
        )

    @property
    def class_count(self) -> int:
        """How many classes the labels name, K."""
        return self.classes if isinstance(self.classes, int) else len(self.classes)
