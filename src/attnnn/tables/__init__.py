"""What passes between stages: declared schemas, files written whole, ragged arrays."""
