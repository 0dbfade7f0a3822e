"""What every source of a corpus is: strict keys, and the files that it is read from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Probability = Annotated[float, Field(ge=0, le=1)]
Share = Annotated[float, Field(gt=0, lt=1)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-fA-F]{64}$")]


class Strict(BaseModel):
    """Keys of a configuration: unknown ones are refused, and none changes later."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceModel(Strict):
    """The keys of one kind of source. Paths are relative to corpora_dir."""

    @property
    def place(self) -> str | None:
        """The file or folder of the source; None for one that is generated."""
        place: str | None = getattr(self, "path", None)
        return place

    @property
    def may_fetch(self) -> bool:
        """Whether the source is fetched when its place does not exist."""
        return bool(getattr(self, "download", False))

    @property
    def pairs(self) -> bool:
        """Whether every document comes with a question or a hypothesis."""
        return False

    @property
    def class_count(self) -> int | None:
        """How many classes there are; None where only the files can tell, as of answers to questions."""
        return None if self.pairs else 2

    @property
    def two_classes(self) -> bool:
        """Whether single texts have one of two labels, as in the papers' classification tasks."""
        return not self.pairs and self.class_count == 2

    @property
    def evidence(self) -> bool:
        """Whether the corpus says which sentences of a document support its answer."""
        return False

    def missing(self, folder: Path) -> str | None:
        """A file or folder of the source that does not exist under `folder`; None: nothing is missing.

        What may be fetched is never missing.
        """
        if self.place is None or self.may_fetch:
            return None
        paths = [folder / file for file in (self.place, *self.files())]
        return next((str(path) for path in paths if not path.exists()), None)

    def files(self) -> list[str]:
        """The files that the corpus is read from, or a folder where they are very many."""
        return [] if self.place is None else [self.place]


def require_keys(given: dict[str, str], keys: Sequence[str]) -> dict[str, str]:
    """The same mapping in the order of the keys, which it must have and no other.

    Raises:
        ValueError: naming them.
    """
    if set(given) != set(keys):
        raise ValueError(f"expected the keys {', '.join(keys)}, found {', '.join(given) or 'none'}")
    return {key: given[key] for key in keys}
