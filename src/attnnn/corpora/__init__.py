"""Sources become corpora: read or generated, split, tokenised, filtered, numbered, described."""
