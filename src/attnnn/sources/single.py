"""The papers' corpora of single texts with two classes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from attnnn.sources.base import SourceModel


class SstSource(SourceModel):
    """The Stanford Sentiment Treebank: a folder with PTB trees in train.txt, dev.txt and test.txt."""

    kind: Literal["sst"]
    path: str = Field(
        "sst/trees", description="The folder; a relative path is looked up under corpora_dir."
    )
    download: bool = Field(
        False, description="Fetch the trees from their canonical place when the folder is missing."
    )
    url: str = Field(
        "https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip",
        description="Where to fetch them.",
    )
    sha256: str = Field(
        "5c613a4f673fc74097d523a2c83f38e0cc462984d847b82c7aaf36b01cbbbfcc",
        description="Checksum of the archive.",
    )

    def files(self) -> list[str]:
        """The three files of trees."""
        return [f"{self.path}/{split}.txt" for split in ("train", "dev", "test")]
