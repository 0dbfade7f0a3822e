"""The command line: a verb for every stage, made from its declaration, and a few about the whole study.

A verb imports its own stage and no other, so that ``attnnn --help`` and cheap verbs never load torch.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import click

from attnnn import __version__
from attnnn.errors import UserError

Verb = TypeVar("Verb", bound=Callable[..., Any])


class Refusal(click.ClickException):
    """A user's mistake, reported in one line."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print it to stderr."""
        click.echo(f"attnnn: {self.format_message()}", err=True)


class Verbs(click.Group):
    """The verbs of all stages beside its own; a user's mistake ends one with a line and exit status 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb."""
        try:
            return super().invoke(ctx)
        except UserError as error:
            raise Refusal(str(error)) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs of stages in the order of the study, then the others."""
        from attnnn.dag import catalogue

        return [*(stage.verb for stage in catalogue.stages()), *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A verb by its name; None where there is none."""
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        from attnnn.dag import catalogue

        return _stage_command(cmd_name) if cmd_name in catalogue.verbs() else None


def with_study(verb: Verb) -> Verb:
    """Give a verb the study of ``--config`` and ``--set`` as its first argument."""

    @click.option(
        "--config",
        "config_path",
        type=click.Path(path_type=Path),
        default=Path("config/config.yaml"),
        show_default=True,
        help="Configuration file.",
    )
    @click.option(
        "--set",
        "changes",
        multiple=True,
        metavar="KEY=VALUE",
        help="Change a top-level key of the configuration, as snakemake's --config does; may be repeated.",
    )
    @wraps(verb)
    def wrapped(config_path: Path, changes: tuple[str, ...], **options: Any) -> Any:
        from attnnn.study.config import load

        return verb(load(config_path, changes=changes), **options)

    return cast("Verb", wrapped)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="attnnn")
def main() -> None:
    """May I read this model's attention weights as an explanation?

    Each verb is one step of the study, as the workflow runs it. To run a whole study, use snakemake.
    """


class _WithoutPandas:
    """An import finder that finds no pandas."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Refuse pandas; leave everything else to others."""
        if name == "pandas":
            raise ModuleNotFoundError("pandas is not loaded by the command line", name=name)


def run() -> None:
    """The command ``attnnn``.

    pyarrow imports pandas, where there is one, at the first array that it makes. No verb needs it, and
    for most it would take longer than everything else that they do: so it is not found here.
    """
    sys.meta_path.insert(0, _WithoutPandas())
    # Modules are some hundred thousand objects that stay: looking through them for garbage again and again
    # takes a tenth of a short training.
    gc.set_threshold(100_000)
    main()


def _stage_command(verb: str) -> click.Command:
    """The verb of a stage."""
    from attnnn.dag import catalogue

    stage = catalogue.stage(verb)
    options: list[click.Parameter] = [
        click.Option(["--corpus"], required=True, help="A corpus of the configuration.")
    ]
    if stage.about == "run":
        options.append(
            click.Option(
                ["--run", "run"],
                metavar="MODEL/seed-SEED",
                help="A run by its name, for instance bilstm-uniform/seed-10.  [default: the base model's]",
            )
        )
    if stage.on_device:
        options += [
            click.Option(
                ["--device"],
                type=click.Choice(["auto", "cpu", "cuda"]),
                help="Where to compute.  [default: the configuration's]",
            ),
            click.Option(
                ["--threads"],
                type=click.IntRange(min=1),
                help="CPU threads.  [default: the configuration's]",
            ),
        ]

    @with_study
    def run_stage(
        study: Any,
        *,
        corpus: str,
        run: str | None = None,
        device: Any = None,
        threads: int | None = None,
    ) -> None:
        from attnnn.dag.stage import Machine
        from attnnn.machine import torch_device
        from attnnn.study.runs import base_run

        if corpus not in study.corpora:
            known = ", ".join(study.corpora)
            raise UserError(f"--corpus: no corpus {corpus!r}; the configuration has {known}")
        subject: Any = corpus
        if stage.about == "run":
            subject = base_run(study, corpus) if run is None else _parsed(corpus, run)
        machine = Machine(
            device=torch_device(device or study.device) if stage.on_device else "cpu",
            threads=threads or study.threads,
            corpora_dir=Path(study.corpora_dir),
            checkpoint_seconds=study.training_of(corpus).checkpoint_seconds,
        )
        stage.does(stage.job(study, subject, machine))

    command = click.command(verb, help=stage.help)(run_stage)
    command.params += options
    return command


def _parsed(corpus: str, name: str) -> Any:
    from attnnn.study.model import Run

    try:
        return Run.parse(corpus, name)
    except ValueError as error:
        raise UserError(f"--run: {error}") from None


@main.command()
@with_study
@click.argument("name")
def table(study: Any, name: str) -> None:
    """Write the table NAME as csv, md and tex; `attnnn exhibits` lists them."""
    from attnnn.dag import catalogue
    from attnnn.exhibits.write import write

    write(study, catalogue.exhibit_of("table", name)[0])


@main.command()
@with_study
@click.argument("name")
def figure(study: Any, name: str) -> None:
    """Draw the figure NAME as pdf and png; `attnnn exhibits` lists them."""
    from attnnn.dag import catalogue
    from attnnn.exhibits.write import write

    write(study, catalogue.exhibit_of("figure", name)[0])


@main.command()
@with_study
@click.option(
    "--fitted-on",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="RESULTS_DIR",
    help="Results of a finished study, from whose benchmark files times are learned; may be repeated.",
)
@click.option("--rates", "known", type=click.Path(path_type=Path), help="Rates to begin with.")
@click.option("--write-rates", "kept", type=click.Path(path_type=Path), help="Keep the rates here.")
def plan(study: Any, *, folders: tuple[Path, ...], known: Path | None, kept: Path | None) -> None:
    """Tell how many jobs and hours, and what disk, a study will take.

    Nothing is run or submitted. Jobs whose results exist already are counted too.
    """
    from attnnn.costs import estimate, rates

    learned = [rates.read_finished(folder) for folder in folders]
    timings = [timing for one in learned for timing in one.timings]
    found = rates.fitted(timings, rates.read_rates(known or rates.SHIPPED))
    if kept is not None:
        rates.write_rates(kept, found)
    click.echo(estimate.report(estimate.estimate(study, found), learned))


@main.command("config")
@with_study
def show_config(study: Any) -> None:
    """Print the configuration with every default filled in."""
    from attnnn.study.resolved import resolved_text

    click.echo(resolved_text(study), nl=False)


@main.command()
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=Path("config/schema.json"),
    show_default=True,
    help="File to write.",
)
def schema(output: Path) -> None:
    """Write the JSON schema that editors check configuration files with."""
    from attnnn.study.resolved import editor_schema
    from attnnn.tables.store import write_json

    write_json(output, editor_schema())


@main.command()
def exhibits() -> None:
    """List every table and figure with the question that it answers, as the README does."""
    from attnnn.dag import catalogue, layout

    for name, one in catalogue.exhibits().items():
        click.echo(f"{Path(layout.exhibit_path(name, one, 'x')).with_suffix('')}\t{one.question}")
