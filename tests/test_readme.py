"""What the README lists is what there is."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from attnnn.cli import main

README = Path(__file__).parents[1] / "README.md"


def test_the_readme_lists_every_table_and_figure_as_the_command_does():
    rows = re.findall(
        r"^\| `((?:tables|figures)/\w+)` \| (.+) \|$",
        README.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    printed = CliRunner().invoke(main, ["exhibits"]).stdout.splitlines()
    assert len(printed) > 20
    assert [f"{name}\t{question}" for name, question in rows] == printed
