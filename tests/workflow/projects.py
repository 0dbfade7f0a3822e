"""Copies of the workflow that Snakemake runs: with the real verbs, or with a stand-in for them."""

from __future__ import annotations

import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml


@dataclass
class Project:
    """A copy of the workflow in a folder of its own."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def snakemake(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Snakemake to its end."""
        return subprocess.run(
            ["snakemake", *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=3600,
        )

    def succeed(self, *arguments: str) -> str:
        """Run Snakemake, which must succeed, and give what it printed."""
        done = self.snakemake(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def configure(self, study: dict[str, Any], name: str = "config/config.yaml") -> None:
        """Write a configuration."""
        (self.folder / name).write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")

    def made(self, results: str = "results") -> set[str]:
        """Files in the results folder."""
        folder = self.folder / results
        return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


@dataclass
class Rehearsal(Project):
    """A project whose jobs are done by the stand-in, which notes them."""

    @property
    def notes(self) -> Path:
        """Where the stand-in notes its calls."""
        return self.folder / "calls.txt"

    def calls(self, *arguments: str) -> list[str]:
        """Run Snakemake, which must succeed, and give the calls, `verb corpus model seed` by job."""
        self.notes.write_text("")
        self.succeed(*arguments)
        return [line.strip() for line in self.notes.read_text().splitlines()]

    def verbs(self, *arguments: str) -> Counter[str]:
        """Run Snakemake, which must succeed, and count the calls of each verb."""
        return Counter(call.split()[0] for call in self.calls(*arguments))


def small_study(**changes: Any) -> dict[str, Any]:
    """A configuration of two planted corpora, top-level keys changed at will."""
    return {
        "switches": {"adv_seed": "same"},
        "corpora": {"one": planted("lexical"), "two": planted("needle")},
        "seeds": [50],
        "lambdas": [0, 0.001],
        "grid": ["bilstm-additive", "bilstm-dot", "average-additive", "cnn-none"],
        **changes,
    }


def planted(regime: str, **changes: Any) -> dict[str, Any]:
    """A small planted corpus."""
    source = {"kind": "planted", "regime": regime, "train": 64, "dev": 32, "test": 32}
    return {"source": source, "embedding": {"kind": "random", "dimension": 8}, **changes}
