"""What a stage is: one verb, declared once with everything that others need to know of it.

A stage is about a corpus or about a run. Its file in `stages/` holds its settings, its declaration and the
function that does it; rules, paths, the command line and `attnnn plan` are derived from the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from numpy.typing import NDArray

from attnnn.errors import UserError
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.sources.base import Strict
from attnnn.tables.store import Schema, read_table_of, write_blocks, write_table

if TYPE_CHECKING:
    import pyarrow as pa

    from attnnn.dag.work import CorpusSize

Subject = str | Run
"""What a job is about: a corpus by its name, or a run."""

S = TypeVar("S", bound=Strict)
Amounts = Mapping[str, float]


def corpus_of(subject: Subject) -> str:
    """The corpus that a job is about, or whose run it is about."""
    return subject if isinstance(subject, str) else subject.corpus


@dataclass(frozen=True)
class Output:
    """A file that a stage writes.

    Attributes:
        path: under the results folder, with the wildcards {corpus}, and {model} and {seed} of a run.
        schemas: of a table, what it may be; none of another kind of file.
    """

    path: str
    schemas: tuple[Schema, ...] = ()


@dataclass(frozen=True)
class Artifact:
    """A file that a stage writes about one corpus or run.

    Attributes:
        path: under the results folder.
        schemas: of a table, what it may be.
        verb: of the stage.
        subject: the corpus or run.
    """

    path: str
    schemas: tuple[Schema, ...] = field(default=(), compare=False)
    verb: str = field(default="", compare=False)
    subject: Subject = field(default="", compare=False)


@dataclass(frozen=True)
class Machine:
    """What may differ from machine to machine and changes no result.

    Attributes:
        device: ``cpu`` or ``cuda``.
        threads: CPU threads; results are equal to the byte for the same number.
        corpora_dir: the folder of corpora and word vectors.
        checkpoint_seconds: a killed training resumes from a checkpoint at most this old.
    """

    device: str = "cpu"
    threads: int = 1
    corpora_dir: Path = Path("corpora")
    checkpoint_seconds: float = 60.0


@dataclass(frozen=True)
class Job(Generic[S]):
    """One job of a stage: all that its function may know.

    Attributes:
        subject: the corpus or the run.
        settings: all of the configuration that its result depends on.
        results: the results folder.
        inputs: by name the files that it reads; those that it needs none of are missing.
        outputs: by name the files that it writes.
        machine: where it runs.
    """

    subject: Subject
    settings: S
    results: Path
    inputs: Mapping[str, Artifact]
    outputs: Mapping[str, Artifact]
    machine: Machine = field(default_factory=Machine)

    @property
    def corpus(self) -> str:
        """The corpus that it is about."""
        return corpus_of(self.subject)

    @property
    def run(self) -> Run:
        """The run that it is about."""
        assert isinstance(self.subject, Run)
        return self.subject

    @property
    def made_by(self) -> dict[str, Any]:
        """What tables keep of how they were made."""
        run = {} if isinstance(self.subject, str) else {"run": self.subject.name}
        return {"corpus": self.corpus, **run, "settings": self.settings.model_dump(mode="json")}

    def path(self, name: str) -> Path:
        """Where an input or output is."""
        return self.results / (self.inputs.get(name) or self.outputs[name]).path

    def read(
        self,
        name: str,
        *,
        columns: Collection[str] | None = None,
        where: tuple[str, str] | None = None,
    ) -> pa.Table:
        """An input that is a table: see `store.read_table_of`.

        Raises:
            UserError: the file is missing or is no such table.
        """
        artifact = self.inputs[name]
        path = self.results / artifact.path
        return read_table_of(path, artifact.schemas, columns=columns, where=where)

    def write(self, name: str, columns: Mapping[str, Any], **facts: Any) -> None:
        """Write an output that is a table of one kind, with what it should keep beside `made_by`."""
        [schema] = self.outputs[name].schemas
        write_table(self.path(name), schema, columns, made_by={**self.made_by, **facts})

    def write_blocks(
        self,
        name: str,
        schema: Schema,
        blocks: Any,
        *,
        arrays: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """Write an output that is a table, block by block: see `store.write_blocks`."""
        write_blocks(self.path(name), schema, blocks, made_by=self.made_by, arrays=arrays)


def _refuses_nothing(study: Study, subject: Subject) -> str | None:
    return None


def _no_files(study: Study, corpus: str) -> list[Path]:
    return []


def _checks_nothing(study: Study, corpus: str) -> None:
    return None


def _no_urgency(study: Study, subject: Subject) -> int:
    return 0


@dataclass(frozen=True)
class Stage(Generic[S]):
    """A stage of the study.

    Attributes:
        verb: of the command line, and the rule's name.
        about: whether a job is about a corpus or about a run.
        does: the function; its docstring's first line is the verb's help.
        writes: by name.
        settings: of a job: all of the configuration that its result depends on, and the identity by which
            Snakemake reruns it.
        reads: by name what a job reads, all made by the stages of `after`.
        after: the stages that make what it reads.
        files: files from outside the results folder that a job reads.
        check: looks at `files` without reading them whole; raises UserError.
        refuses: why a subject cannot be worked on, in one line; None where it can.
        on_device: whether it trains or needs gradients, and so runs on a GPU where there is one.
        memory: MB of a job's first attempt.
        minutes: of its first attempt.
        group: jobs of one group share a job of a cluster.
        priority: of a job among those that could start.
        work: how much work a job is, by kind: see `dag.work`.
        size: bytes of the files that a job leaves.
        scratch: bytes of those that it keeps only while it runs.
    """

    verb: str
    about: Literal["corpus", "run"]
    does: Callable[[Job[S]], None]
    writes: Mapping[str, Output]
    settings: Callable[[Study, Any], S]
    reads: Callable[[Study, Any], Mapping[str, Artifact]] = lambda study, subject: {}
    after: Sequence[Stage[Any]] = ()
    files: Callable[[Study, str], list[Path]] = _no_files
    check: Callable[[Study, str], None] = _checks_nothing
    refuses: Callable[[Study, Any], str | None] = _refuses_nothing
    on_device: bool = False
    memory: int = 2000
    minutes: int = 30
    group: str | None = None
    priority: Callable[[Study, Any], int] = _no_urgency
    work: Callable[[Study, Any, CorpusSize], Amounts] = lambda study, subject, size: {}
    size: Callable[[Study, Any, CorpusSize], float] = lambda study, subject, size: 0.0
    scratch: Callable[[Study, Any, CorpusSize], float] = lambda study, subject, size: 0.0

    @property
    def help(self) -> str:
        """One line for people."""
        return (self.does.__doc__ or "").strip().splitlines()[0]

    @property
    def place(self) -> tuple[str, ...]:
        """The wildcards of a job, as the parts of its log's path."""
        return ("{corpus}",) if self.about == "corpus" else ("{corpus}", "{model}", "seed-{seed}")

    def made(self, name: str, subject: Subject) -> Artifact:
        """What the stage writes under a name about a corpus or run."""
        output = self.writes[name]
        path = output.path.format(**wildcards_of(subject))
        return Artifact(path, output.schemas, self.verb, subject)

    def job(self, study: Study, subject: Subject, machine: Machine | None = None) -> Job[S]:
        """The job about a corpus or run.

        Raises:
            UserError: the stage cannot be run on it.
        """
        reason = self.refuses(study, subject)
        if reason is not None:
            raise UserError(f"{self.verb}: {reason}")
        return Job(
            subject=subject,
            settings=self.settings(study, subject),
            results=Path(study.results_dir),
            inputs=self.reads(study, subject),
            outputs={name: self.made(name, subject) for name in self.writes},
            machine=machine or Machine(corpora_dir=Path(study.corpora_dir)),
        )


def wildcards_of(subject: Subject) -> dict[str, Any]:
    """The wildcards of a corpus or run in paths."""
    if isinstance(subject, str):
        return {"corpus": subject}
    return {"corpus": subject.corpus, "model": subject.model.name, "seed": subject.seed}
