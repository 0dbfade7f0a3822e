"""Where the texts of a corpus come from: one model a kind of source, with its keys and its files."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from attnnn.sources.general import PlantedSource, TableSource
from attnnn.sources.pairs import BabiSource, CnnSource, SnliSource
from attnnn.sources.single import (
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
