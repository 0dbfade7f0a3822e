"""Every path under the results folder. A result's path spells its place in the study.

The functions take values or Snakemake wildcards (``"{corpus}"``) alike and return text.
"""

from __future__ import annotations

from dataclasses import dataclass

from attnnn.study.design import Run

# What a study of each paper shows; numbers without a prefix are Wiegreffe & Pinter's.
LOG_ODDS = "jw_log_odds"  # a table and a figure, of studies that run these experiments
_OF_EITHER = ("correlation", "permutation", "per_instance_adversary", "planted_truth")
TABLES_OF: dict[str, tuple[str, ...]] = {
    "jain-wallace": ("jw_table1", "jw_table2", "jw_grid", "jw_evidence", LOG_ODDS, *_OF_EITHER),
    "wiegreffe-pinter": (
        *(f"table{number}" for number in range(1, 6)),
        *_OF_EITHER,
        "fig5_convexity",
    ),
}
FIGURES_OF: dict[str, tuple[str, ...]] = {
    "jain-wallace": (*(f"jw_fig{number}" for number in range(1, 9)), LOG_ODDS),
    "wiegreffe-pinter": tuple(f"fig{number}" for number in range(1, 7)),
}
TABLES = tuple(dict.fromkeys(name for names in TABLES_OF.values() for name in names))
FIGURES = tuple(name for names in FIGURES_OF.values() for name in names)
TABLE_FORMATS = ("csv", "md", "tex")
FIGURE_FORMATS = ("pdf", "png")
MODEL_FILES = ("weights.safetensors", "model.json", "history.parquet", "predictions.parquet")
IMPORTANCE_METHODS = ("gradient", "leave_one_out")


@dataclass(frozen=True)
class Layout:
    """The paths of one study.

    Attributes:
        results_dir: the folder that the study writes, without a slash at its end.
    """

    results_dir: str

    def corpus(self, corpus: str, file: str) -> str:
        """A file of a corpus.

        ``documents.parquet``, ``vocabulary.parquet``, ``description.json``, ``embedding.safetensors`` or
        ``log_odds.parquet``.
        """
        return f"{self.results_dir}/corpora/{corpus}/{file}"

    def checked(self) -> str:
        """The list of all prepared corpora: written once every one of them has been found sound."""
        return f"{self.results_dir}/corpora/checked.json"

    def model(self, corpus: str, model: str, seed: int | str, file: str) -> str:
        """One of `MODEL_FILES`."""
        return f"{self.results_dir}/models/{corpus}/{model}/seed-{seed}/{file}"

    def checkpoint(self, corpus: str, model: str, seed: int | str) -> str:
        """Where an interrupted training is kept, in a folder of its own that goes when it ends."""
        folder = f"{self.results_dir}/models/{corpus}/{model}/seed-{seed}.unfinished"
        return f"{folder}/checkpoint.pt"

    def analysis(self, stage: str, corpus: str, model: str, seed: int | str) -> str:
        """One table about one run. Stages: see `STAGES`."""
        return f"{self.results_dir}/{stage}/{corpus}/{model}/seed-{seed}.parquet"

    def importance(self, corpus: str, model: str, seed: int | str, method: str) -> str:
        """Importance of every token of the test split by one of `IMPORTANCE_METHODS`."""
        return f"{self.results_dir}/importance/{corpus}/{model}/seed-{seed}/{method}.parquet"

    def table(self, name: str, form: str) -> str:
        """One of `TABLES` in one of `TABLE_FORMATS`."""
        return f"{self.results_dir}/tables/{name}.{form}"

    def figure(self, name: str, form: str) -> str:
        """One of `FIGURES` in one of `FIGURE_FORMATS`."""
        return f"{self.results_dir}/figures/{name}.{form}"

    def config(self) -> str:
        """The validated configuration with every default filled in."""
        return f"{self.results_dir}/config.yaml"

    def log(self, stage: str, *parts: str) -> str:
        """The log of one job."""
        return f"{self.results_dir}/logs/{'/'.join([stage, *parts])}.log"

    def benchmark(self, stage: str, *parts: str) -> str:
        """Time and memory of one job, as Snakemake measures them."""
        return f"{self.results_dir}/benchmarks/{'/'.join([stage, *parts])}.tsv"

    def predictions_of(self, run: Run) -> str:
        """Predictions and attention of a run."""
        return self.model(run.corpus, run.model.name, run.seed, "predictions.parquet")

    def analysis_of(self, stage: str, run: Run) -> str:
        """`analysis` for a run."""
        return self.analysis(stage, run.corpus, run.model.name, run.seed)

    def importance_of(self, run: Run, method: str) -> str:
        """`importance` for a run."""
        return self.importance(run.corpus, run.model.name, run.seed, method)


STAGES = (
    "correlation",
    "permutation",
    "searched_adversary",
    "searched_candidates",
    "exact_adversary",
    "divergence",
    "replacement",
)
