"""What a decision owes to single attention weights: erase them, states held fixed (Serrano & Smith 2019)."""
