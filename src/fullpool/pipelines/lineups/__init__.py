"""The line-up stage: even fixed line-ups for the teachers."""
