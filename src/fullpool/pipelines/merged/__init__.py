"""Phase 3: self-play from the student on random line-ups of the whole pool."""
