"""Phase 2: all teachers distilled into one student."""
