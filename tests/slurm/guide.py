"""The commands of docs/cluster.md, as it prints them."""

from __future__ import annotations

import re
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "cluster.md"


def blocks(language: str) -> dict[str, list[str]]:
    """The fenced blocks of a language, under the heading that each stands below."""
    found: dict[str, list[str]] = {}
    for section in re.split(r"^## ", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading = section.splitlines()[0]
        for block in re.findall(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL):
            found.setdefault(heading, []).append(block)
    return found


def lines_to_edit() -> list[str]:
    """The lines of the profile that the guide asks a user to edit."""
    [block] = blocks("yaml")["Edit three lines"]
    return block.splitlines()
