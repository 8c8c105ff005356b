"""Phase 1: one teacher a group, by self-play on its fixed line-up."""
