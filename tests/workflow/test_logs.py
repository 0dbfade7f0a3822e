"""Every rule's command ends by sending what it says to its log, where Snakemake finds it for a failed job."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

RULES = sorted((Path(__file__).parents[2] / "workflow" / "rules").glob("*.smk"))


@pytest.mark.parametrize("file", RULES, ids=lambda path: path.stem)
def test_commands_write_their_log(file: Path):
    text = file.read_text(encoding="utf-8")
    commands = re.findall(r'^ +shell:\n((?: +".*"\n)+)', text, flags=re.MULTILINE)
    assert len(commands) == len(re.findall(r"^ +shell:$", text, flags=re.MULTILINE))
    for command in commands:
        assert command.count("2> ") == 1
        assert command.endswith('2> {log:q}"\n')
