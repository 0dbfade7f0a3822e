"""How decisions depend on single attention weights: they are erased, states fixed (Serrano & Smith 2019)."""
