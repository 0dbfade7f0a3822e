"""Tables and figures: what a reader of the study sees."""
