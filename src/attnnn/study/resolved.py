"""The configuration as files: resolved for the jobs of a study, and as a schema for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from attnnn.study.config import Study
from attnnn.study.protocol import Protocol
from attnnn.tables.store import write_text

CONFIG = "config.yaml"
"""The name of the resolved configuration in the results folder."""


def resolved_text(study: Study) -> str:
    """The study as YAML that `config.load` reads back, every default filled in."""
    return yaml.safe_dump(study.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def write_resolved(study: Study) -> Path:
    """Write `resolved_text` where the jobs of the study read it, only if that changes the file."""
    path, text = Path(study.results_dir) / CONFIG, resolved_text(study)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        write_text(path, text)
    return path


def editor_schema() -> dict[str, Any]:
    """The JSON schema of a configuration file, switches included."""
    schema = Study.model_json_schema()
    protocol = Protocol.model_json_schema(ref_template="#/$defs/{model}")
    schema["$defs"]["Protocol"] = protocol | {
        "description": "Single switches. A default given here is the clean protocol's."
    }
    for holder in (schema, schema["$defs"]["Corpus"]):
        holder["properties"]["switches"] = {
            "$ref": "#/$defs/Protocol",
            "description": holder["properties"]["switches"]["description"],
        }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
