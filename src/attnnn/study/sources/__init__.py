"""Where the texts of a corpus come from: one model a kind of source, with its keys and its files."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from attnnn.study.sources.general import PlantedSource, TableSource
from attnnn.study.sources.pairs import BabiSource, CnnSource, SnliSource
from attnnn.study.sources.single import (
    AdrSource,
    AgNewsSource,
    ImdbSource,
    MimicSource,
    NewsgroupsSource,
    SstSource,
)

Source = Annotated[
    PlantedSource
    | TableSource
    | SstSource
    | ImdbSource
    | AgNewsSource
    | NewsgroupsSource
    | AdrSource
    | MimicSource
    | BabiSource
    | CnnSource
    | SnliSource,
    Field(discriminator="kind"),
]

__all__ = [
    "AdrSource",
    "AgNewsSource",
    "BabiSource",
    "CnnSource",
    "ImdbSource",
    "MimicSource",
    "NewsgroupsSource",
    "PlantedSource",
    "SnliSource",
    "Source",
    "SstSource",
    "TableSource",
]
