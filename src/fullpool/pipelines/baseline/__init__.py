"""No curriculum: self-play on random line-ups from a fresh network."""
