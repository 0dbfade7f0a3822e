"""The corpora of pairs in Jain & Wallace (2019): documents with a question or a hypothesis."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from attnnn.study.sources.base import Sha256, Share, SourceModel
from attnnn.study.sources.single import SPLITS

BABI_NAMES = {
    1: "qa1_single-supporting-fact",
    2: "qa2_two-supporting-facts",
    3: "qa3_three-supporting-facts",
}
BabiTask = Literal[1, 2, 3]


class PairSource(SourceModel):
    """A source whose every document comes with a question or a hypothesis."""

    @property
    def pairs(self) -> bool:
        """True."""
        return True


class BabiSource(PairSource):
    """bAbI (Weston et al. 2015), one of the tasks 1 to 3: stories, questions and supporting facts."""

    kind: Literal["babi"]
    task: BabiTask = Field(description="1, 2 or 3: the number of facts that an answer needs.")
    path: str = Field(
        "tasks_1-20_v1-2/en-10k",
        description="Folder with qa1_single-supporting-fact_train.txt and so on.",
    )
    answer_tasks: Annotated[list[BabiTask], Field(min_length=1)] = Field(
        [1, 2, 3],
        description="An answer is one of the words of the training stories and questions of these tasks; "
        "`task` itself must be among them.",
    )
    dev_share: Share = Field(
        0.15, description="Share of train made into dev, drawn whatever the answer."
    )
    seed: int = Field(16377, ge=0, description="Seed of the draw.")
    download: bool = Field(False, description="Fetch the archive when the folder is missing.")
    url: str = Field(
        "https://s3.amazonaws.com/text-datasets/babi_tasks_1-20_v1-2.tar.gz",
        description="Where to fetch it; the original site no longer answers.",
    )
    sha256: Sha256 | None = Field(
        None,
        description="Checksum of the archive. None is published: with null the archive is accepted as it "
        "comes and its checksum is printed, so that you can pin it here.",
    )

    @property
    def evidence(self) -> bool:
        """True: every question comes with its supporting facts."""
        return True

    @model_validator(mode="after")
    def _own_answers(self) -> BabiSource:
        if self.task not in self.answer_tasks:
            raise ValueError(
                f"task {self.task} is not among answer_tasks {self.answer_tasks}: its own words must be "
                "possible answers"
            )
        return self

    def files(self) -> list[str]:
        """Train and test of the task, and train of the tasks whose words may be answers."""
        names = [f"{BABI_NAMES[self.task]}_{split}" for split in ("train", "test")]
        names += [f"{BABI_NAMES[task]}_train" for task in self.answer_tasks]
        return [f"{self.path}/{name}.txt" for name in dict.fromkeys(names)]


class CnnSource(PairSource):
    """CNN question answering (Hermann et al. 2015) as Chen et al. (2016) release it: entities anonymised."""

    kind: Literal["cnn"]
    path: str = Field(
        "cnn",
        description="Folder with train.txt, dev.txt and test.txt: question, answer, passage and an empty "
        "line in turn.",
    )

    def files(self) -> list[str]:
        """The three files."""
        return [f"{self.path}/{split}.txt" for split in SPLITS]


class SnliSource(PairSource):
    """SNLI 1.0 (Bowman et al. 2015): does the premise entail or contradict the hypothesis?"""

    kind: Literal["snli"]
    path: str = Field(
        "snli_1.0",
        description="Folder with snli_1.0_train.jsonl, snli_1.0_dev.jsonl and …_test.jsonl.",
    )
    download: bool = Field(
        False, description="Fetch the archive from its canonical place when the folder is missing."
    )
    url: str = Field(
        "https://nlp.stanford.edu/projects/snli/snli_1.0.zip", description="Where to fetch it."
    )
    sha256: Sha256 = Field(
        "afb3d70a5af5d8de0d9d81e2637e0fb8c22d1235c2749d83125ca43dab0dbd3e",
        description="Checksum of the archive.",
    )

    @property
    def class_count(self) -> int:
        """Three: contradiction, entailment, neutral."""
        return 3

    def files(self) -> list[str]:
        """The three jsonl files."""
        return [f"{self.path}/snli_1.0_{split}.jsonl" for split in SPLITS]
