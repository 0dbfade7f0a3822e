"""Every test runs with the shapes in the models' annotations checked."""

import sys
from collections.abc import Iterator

import pytest
from jaxtyping import install_import_hook

install_import_hook("attnnn.models", "beartype.beartype")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files come first, so that none is left to one worker in the end."""
    items.sort(key=lambda item: "workflow" not in item.path.parts)


@pytest.fixture(autouse=True)
def _subnormal_numbers() -> Iterator[None]:
    """Stages let the processor flush subnormal numbers to zero; the next test gets them back."""
    yield
    if "torch" in sys.modules:
        sys.modules["torch"].set_flush_denormal(False)
