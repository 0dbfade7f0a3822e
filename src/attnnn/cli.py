"""The command line: one verb for each rule of the workflow, each usable by hand.

Stages are imported inside the verbs, so that ``attnnn --help`` and cheap verbs never load torch.
"""

from __future__ import annotations

from pathlib import Path

import click

from attnnn import __version__
from attnnn.cli_options import Verbs, with_corpus, with_machine, with_runs, with_study
from attnnn.dag import layout
from attnnn.errors import UserError
from attnnn.study.config import Study, load
from attnnn.study.design import Run


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="attnnn")
def main() -> None:
    """May I read this model's attention weights as an explanation?

    Each verb is one step of the study, as the workflow runs it. To run a whole study, use snakemake.
    """


@main.command()
@click.argument("config_file", required=False, type=click.Path(path_type=Path), metavar="[CONFIG]")
@click.option(
    "--config",
    "config_option",
    type=click.Path(path_type=Path),
    help="The same.  [default: config/config.yaml]",
)
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="A top-level key of the configuration to change, as snakemake's --config does; may be given again.",
)
@click.option(
    "--fitted-on",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="RESULTS_DIR",
    help="Results of a finished study, from whose benchmark files times are learned; may be given again.",
)
@click.option("--rates", "known", type=click.Path(path_type=Path), help="Rates to begin with.")
@click.option("--write-rates", "kept", type=click.Path(path_type=Path), help="Keep the rates here.")
def plan(
    *,
    config_file: Path | None,
    config_option: Path | None,
    changes: tuple[str, ...],
    folders: tuple[Path, ...],
    known: Path | None,
    kept: Path | None,
) -> None:
    """Tell how many jobs and hours, and what disk, the study CONFIG will take.

    Nothing is run or submitted. Jobs whose results exist already are counted too.
    """
    from attnnn.dag.costs import estimate, finished, rates, report

    if config_file and config_option:
        raise UserError(f"--config: the configuration is {config_file} already; give one of them")
    path = config_file or config_option or Path("config/config.yaml")
    study = load(path, changes=changes)
    learned = [finished.read_finished(folder) for folder in folders]
    found = rates.shipped() if known is None else rates.read_rates(known)
    if learned:
        found = rates.fitted([timing for one in learned for timing in one.timings], found)
    if kept is not None:
        rates.write_rates(kept, found)
    click.echo(report.report(estimate.estimate(study, found), learned))


@main.command()
@with_corpus
def prepare(study: Study, corpus: str) -> None:
    """Read, tokenize, filter and split a corpus."""
    from attnnn.corpora import stage

    stage.prepare(study, corpus)


@main.command()
@with_corpus
def embed(study: Study, corpus: str) -> None:
    """Make the word vectors that a corpus's models start from."""
    from attnnn.corpora import stage

    stage.embed(study, corpus)


@main.command()
@with_corpus
def weigh(study: Study, corpus: str) -> None:
    """Weigh words by the log-odds that they give a class in a bag of words."""
    from attnnn.corpora import stage

    stage.weigh(study, corpus)


@main.command()
@with_study
def check(study: Study) -> None:
    """Check that all prepared corpora are sound, before anything trains."""
    from attnnn.corpora import stage

    stage.check_sources(study)
    stage.check(study)


@main.command()
@with_runs
@with_machine
def train(study: Study, runs: list[Run], *, device: str, threads: int) -> None:
    """Train models, or go on with interrupted trainings."""
    from attnnn.models import stage

    stage.train(study, runs, device=device, threads=threads, at_once=study.jobs.runs_at_once)


@main.command()
@with_runs
@with_machine
def measure(study: Study, runs: list[Run], *, device: str, threads: int) -> None:
    """Measure the importance of every token of the test split, by every method."""
    from attnnn.importance import stage

    for run in runs:
        stage.measure(study, run, device=device, threads=threads)


@main.command()
@with_runs
def correlate(study: Study, runs: list[Run]) -> None:
    """Correlate attention with the importance of tokens (Kendall's τ-b)."""
    from attnnn.importance import stage

    for run in runs:
        stage.correlate(study, run)


@main.command()
@with_runs
def permute(study: Study, runs: list[Run]) -> None:
    """Permute the attention weights of every test document."""
    from attnnn.counterfactual import stage

    for run in runs:
        stage.permute(study, run)


@main.command()
@with_runs
@with_machine
def search(study: Study, runs: list[Run], *, device: str, threads: int) -> None:
    """Search adversarial attention for every test document, one by one."""
    from attnnn.counterfactual import stage

    for run in runs:
        stage.search(study, run, device=device, threads=threads)


@main.command()
@with_runs
def solve(study: Study, runs: list[Run]) -> None:
    """Solve for the exact adversarial attention of every test document."""
    from attnnn.counterfactual import stage

    for run in runs:
        stage.solve(study, run)


@main.command()
@with_runs
@with_machine
def replace(study: Study, runs: list[Run], *, device: str, threads: int) -> None:
    """Replace attention by the log-odds of words, and the words most attended to by the other class's."""
    from attnnn.counterfactual import replacing

    for run in runs:
        replacing.replace(study, run, device=device, threads=threads)


@main.command()
@with_runs
def diverge(study: Study, runs: list[Run]) -> None:
    """Compare the attention and predictions of runs with the base model's."""
    from attnnn.counterfactual import stage

    stage.diverge(study, runs)


@main.command()
@with_study
@click.argument("name", type=click.Choice(layout.TABLES))
def table(study: Study, name: str) -> None:
    """Write a table as csv, md and tex."""
    from attnnn.exhibits import stage

    stage.write_table(study, name)


@main.command()
@with_study
@click.argument("name", type=click.Choice(layout.FIGURES))
def figure(study: Study, name: str) -> None:
    """Draw a figure as pdf and png."""
    from attnnn.exhibits import stage

    stage.write_figure(study, name)


@main.command("config")
@with_study
def show_config(study: Study) -> None:
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
