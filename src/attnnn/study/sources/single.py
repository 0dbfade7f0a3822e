"""The papers' corpora of single texts with two classes.

Defaults are what Jain & Wallace (2019) did; where their splits are drawn at random, the seeds are theirs.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from attnnn.study.sources.base import Sha256, Share, SourceModel, require_keys

SPLITS = ("train", "dev", "test")


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
        return [f"{self.path}/{split}.txt" for split in SPLITS]


class ImdbSource(SourceModel):
    """The Large Movie Review corpus (Maas et al. 2011): positive and negative reviews."""

    kind: Literal["imdb"]
    path: str = Field(
        "aclImdb",
        description="The folder that aclImdb_v1.tar.gz unpacks to, with {train,test}/{neg,pos}/*.txt; or a "
        "table (csv, tsv, jsonl, parquet) of the same reviews with columns split (train, test), label "
        "(0 negative, 1 positive) and text.",
    )
    max_tokens: int | None = Field(
        399,
        ge=1,
        description="Longer reviews are left out before splits are drawn, counted in tokens of "
        "tokenizer keras. Null: none is.",
    )
    test_sample: Annotated[float, Field(gt=0, le=1)] = Field(
        0.2, description="Share of the test reviews that is drawn; 1: all."
    )
    dev_share: Share = Field(0.2, description="Share of train made into dev.")
    seed: int = Field(1378, ge=0, description="Seed of both draws.")
    download: bool = Field(
        False, description="Fetch the archive from its canonical place when the folder is missing."
    )
    url: str = Field(
        "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",
        description="Where to fetch it.",
    )
    md5: Annotated[str, Field(pattern=r"^[0-9a-fA-F]{32}$")] = Field(
        "7c2ac02c03563afcf9b574c7e56c153a",
        description="Checksum of the archive (none better is known).",
    )


class AgNewsSource(SourceModel):
    """AG's news corpus (Zhang et al. 2015), World against Business, descriptions only."""

    kind: Literal["ag_news"]
    path: str = Field(
        "ag_news_csv",
        description="Folder with train.csv and test.csv: class (1 to 4), title and description, no header.",
    )
    dev_share: Share = Field(
        0.15, description="Share of train made into dev, drawn whatever the class."
    )
    seed: int = Field(16377, ge=0, description="Seed of the draw.")
    download: bool = Field(
        False, description="Fetch both files from their canonical place when the folder is missing."
    )
    url: str = Field(
        "https://raw.githubusercontent.com/mhjabreel/CharCnn_Keras/master/data/ag_news_csv",
        description="The address of the folder.",
    )
    sha256: dict[str, Sha256] = Field(
        {
            "train": "76a0a2d2f92b286371fe4d4044640910a04a803fdd2538e0f3f29a5c6f6b672e",
            "test": "521465c2428ed7f02f8d6db6ffdd4b5447c1c701962353eb2c40d548c3c85699",
        },
        description="Checksum of each file.",
    )

    @field_validator("sha256")
    @classmethod
    def _both(cls, sums: dict[str, str]) -> dict[str, str]:
        return require_keys(sums, ("train", "test"))

    def files(self) -> list[str]:
        """The two csv files."""
        return [f"{self.path}/{split}.csv" for split in ("train", "test")]


class NewsgroupsSource(SourceModel):
    """20 Newsgroups, rec.sport.baseball against rec.sport.hockey."""

    kind: Literal["20news"]
    path: str = Field(
        "20news-bydate",
        description="Folder with 20news-bydate-train and 20news-bydate-test, a folder a group in each.",
    )
    test_share: Share = Field(0.2, description="Share of all made into test, stratified by class.")
    dev_share: Share = Field(0.2, description="Share of the rest made into dev, stratified.")
    seed: int = Field(13478, ge=0, description="Seed of both draws.")
    download: bool = Field(
        False, description="Fetch the archive from its canonical place when the folder is missing."
    )
    url: str = Field(
        "http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz",
        description="Where to fetch it; a mirror is https://ndownloader.figshare.com/files/5975967.",
    )
    sha256: Sha256 = Field(
        "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
        description="Checksum of the archive.",
    )


class AdrSource(SourceModel):
    """Tweets about drugs, class 1 where one reports an adverse reaction: a csv of your own."""

    kind: Literal["adr"]
    path: str = Field("adr.csv", description="The file: csv, tsv, jsonl or parquet.")
    text: str = Field("text", description="Column of the tweet, its tokens separated by spaces.")
    label: str = Field("label", description="Column of the label: 0, or 1 for an adverse reaction.")
    split: str | None = Field(
        None,
        description="Column that says train, dev (or validation) or test. Null: splits are made.",
    )
    test_share: Share = Field(
        0.2, description="Share of all made into test, stratified, where there is no test."
    )
    test_seed: int = Field(13020, ge=0, description="Seed of that draw.")
    dev_share: Share = Field(
        0.15,
        description="Share of train made into dev, drawn whatever the class, where there is no dev.",
    )
    seed: int = Field(16377, ge=0, description="Seed of that draw.")


class MimicSource(SourceModel):
    """Discharge summaries of MIMIC-III (Johnson et al. 2016), from your own credentialed copy."""

    kind: Literal["mimic"]
    task: Literal["diabetes", "anemia"] = Field(
        description="diabetes: class 1 where a diagnosis starts with 250.00, on given admissions; anemia: "
        "acute (285.1) against chronic (285.2), admissions with exactly one of them."
    )
    path: str = Field("mimic-iii", description="Folder of the files named below.")
    notes: str = Field(
        "NOTEEVENTS.csv", description="The notes, in the official columns; may end in .gz."
    )
    diagnoses: str = Field(
        "DIAGNOSES_ICD.csv", description="The diagnoses, in the official columns; may end in .gz."
    )
    admissions: dict[str, str] = Field(
        {split: f"{split}_50_hadm_ids.csv" for split in SPLITS},
        description="Task diabetes: the file of each split that lists its HADM_ID, one per line (those of "
        "Mullenbach et al. 2018).",
    )
    anemia_positive: Literal["acute", "chronic"] = Field(
        "acute",
        description="Task anemia: which is class 1. Both papers' code counts acute anemia as positive, "
        "Wiegreffe & Pinter's text says chronic.",
    )
    test_share: Share = Field(
        0.2, description="Task anemia: share of all made into test, stratified."
    )
    test_seed: int = Field(12939, ge=0, description="Task anemia: seed of that draw.")
    dev_share: Share = Field(
        0.15, description="Task anemia: share of the rest made into dev, stratified."
    )
    seed: int = Field(13448, ge=0, description="Task anemia: seed of that draw.")

    @field_validator("admissions")
    @classmethod
    def _all(cls, lists: dict[str, str]) -> dict[str, str]:
        return require_keys(lists, SPLITS)

    def files(self) -> list[str]:
        """Notes, diagnoses and, for diabetes, the lists of admissions."""
        lists = self.admissions.values() if self.task == "diabetes" else ()
        return [f"{self.path}/{name}" for name in (self.notes, self.diagnoses, *lists)]
