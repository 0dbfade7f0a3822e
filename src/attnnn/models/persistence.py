"""Trained models and interrupted trainings on disk."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from attnnn.models.classifier import Classifier
from attnnn.models.training import Training
from attnnn.tables.store import write_json, written_aside

WEIGHTS, DESCRIPTION = "weights.safetensors", "model.json"


def save_classifier(
    classifier: Classifier, folder: str | os.PathLike[str], description: dict[str, Any]
) -> None:
    """Write ``weights.safetensors`` and ``model.json``.

    Args:
        classifier: the model.
        folder: where.
        description: must hold what `load_classifier` rebuilds the model from: encoder, attention,
            vocabulary, dimension, hidden_size, outputs, with_question.
    """
    tensors = {name: tensor.cpu().contiguous() for name, tensor in classifier.state_dict().items()}
    with written_aside(Path(folder) / WEIGHTS) as aside:
        save_file(tensors, aside)
    write_json(Path(folder) / DESCRIPTION, description)


def load_classifier(
    folder: str | os.PathLike[str], *, device: torch.device | str = "cpu"
) -> Classifier:
    """The model that `save_classifier` wrote."""
    described = json.loads((Path(folder) / DESCRIPTION).read_text(encoding="utf-8"))
    parts = (
        "encoder",
        "attention",
        "vocabulary",
        "dimension",
        "hidden_size",
        "outputs",
        "with_question",
    )
    classifier = Classifier(**{name: described[name] for name in parts})
    classifier.load_state_dict(load_file(Path(folder) / WEIGHTS))
    return classifier.to(device).eval()


class Checkpoint:
    """An interrupted training's state, kept at most every so many seconds.

    Args:
        path: the file, in a folder of its own.
        identity: of the run and of what it reads; a checkpoint of another identity is not used.
        seconds: least time between two writes.
    """

    def __init__(
        self, path: str | os.PathLike[str], identity: dict[str, Any], *, seconds: float
    ) -> None:
        self.path, self.seconds = Path(path), seconds
        self.identity = json.dumps(identity, sort_keys=True)
        self._written = time.monotonic()

    def keep(self, training: Training) -> None:
        """Write the state, unless the last one is recent enough."""
        if time.monotonic() - self._written < self.seconds:
            return
        with written_aside(self.path) as aside:
            torch.save({"identity": self.identity, **training.state()}, aside)
        self._written = time.monotonic()

    def resume(self, training: Training) -> bool:
        """Continue `training` from the checkpoint; False where there is none that fits."""
        if not self.path.exists():
            return False
        state = torch.load(self.path, map_location="cpu", weights_only=True)
        if state.pop("identity") != self.identity:
            return False
        training.restore(state)
        return True

    def remove(self) -> None:
        """The training has ended: forget its state, and the folder that was only its own."""
        self.path.unlink(missing_ok=True)
        # It may be gone, or in use: a lost submit host can leave a second job of the same training.
        with contextlib.suppress(OSError):
            self.path.parent.rmdir()
