"""What the verbs of the command line share: their options, and how a user's mistake is told."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import click

from attnnn import machine as device
from attnnn.errors import UserError
from attnnn.study import design
from attnnn.study.config import Study, load
from attnnn.study.design import Run

Verb = TypeVar("Verb", bound=Callable[..., Any])


class Refusal(click.ClickException):
    """A user's mistake, told in one line."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print it to stderr."""
        click.echo(f"attnnn: {self.format_message()}", err=True)


class Verbs(click.Group):
    """A group whose verbs answer a user's mistake with one line and exit status 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb."""
        try:
            return super().invoke(ctx)
        except UserError as error:
            raise Refusal(str(error)) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order of the study."""
        return list(self.commands)


def _parsed(corpus: str, name: str) -> Run:
    try:
        return Run.parse(corpus, name)
    except ValueError as error:
        raise UserError(f"--run: {error}") from None


def with_study(verb: Verb) -> Verb:
    """Give a verb the study of ``--config`` as its first argument."""

    @click.option(
        "--config",
        "config_path",
        type=click.Path(path_type=Path),
        default=Path("config/config.yaml"),
        show_default=True,
        help="Configuration file.",
    )
    @wraps(verb)
    def wrapped(config_path: Path, **options: Any) -> Any:
        return verb(load(config_path), **options)

    return cast("Verb", wrapped)


def with_corpus(verb: Verb) -> Verb:
    """Give a verb the study and the name of one of its corpora."""

    @with_study
    @click.option("--corpus", required=True, help="A corpus of the configuration.")
    @wraps(verb)
    def wrapped(study: Study, corpus: str, **options: Any) -> Any:
        if corpus not in study.corpora:
            known = ", ".join(study.corpora)
            raise UserError(f"--corpus: no corpus {corpus!r}; the configuration has {known}")
        return verb(study, corpus, **options)

    return cast("Verb", wrapped)


def with_runs(verb: Verb) -> Verb:
    """Give a verb the study and runs of one corpus."""

    @with_corpus
    @click.option(
        "--run",
        "names",
        multiple=True,
        metavar="MODEL/seed-SEED",
        help="A run by its name, for instance bilstm-uniform/seed-10; may be given again.  "
        "[default: the base model's]",
    )
    @wraps(verb)
    def wrapped(study: Study, corpus: str, names: tuple[str, ...], **options: Any) -> Any:
        runs = [_parsed(corpus, name) for name in names] or [design.base_run(study, corpus)]
        return verb(study, runs, **options)

    return cast("Verb", wrapped)


def with_machine(verb: Verb) -> Verb:
    """Give a verb of a torch stage the device and the number of threads."""

    @click.option(
        "--device",
        "setting",
        type=click.Choice(["auto", "cpu", "cuda"]),
        help="Where to compute.  [default: the configuration's]",
    )
    @click.option(
        "--threads",
        type=click.IntRange(min=1),
        help="CPU threads.  [default: the configuration's]",
    )
    @wraps(verb)
    def wrapped(
        study: Study,
        *rest: Any,
        setting: device.Setting | None,
        threads: int | None,
        **options: Any,
    ) -> Any:
        return verb(
            study,
            *rest,
            device=device.torch_device(setting or study.device),
            threads=threads or study.threads,
            **options,
        )

    return cast("Verb", wrapped)
