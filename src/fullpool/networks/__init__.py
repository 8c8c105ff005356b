"""Specs in, torch modules out: unit-row encoders, target attention, heads, actor-critic."""
