"""From sources to encoded corpora: texts are read or generated, split, tokenised, filtered and numbered."""
