"""Where the texts of a corpus come from: one model a kind of source, with its keys and its files."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from attnnn.sources.general import PlantedSource, TableSource
from attnnn.sources.single import SstSource

Source = Annotated[PlantedSource | TableSource | SstSource, Field(discriminator="kind")]

__all__ = ["PlantedSource", "Source", "SstSource", "TableSource"]
