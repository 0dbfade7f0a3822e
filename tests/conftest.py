"""Every test runs with the shapes in the models' annotations checked."""

from jaxtyping import install_import_hook

install_import_hook("attnnn.models", "beartype.beartype")
